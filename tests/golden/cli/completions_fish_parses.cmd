# needs: fish
# fish reads it.
deft completions fish >deft.fish && fish -n deft.fish
