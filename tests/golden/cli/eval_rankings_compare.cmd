# Two rankings have no one order.
deft eval --rankings out.jsonl --compare bm25 data/sets/garden
code=$?
ls
exit $code
