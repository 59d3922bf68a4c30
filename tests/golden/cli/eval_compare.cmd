# What one ranking gains over another, query by query.
deft eval --ranking bm25 --compare keyword --queries queries data/sets/garden
