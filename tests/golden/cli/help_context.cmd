# Help for one command, the same by both ways of asking.
diff <(deft context --help) <(deft help context) && deft help context
