# No such directory.
deft eval data/sets/gardn
