# A value that is wrong in the file can be set right.
echo '{"toolSearch": {"minPct": "many"}}' >deft.json
deft settings toolSearch.minPct 5
cat deft.json
