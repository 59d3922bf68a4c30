# needs: model
# What searches go by is a line of the status, and a member for programs.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft status | grep '^Search'
deft status --json | grep -o '"search":{[^}]*}'
DEFT_MODEL=none deft status | grep '^Search'
deft status --set toolSearch.ranking=bm25 | grep '^Search'
deft status --set toolSearch.language=german | grep '^Search'
deft demo --model none | grep '^Search'
deft demo --model none --json | grep -o '"model":[^,]*'
deft demo --model missing.deftvec; echo $?
