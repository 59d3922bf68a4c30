# The value alone; an unset one is nothing, and the exit code says so. Proves E2.
deft settings toolSearch.minPct
deft settings get toolSearch.minPct
deft settings toolSearch.minTokens
echo $?
deft settings toolSearch.minTokens --origin
echo $?
