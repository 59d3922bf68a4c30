# A value that something stronger hides is written, and that is said.
DEFT_MIN_PCT=30 deft settings toolSearch.minPct 5
cat deft.json
deft settings --user toolSearch.minPct 6
