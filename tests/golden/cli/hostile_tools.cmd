# Nothing in a catalog can act on the terminal.
deft tools --catalog data/hostile.json --set toolSearch.tokenFamily=chars4
