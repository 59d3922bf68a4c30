# Writing makes the project's file. Proves E2.
deft settings toolSearch.minPct 5
deft settings set toolSearch.enabled auto
deft settings get toolSearch.minPct --origin
deft settings get toolSearch.enabled --origin
stat -c %a deft.json
ls
