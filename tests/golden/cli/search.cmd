# Hits, best first.
deft search --catalog data/shop.json --catalog data/bare cancel an order |
    awk '{ print $1 }' | head -n 2
