# Nor can an argument.
deft $'to\x1b[31mols'
deft tools --catalog $'\x1b[31mx.json'
deft settings $'\x1b[31mx'
