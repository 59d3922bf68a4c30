# needs: terminal
# On a terminal the gateway says what it is, how to set it up, and what is configured.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}, "deft": {"command": "deft", "args": ["serve"]}}}' >deft.json
script -qec 'deft serve; echo "exit code $?"' /dev/null | tr -d '\r'
