# Rules of a file decide, and are named.
cat >deft.json <<'J'
{
  "toolSearch": {
    "enabled": "on",
    "tokenFamily": "chars4",
    "tools": {"cancel_*": false}
  },
  "mcpServers": {"radio": {"command": "radio", "alwaysLoad": true}}
}
J
deft plan --catalog data/shop.json --catalog data/bare
