# needs: zsh
# zsh reads it.
deft completions zsh >_deft && zsh -n _deft
