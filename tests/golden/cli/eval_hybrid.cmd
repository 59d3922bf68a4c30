# The default ranking.
deft eval --json data/sets/garden | grep -o "\"ranking\":\"[a-z0-9]*\""
