# A packed file that was cut.
mkdir cut
gzip -c data/sets/garden/tools.jsonl | head -c 100 >cut/tools.jsonl.gz
cp data/sets/garden/queries.jsonl cut
deft eval cut
