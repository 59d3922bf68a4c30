# Queries that a ranking cannot take find nothing, and that is said.
mkdir set
cp data/sets/garden/tools.jsonl set
printf "%s\n" "{\"id\":\"q1\",\"query\":\"mow_.*\",\"relevant\":[\"g2\"]}" "{\"id\":\"q2\",\"query\":\"(lock\",\"relevant\":[\"s2\"]}" >set/queries.jsonl
deft eval --ranking regex set
