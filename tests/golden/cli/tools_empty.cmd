# A list without tools is not wrong, but there is nothing in it.
echo '{"tools": []}' >empty.json
deft tools --catalog empty.json
echo $?
deft tools --catalog empty.json --json
echo $?
deft context --catalog empty.json --json
