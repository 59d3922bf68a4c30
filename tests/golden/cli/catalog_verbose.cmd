# --verbose tells what is read and what was left out, and why.
deft tools --catalog data/hostile.json --servers --verbose --set toolSearch.tokenFamily=chars4
