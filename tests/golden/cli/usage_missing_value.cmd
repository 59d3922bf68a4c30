# A flag without its value.
deft tools --catalog
