# Help for eval.
deft eval --help
