# Tool search for three small tools costs more than it saves, and that is said.
deft context --catalog data/shop.json --set toolSearch.enabled=on | tail -n 1 | cut -d ' ' -f 1
deft context --catalog data/shop.json --set toolSearch.enabled=on --json |
    grep -o '"saved":{"tools":3,"tokens":-'
