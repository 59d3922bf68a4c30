# The same for programs.
deft eval --ranking bm25 --compare keyword --queries queries --json data/sets/garden
