# Nothing found is told by the exit code.
deft search --catalog data/shop.json zeppelin
echo $?
deft search --catalog data/shop.json zeppelin --json
echo $?
deft search --catalog data/shop.json zeppelin --quiet
