# A file that is wrong: where, what, and what is accepted.
check() {
    printf '%b' "$1" >deft.json
    deft settings get preset
    echo $?
}
check '{"toolSearch": '
check '{\n  "toolSearch": {"minPct": "many"}}\n'
check '{"toolSearch": {"enabled": "auto:101"}}'
check '"x"'
check ''
check '\0\0'
deft settings --config missing.json
deft settings --config data
deft settings --config data/shop.json --config missing.json
