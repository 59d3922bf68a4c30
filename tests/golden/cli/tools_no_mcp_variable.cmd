# The variables do the same. Proves A11.
DEFT_NO_MCP=1 deft tools --catalog data/shop.json
PIZZAPI_NO_MCP=1 deft tools --catalog data/shop.json
