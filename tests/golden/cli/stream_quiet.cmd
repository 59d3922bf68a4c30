# Success is quiet, and --quiet keeps talk away.
deft settings toolSearch.minPct 5
deft listing --catalog data/shop.json --set toolSearch.enabled=on --quiet >/dev/null
deft tools --catalog data/hostile.json --quiet >/dev/null
