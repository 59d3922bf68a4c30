# Help for one command, the same by both ways of asking.
diff <(deft completions --help) <(deft help completions) && deft help completions
