# Tools without queries are left out; with nothing else there is nothing to do.
mkdir pool
cp data/sets/garden/tools.jsonl pool
deft eval --ranking bm25 pool data/sets/garden | head -n 2
deft eval pool
