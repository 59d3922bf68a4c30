# Every tool, its place and why.
deft plan --catalog data/shop.json --catalog data/functions.json --set toolSearch.tokenFamily=chars4 --set toolSearch.enabled=on
