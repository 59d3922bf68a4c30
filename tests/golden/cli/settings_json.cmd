# One setting and all of them for programs.
deft settings get toolSearch.minPct --json
deft settings toolSearch.minTokens --json
deft settings --json | head -c 300
