# Help for one command, the same by both ways of asking.
diff <(deft explain --help) <(deft help explain) && deft help explain
