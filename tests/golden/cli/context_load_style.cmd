# Where found tools join the tool list, there is only the search tool.
deft context --catalog data/shop.json --set toolSearch.enabled=on --set toolSearch.style=load --json |
    grep -o '"search":{"tools":[0-9]*'
