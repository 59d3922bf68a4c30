# 20,000 tools of one server, and then one too many.
{
    printf '{"server":"big","tools":['
    for ((i = 0; i < 20000; i++)); do
        printf '%s{"name":"t%d","description":"d","inputSchema":{}}' "${comma-}" $i
        comma=,
    done
    printf ']}'
} >big.json
deft tools --catalog big.json --servers --set toolSearch.tokenFamily=chars4 | tail -n 1
sed 's/]}$/,{"name":"last","inputSchema":{}}]}/' big.json >bigger.json
deft tools --catalog bigger.json --servers --set toolSearch.tokenFamily=chars4 | tail -n 1
