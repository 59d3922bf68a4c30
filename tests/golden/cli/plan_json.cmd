# For programs.
deft plan --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --set toolSearch.enabled=on --json
