# Figures with their bounds, for each file of queries and each style.
deft eval --ranking bm25 --style data/sets/garden
