# Help for one command, the same by both ways of asking.
diff <(deft help --help) <(deft help help) && deft help help
