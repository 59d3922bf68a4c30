# A search over the configured servers, which are asked first where they are not known.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft search --set toolSearch.tokenFamily=chars4 which lamps are there |
    sed -E 's/[0-9]+\.[0-9]+/N.NN/'
deft search --limit 1 --json lamps | sed 's/"score":[0-9.]*/"score":N/'
deft search zeppelin
