# Messages to nowhere do not end up in a file.
deft settings toolSearch.minPct 5 --verbose 2>&-
echo $?
cat deft.json
