# What is wrong is named with its line.
mkdir set
cp data/sets/garden/tools.jsonl set
printf "%s\n" "{\"id\":\"q1\",\"query\":\"mow\",\"relevant\":[\"g2\"]}" "" "{\"id\":\"q2\",\"query\":\"mow\",\"relevant\":[\"g9\"]}" >set/queries.jsonl
deft eval set
printf "%s\n" "{\"id\":\"q1\",\"query\":" >set/queries.jsonl
deft eval set
: >set/queries.jsonl
deft eval set
printf "%s\n" "{\"name\":\"no id\"}" >set/tools.jsonl
cp data/sets/garden/queries.jsonl set
deft eval set
