# A file that cannot be understood is not written over.
echo '{"toolSearch": ' >deft.json
deft settings toolSearch.minPct 5
cat deft.json
