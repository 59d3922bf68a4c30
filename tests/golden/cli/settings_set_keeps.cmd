# Comments, order and the file's mode stay as they are.
cat >deft.json <<'J'
// Ours.
{
  "toolSearch": {
    "minPct": 5, // as Kiro
    "ranking": "bm25",
  },
}
J
chmod 640 deft.json
deft settings toolSearch.minPct 7
cat deft.json
stat -c %a deft.json
