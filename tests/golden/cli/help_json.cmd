# Commands and flags for programs.
deft help --json
