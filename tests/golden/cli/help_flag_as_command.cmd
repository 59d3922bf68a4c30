# What stands behind help must be a command.
deft help -- --json
