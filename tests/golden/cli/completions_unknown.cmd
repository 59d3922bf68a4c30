# A shell that we have nothing for.
deft completions tcsh
