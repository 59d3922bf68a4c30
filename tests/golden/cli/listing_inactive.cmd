# Nothing is deferred, so there is nothing to list; for programs that is an answer too.
deft listing --catalog data/shop.json --set toolSearch.tokenFamily=chars4
echo $?
deft listing --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --json
