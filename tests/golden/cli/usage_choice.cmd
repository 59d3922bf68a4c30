# A value that is not one of the choices.
deft tools --catalog data --preset clod-code
