# With tool search on, deferred tools cost nothing upfront, but the search tools do. Proves D7.
deft tools --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --set toolSearch.enabled=on |
    sed -E '/tool search|total/s/[0-9,]+$/N/'
