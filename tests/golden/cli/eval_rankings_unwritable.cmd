# A file that cannot be written.
deft eval --rankings nowhere/out.jsonl data/sets/garden
