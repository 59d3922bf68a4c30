# A set has to be named.
deft eval
