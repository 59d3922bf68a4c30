# A file past the limit is told from its size, not from running out of memory.
truncate -s 70M large.json
deft tools --catalog large.json
