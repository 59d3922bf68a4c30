# A flag of another command.
deft tools --origin
