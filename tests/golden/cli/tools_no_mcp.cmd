# Without MCP servers only the host's own tools are left. Proves A11.
deft tools --catalog data/shop.json --catalog data/functions.json --no-mcp --servers \
    --set toolSearch.tokenFamily=chars4
deft tools --catalog data/shop.json --no-mcp
