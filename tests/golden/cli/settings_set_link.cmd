# A link to the file stays a link.
mkdir dotfiles
echo '{}' >dotfiles/deft.json
ln -s dotfiles/deft.json deft.json
deft settings toolSearch.minPct 7
readlink deft.json
cat dotfiles/deft.json
