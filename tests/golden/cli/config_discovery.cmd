# The nearest deft.json wins; .deft.json stands in for it; .git and the home folder end the search.
echo '{"toolSearch": {"minPct": 1}}' >deft.json
mkdir -p a/b c/.git d
(cd a/b && deft settings get toolSearch.minPct --origin)
echo '{"toolSearch": {"minPct": 2}}' >a/.deft.json
(cd a/b && deft settings get toolSearch.minPct --origin)
echo '{"toolSearch": {"minPct": 3}}' >a/deft.json
(cd a/b && deft settings get toolSearch.minPct --origin)
(cd c && deft settings get toolSearch.minPct --origin)
(cd d && HOME=$PWD deft settings get toolSearch.minPct --origin)
