# The level and its cost are told on stderr.
deft listing --catalog data/shop.json --set toolSearch.enabled=on \
    --set toolSearch.tokenFamily=chars4 >/dev/null
