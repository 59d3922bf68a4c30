# Help for one command, the same by both ways of asking.
diff <(deft demo --help) <(deft help demo) && deft help demo
