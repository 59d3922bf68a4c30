# Tools by server, what costs most first. Proves D7.
deft tools --catalog data/shop.json --set toolSearch.tokenFamily=chars4
