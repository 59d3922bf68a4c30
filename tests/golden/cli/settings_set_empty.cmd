# An empty file is a start.
: >deft.json
deft settings toolSearch.minPct 5
cat deft.json
