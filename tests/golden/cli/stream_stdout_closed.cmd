# And so is a closed stdout; no file that is opened takes its place.
deft settings toolSearch.minPct 5 >&-
echo $?
deft version >&-
echo $?
cat deft.json
