# What cannot be logged in to is said at once, before anybody is asked.
cat > deft.json <<'END'
{"mcpServers": {
  "local": {"command": "true"},
  "keyed": {"url": "https://h.invalid/mcp", "headers": {"Authorization": "Bearer x"}},
  "notes": {"url": "https://notes.invalid/mcp"}}}
END
deft login nobody
deft login local
deft login keyed
deft logout notes
DEFT_LOGINS=none deft login notes
echo '{"version": 2, "logins": []}' > logins.json
DEFT_LOGINS=logins.json deft logout notes
echo '{"version": 1, "logins": [{"endpoint": "https://notes.invalid/mcp"}]}' > logins.json
chmod 644 logins.json
DEFT_LOGINS=logins.json deft logout notes --json
stat -c '%a %n' logins.json
cat logins.json
