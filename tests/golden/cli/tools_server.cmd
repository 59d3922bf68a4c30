# One server, by name and by pattern.
deft tools --catalog data/shop.json --catalog data/bare --server radio --set toolSearch.tokenFamily=chars4
deft tools --catalog data/shop.json --catalog data/bare --server 's*' --servers --set toolSearch.tokenFamily=chars4
