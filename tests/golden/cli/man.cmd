# The manual page, from the same tables.
deft help --man
