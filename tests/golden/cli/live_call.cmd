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
# Who says no: the tool, or deft before it calls one.
deft call lamps::switch_lamp on=7
echo "exit code $?"
deft call lamps::switch_lamp on=7 --json >/dev/null
deft call lamps::switch_lamp lamp=hall --set hooks.beforeCall=false
echo "exit code $?"
