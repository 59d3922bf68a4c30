# A word that is neither on nor off.
echo '{"mcpServers": {"notes": {"url": "http://127.0.0.1:1/mcp"}}}' >deft.json
DEFT_KEYRING=yes deft login notes
