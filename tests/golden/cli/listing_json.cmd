# For programs.
deft listing --catalog data/shop.json --set toolSearch.enabled=on \
    --set toolSearch.tokenFamily=chars4 --json
