# Help for one command, the same by both ways of asking.
diff <(deft listing --help) <(deft help listing) && deft help listing
