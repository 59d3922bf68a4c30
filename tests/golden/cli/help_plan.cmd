# Help for one command, the same by both ways of asking.
diff <(deft plan --help) <(deft help plan) && deft help plan
