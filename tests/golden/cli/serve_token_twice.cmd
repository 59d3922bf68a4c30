# One token under two names: what may it reach?
export DEFT_STORE=none HOME=$PWD
echo '{"mcpServers": {}}' >deft.json
deft token new ci -q --server github >ci.txt
timeout 20 deft serve -q --http 127.0.0.1:0 --token-file ci.txt
echo "$?"
