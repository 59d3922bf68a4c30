# Help for a command that there is not suggests one that there is.
deft help tolls
