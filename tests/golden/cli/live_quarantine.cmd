# A server is put aside and let go, without and with a gateway that runs.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft quarantine
deft quarantine add lamps
deft quarantine
deft quarantine --json | sed 's/"since":[0-9]*/"since":N/'
deft servers
deft call lamps::list_lamps
deft search lamps
deft quarantine remove lamps
deft search --limit 1 lamps | wc -l
coproc gateway { deft serve; }
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' >&"${gateway[1]}"
read -r -u "${gateway[0]}" line
deft search --limit 1 lamps | wc -l
deft quarantine add lamps
deft call lamps::list_lamps
deft quarantine remove lamps
deft call lamps::list_lamps
deft quarantine add
deft quarantine drop lamps
deft quarantine add other
exec {gateway[1]}>&-
wait "$gateway_PID"
