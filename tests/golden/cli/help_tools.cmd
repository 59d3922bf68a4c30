# Help for one command, the same by both ways of asking.
diff <(deft tools --help) <(deft help tools) && deft help tools
