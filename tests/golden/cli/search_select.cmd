# A tool by its name, and only one server.
deft search --catalog data/shop.json --catalog data/bare select:place_order | awk '{ print $1 }'
deft search --catalog data/shop.json --catalog data/bare server:radio list | awk '{ print $1 }'
