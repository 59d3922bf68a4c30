# The same for programs.
deft tools --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --json
