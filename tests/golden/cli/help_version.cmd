# Help for one command, the same by both ways of asking.
diff <(deft version --help) <(deft help version) && deft help version
