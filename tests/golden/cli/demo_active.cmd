# Its catalog is large enough for the default threshold, and most of it is saved.
deft demo --json | grep -o '"active":true,"cause":"percent"'
deft demo --json | tr ',' '\n' | grep -E '"(servers|tools|deferred)"'
deft demo --json | sed -E 's/.*"allTokens":([0-9]+).*"usedTokens":([0-9]+).*/\1 \2/' |
    awk '{ print ($1 > 20000 && $2 < $1 / 3) ? "saved" : $0 }'
