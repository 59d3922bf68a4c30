# A bad value changes nothing.
echo '{"toolSearch": {"minPct": 5}}' >deft.json
deft settings toolSearch.minPct 200
deft settings toolSearch.enabled perhaps
deft settings preset kilo
cat deft.json
