# The command line wins over the environment, that over the project's file, that over the user's
# file, that over a preset, that over the default. Proves E3.
value() {
    deft settings get toolSearch.minPct --origin "$@" | sed "s|$HOME|~|"
}
value
value --preset kiro
mkdir -p "$HOME/.config/deft"
echo '{"toolSearch": {"minPct": 1}}' >"$HOME/.config/deft/config.json"
value --preset kiro
echo '{"toolSearch": {"minPct": 2}}' >deft.json
value --preset kiro
echo '{"toolSearch": {"minPct": 3}}' >named.json
value --config named.json
export DEFT_MIN_PCT=4
value
value --set toolSearch.minPct=5
