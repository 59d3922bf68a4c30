# Past its budget the list says less. Proves B5.
deft listing --catalog data/shop.json --set toolSearch.enabled=on \
    --set toolSearch.tokenFamily=chars4 --set toolSearch.listingBudgetTokens=25
