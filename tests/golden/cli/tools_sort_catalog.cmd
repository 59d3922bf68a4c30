# As in the catalog.
deft tools --catalog data/shop.json --catalog data/bare --sort catalog --set toolSearch.tokenFamily=chars4
