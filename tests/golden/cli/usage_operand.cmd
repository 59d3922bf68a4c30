# A word that the command has no use for.
deft tools shop
