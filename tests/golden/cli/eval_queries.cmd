# One file of queries, by either of its names.
deft eval --ranking bm25 --queries short --json data/sets/garden | cut -c 1-60
deft eval --ranking bm25 --queries queries_short --json data/sets/garden | cut -c 1-60
