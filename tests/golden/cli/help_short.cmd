# -h is --help, and needs none of the operands that the command needs.
diff <(deft search -h) <(deft help search)
