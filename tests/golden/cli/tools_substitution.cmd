# A catalog from a process.
deft tools --catalog <(cat data/shop.json) --servers --set toolSearch.tokenFamily=chars4
