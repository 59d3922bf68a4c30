# A set whose files are packed gives the same figures.
gzip -k data/sets/garden/*.jsonl
mkdir packed
mv data/sets/garden/*.gz packed
diff <(deft eval --json data/sets/garden | sed s/garden/packed/) <(deft eval --json packed) && echo same
