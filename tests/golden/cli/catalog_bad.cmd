# Files that hold something else.
check() {
    printf '%b' "$1" >x.json
    deft tools --catalog x.json
    echo $?
}
check ''
check '\x1f\x8b\x08\0'
check '{"tools": [\0]}'
check 'hello'
check '{"tools": [\n  {"name": "a",}\n]}'
check '42'
check '{"name": 3}'
check '{"tools": {}}'
