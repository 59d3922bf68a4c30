# Help for one command, the same by both ways of asking.
diff <(deft search --help) <(deft help search) && deft help search
