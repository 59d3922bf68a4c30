# An unknown key is worth a word with the nearest one, but not with --quiet. Proves E1.
printf '{\n  "toolSearch": {\n    "minPercent": 5\n  }\n}\n' >deft.json
deft settings get toolSearch.minPct
deft settings get toolSearch.minPct --quiet
