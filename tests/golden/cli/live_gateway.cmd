# The commands through a gateway that runs in this directory.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
coproc gateway { deft serve 2>gateway.err; }
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' >&"${gateway[1]}"
read -r -u "${gateway[0]}" line
echo "${line:0:24}"
echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' >&"${gateway[1]}"
read -r -u "${gateway[0]}" line
echo "${line:0:24}"
deft call lamps::list_lamps --verbose 2>&1 | sed 's/process id [0-9]*/process id N/'
deft logs lamps
deft status --json | grep -c '"running":true'
deft tool-search status | head -n 1
deft tool-search reset
deft servers | sed -E 's/ +/ /g; s/[0-9]+ (s|min)$/AGE/'
deft search --limit 1 lamps | wc -l
exec {gateway[1]}>&-
wait "$gateway_PID"
echo "ended with $?"
cat gateway.err
deft logs --calls lamps --json | sed 's/"atMs":[0-9]*/"atMs":N/; s/"durationMs":[0-9]*/"durationMs":N/'
deft status >/dev/null
echo "exit code $?"
