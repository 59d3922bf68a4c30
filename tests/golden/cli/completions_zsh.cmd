# The zsh script, word for word.
deft completions zsh
