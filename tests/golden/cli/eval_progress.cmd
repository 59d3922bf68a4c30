# needs: terminal
mkdir set
cp data/sets/garden/tools.jsonl set
for i in $(seq 2000); do echo "{\"id\":\"q$i\",\"query\":\"mow\",\"relevant\":[\"g2\"]}"; done >set/queries.jsonl
script -qec "deft eval set >/dev/null" /dev/null | tr "\r" "\n" | grep -c "^set \[[#.]*\] [0-9]* %"
script -qec "deft eval --quiet set >/dev/null" /dev/null | wc -c
