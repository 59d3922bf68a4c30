# The layer of each value, for programs. Proves E3.
mkdir -p "$HOME/.config/deft"
echo '{"toolSearch": {"resultsMax": 7}}' >"$HOME/.config/deft/config.json"
echo '{"toolSearch": {"resultsDefault": 4}}' >deft.json
DEFT_MIN_PCT=30 deft settings --preset kiro --set toolSearch.style=bridge --json |
    grep -o '"layer":"[a-z-]*"' | sort | uniq -c | sed 's/^ *[0-9]* //'
