# A visible tool that is called like the search tool ends the gateway at its start, with what to set.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}},
       "toolSearch": {"enabled": "on", "searchName": "list_lamps", "tools": {"list_lamps": false}}}' >deft.json
deft servers --discover >/dev/null
mkfifo agent
exec 3<>agent
timeout 300 deft serve <agent
echo "exit code $?"
timeout 300 deft serve --set toolSearch.searchName=find_tools </dev/null
echo "exit code $?"
