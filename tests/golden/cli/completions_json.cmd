# For programs, the script is a text.
deft completions bash --json | head -c 60
