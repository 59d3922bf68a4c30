# Why nothing is found: words that no tool has, and what was filtered.
deft explain --catalog data/shop.json --catalog data/bare 'zeppelins cancl +place -articles'
echo $?
deft explain --catalog data/shop.json --quiet --json zeppelin
echo $?
