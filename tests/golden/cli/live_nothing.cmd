# Without servers, each command says what to do.
deft servers
deft status
deft call lamps::list_lamps
deft search lamps
deft tool-search status
deft tool-search reset
echo "exit code $?"
deft logs lamps
echo "exit code $?"
deft logs --calls
echo "exit code $?"
deft logs --calls --json
