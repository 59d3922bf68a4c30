# A visible tool must not be called what the search tool is called; the remedy is named.
echo '{"toolSearch": {"enabled": "on", "tools": {"cancel_order": false}}}' >deft.json
deft tools --catalog data/shop.json --set toolSearch.searchName=cancel_order
