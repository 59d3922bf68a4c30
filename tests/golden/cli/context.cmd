# Below the threshold nothing is deferred and nothing is saved. Proves D7.
deft context --catalog data/shop.json --set toolSearch.tokenFamily=chars4
