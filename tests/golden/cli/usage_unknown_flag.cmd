# A slip in a flag.
deft tools --catalgo data
