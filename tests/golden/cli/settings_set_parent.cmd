# The project's file may be above, up to the folder with .git.
mkdir -p project/.git project/a/b
echo '{}' >project/deft.json
cd project/a/b
deft settings toolSearch.minPct 7 --verbose
deft settings get toolSearch.minPct --origin
ls
