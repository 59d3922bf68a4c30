# Tokens are made, listed and removed; the file keeps its comments, and only a digest of each.
export HOME=$PWD
mkdir -p .config/deft
printf '{\n  // mine\n  "preset": "kiro"\n}\n' >.config/deft/config.json
mask() { sed -E 's/[0-9a-f]{64}/DIGITS/; s/[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]+Z)?$/DATE/'; }
deft token list
deft token new ci --server 'git*' --tool 'git*::*' --deny '*::delete_*' --calls-per-minute 60 \
    --concurrent-calls 4 --sessions 2 --expires 2199-01-31 -q | mask
deft token new all -q --json | mask | sed 's|"[^"]*/.config|"HOME/.config|'
mask <.config/deft/config.json
deft token
deft token list --json | sed 's|"[^"]*/.config|"HOME/.config|g'
deft token remove all -q
deft token remove all 2>&1
deft token new ci 2>&1 | sed 's|/.*/.config|HOME/.config|'
deft token new 'c i' 2>&1
deft token new x --expires soon 2>&1
deft token new 2>&1
mask <.config/deft/config.json
