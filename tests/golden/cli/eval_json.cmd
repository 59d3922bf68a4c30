# One object a set, for programs.
deft eval --ranking bm25 --json --style data/sets/garden/
