# The fish script, word for word.
deft completions fish
