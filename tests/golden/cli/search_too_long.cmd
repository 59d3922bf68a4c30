# A query has a limit.
deft search --catalog data/shop.json "$(head -c 5000 /dev/zero | tr '\0' x)"
