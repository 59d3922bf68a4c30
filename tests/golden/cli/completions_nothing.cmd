# A shell must be named.
deft completions
