# Where there is no file to write.
mkdir mine.json
deft settings toolSearch.minPct 5 --config mine.json
deft settings toolSearch.minPct 5 --config mine.json/x/deft.json && ls mine.json/x
: >file
deft settings toolSearch.minPct 5 --config file/deft.json
