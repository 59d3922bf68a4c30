# With --config that file is written.
echo '{}' >mine.json
deft settings toolSearch.minPct 7 --config mine.json
cat mine.json
ls
deft settings toolSearch.minPct 7 --config mine.json --user
