# Servers only, for people and for programs.
deft tools --catalog data/shop.json --catalog data/bare --servers --set toolSearch.tokenFamily=chars4
deft tools --catalog data/shop.json --catalog data/bare --servers --set toolSearch.tokenFamily=chars4 --json
