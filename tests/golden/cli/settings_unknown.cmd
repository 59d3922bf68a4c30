# A key that there is not, with the nearest one.
deft settings toolSearch.minPercent
echo $?
deft settings toolSearch.minPercent 5
echo $?
deft tools --catalog data --set toolSearch.minPercent=5
echo $?
ls deft.json 2>/dev/null
