# needs: terminal
# On a terminal there is colour.
script -qec 'deft plan --catalog data/shop.json --set toolSearch.tokenFamily=chars4 cancel_order' \
    /dev/null | tr -d '\r' | cat -v
