# Where each value came from. Proves E3.
mkdir -p "$HOME/.config/deft"
echo '{"toolSearch": {"resultsMax": 7, "resultsDefault": 3}}' >"$HOME/.config/deft/config.json"
printf '{\n  "toolSearch": {\n    "resultsDefault": 4,\n    "minPct": 20\n  }\n}\n' >deft.json
DEFT_MIN_PCT=30 deft settings --origin --preset kiro --set toolSearch.style=bridge |
    grep -v ' default$' | sed "s|$HOME|~|"
