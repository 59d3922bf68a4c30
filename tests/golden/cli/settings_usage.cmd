# Words too few and too many.
deft settings set toolSearch.minPct
deft settings get
deft settings get a b
deft settings a b c
deft settings --user
