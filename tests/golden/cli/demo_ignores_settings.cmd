# Settings of the person who looks at it do not change it; flags do.
echo '{"toolSearch": {"enabled": false}}' >deft.json
DEFT_CONTEXT_WINDOW=5 deft demo --json | grep -o '"window":[0-9]*'
deft demo --context-window 1000000 --json | grep -o '"window":[0-9]*,"active":[a-z]*,"cause":"[a-z-]*"'
