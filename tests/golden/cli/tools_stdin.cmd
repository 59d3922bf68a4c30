# A catalog from a pipe.
cat data/shop.json | deft tools --catalog - --servers --set toolSearch.tokenFamily=chars4
