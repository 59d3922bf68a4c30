# The user's file and the folders above it, for nobody else's eyes.
deft settings --user toolSearch.minPct 7 --verbose 2>&1 | sed "s|$HOME|~|"
cat "$HOME/.config/deft/config.json"
stat -c %a "$HOME/.config" "$HOME/.config/deft" "$HOME/.config/deft/config.json"
XDG_CONFIG_HOME=$PWD/xdg deft settings --user toolSearch.minPct 8
cat xdg/deft/config.json
env -u HOME deft settings --user toolSearch.minPct 9
