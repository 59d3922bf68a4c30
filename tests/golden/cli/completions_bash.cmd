# Completion in bash offers commands, flags, their values, keys and files.
source <(deft completions bash)
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _deft
    echo "$* -> ${COMPREPLY[*]}"
}
try deft t
try deft ""
try deft tools --s
try deft tools --sort ""
try deft tools --sort = n
try deft tools --form =
try deft --preset cl
try deft settings toolSearch.min
try deft settings --o
try deft completions ""
try deft help co
try deft tools --catalog data/sh
try deft search --origin
try deft tools --set toolSearch.minT
