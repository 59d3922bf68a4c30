# A reader that went away is not an error.
exec 3> >(exit 0)
wait $!
deft version >&3
