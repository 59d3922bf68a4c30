# Queries that no set has.
deft eval --queries long data/sets/garden
