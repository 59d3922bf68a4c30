# What was found, for others to score: with its set where there are several, without where not.
deft eval --ranking bm25 --rankings all.jsonl --quiet data/sets/garden >/dev/null && cat all.jsonl
deft eval --ranking bm25 --rankings one.jsonl --queries queries data/sets/garden >/dev/null && cat one.jsonl
