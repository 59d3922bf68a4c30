# By name.
deft tools --catalog data/shop.json --catalog data/bare --sort name --set toolSearch.tokenFamily=chars4
