# needs: words
# Built without a model: what there is, what works instead, and how to get one.
deft model info; echo $?
deft model --json
deft search --catalog data/shop.json cancel an order | sed -E 's/ +[0-9.]+ +[0-9]+ / N N /'
deft search --catalog data/shop.json buy articles | sed -E 's/ +[0-9.]+ +[0-9]+ / N N /'
deft explain --catalog data/shop.json --limit 1 cancel the orders | grep -c 'for what it means'
deft demo | grep '^Search'
deft demo --json | grep -o '"model":[^,]*'
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft status | grep '^Search'
deft model --model missing.deftvec; echo $?
