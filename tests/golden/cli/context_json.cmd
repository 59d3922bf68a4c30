# For programs.
deft context --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --json
