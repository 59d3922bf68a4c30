# .mcp.json of this folder is read too, and gives way to deft.json.
echo '{"mcpServers": {"shop": {"type": "http", "url": "http://localhost", "alwaysLoad": true}}}' >.mcp.json
echo '{"toolSearch": {"enabled": "on"}}' >deft.json
deft plan --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --verbose
