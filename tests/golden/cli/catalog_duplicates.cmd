# A tool that is there twice is left out once.
deft tools --catalog data/shop.json --catalog data/shop.json --servers \
    --set toolSearch.tokenFamily=chars4
deft tools --catalog data/shop.json --catalog data/shop.json --servers --verbose >/dev/null
