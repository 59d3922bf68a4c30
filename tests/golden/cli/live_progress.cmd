# needs: terminal
# Asking many servers for the first time shows how far it is: on a terminal, unless told to be quiet.
for i in $(seq 6); do echo "\"lamps$i\": {\"command\": \"data/lamps\"},"; done >servers
echo "{\"mcpServers\": {$(cat servers) \"lost\": {\"command\": \"data/nowhere\"}}}" >deft.json
bars() { tr '\r' '\n' | grep -o '^asking servers \[[#.]*\] *[0-9]* %' | sort -u | wc -l; }
script -qec "deft servers --discover >/dev/null" /dev/null | bars
script -qec "deft servers --discover --quiet --set gateway.refreshAgeMs=1 >/dev/null" /dev/null | bars
deft servers --discover 2>&1 >/dev/null | bars
