# Tokens are asked for, obeyed, and taken away while a stream is open: the stream ends then.
export DEFT_STORE=none HOME=$PWD
echo '{"mcpServers": {}, "http": {"listen": "127.0.0.1:0", "allowHosts": ["gate.example"]}}' >deft.json
good=$(deft token new good -q)
rare=$(deft token new rare -q --calls-per-minute 1) # another minute is longer than the next request takes
deft token new other -q >other.txt
mkfifo told
deft serve --http 2>told &
say() { # TOKEN PATH HEADERS BODY: the status, and what it is told
    exec 4<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST %s HTTP/1.1\r\nHost: gate.example\r\nAuthorization: Bearer %s\r\nConnection: close\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s' \
        "$2" "$1" "$3" "${#4}" "$4" >&4
    tr -d '\r' <&4 | tee answer.txt | grep -E '^(HTTP|WWW|Retry)' | sed 's,: [0-9]*$,: N,'
    exec 4>&-
}
hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
{
    read -r _
    read -r line
    port=${line//[^0-9]/}
    say wrong /mcp '' "$hello"
    say "$good" /mcp '' "$hello"
    session=$(grep -o 'Mcp-Session-Id: .*' answer.txt)
    say "$(cat other.txt)" /mcp "$session"$'\r\n' '{"jsonrpc":"2.0","id":2,"method":"ping"}'
    say "$good" /mcp "$session"$'\r\n' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
    say "$rare" /mcp '' "$hello"
    say "$rare" /mcp '' "$hello"
    tail -n 1 answer.txt
    echo
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n%s\r\n\r\n' \
        "$good" "$session" >&3
    read -r line <&3
    echo "$line"
    deft token remove good -q
    timeout 300 cat <&3 >rest.txt
    echo "the stream has ended: $?"
    say "$good" /mcp "$session"$'\r\n' '{"jsonrpc":"2.0","id":2,"method":"ping"}'
    say "$(cat other.txt)" /mcp '' "$hello"
    kill %1
    wait %1
    echo "$?"
} <told
