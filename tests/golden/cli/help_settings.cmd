# Help for one command, the same by both ways of asking.
diff <(deft settings --help) <(deft help settings) && deft help settings
