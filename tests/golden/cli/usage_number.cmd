# A number that is none, and one out of its range.
deft tools --context-window ten
deft tools --context-window 0
