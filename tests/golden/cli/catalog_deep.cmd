# JSON nested too deep is told, not followed.
{ head -c 100000 /dev/zero | tr '\0' '['; } >deep.json
deft tools --catalog deep.json
