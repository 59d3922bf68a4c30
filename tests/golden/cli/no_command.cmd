# Without a command: help.
diff <(deft) <(deft help) && deft
