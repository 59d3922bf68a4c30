# Calls without a running gateway: the server is started and stopped again.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft call lamps::list_lamps
deft call lamps::switch_lamp lamp=hall on=true
deft call lamps::list_lamps --json
echo '{"lamp": "hall"}' | deft call lamps::switch_lamp -
deft call lamps::switch_lamp lamp=attic
echo "exit code $?"
deft call lamps::swich_lamp lamp=hall
echo "exit code $?"
deft call camps::list_lamps
