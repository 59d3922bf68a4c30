# Without --catalog, commands are about the configured servers.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}, "toolSearch": {"tokenFamily": "chars4"}}' >deft.json
deft tools --sort catalog
deft plan list_lamps
deft explain --tool lamps::list_lamps --json lamps | grep -c '"lamps::list_lamps"'
echo '{"mcpServers": {"lost": {"command": "data/nowhere"}}}' >deft.json
deft tools
