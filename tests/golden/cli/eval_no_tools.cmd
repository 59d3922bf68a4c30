# Queries without tools.
mkdir set
cp data/sets/garden/queries.jsonl set
deft eval set
