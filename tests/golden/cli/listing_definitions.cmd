# All that the model starts with: the search tools and what is visible. Proves B1.
deft listing --catalog data/shop.json --set toolSearch.enabled=on --definitions --json |
    grep -o '^{"name":"[a-z_]*"'
deft listing --catalog data/shop.json --definitions --form anthropic
