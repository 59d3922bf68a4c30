# A full disk is.
deft version >/dev/full
