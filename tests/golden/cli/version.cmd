# The version, by command and by flag.
deft version && deft --version && deft tools --version && deft version --json
