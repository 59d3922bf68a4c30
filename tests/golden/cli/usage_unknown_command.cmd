# A slip in a command.
deft tolls
