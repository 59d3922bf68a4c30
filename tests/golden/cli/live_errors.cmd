# What is wrong with the words behind a command.
echo '{"mcpServers": {"lamps": {"command": "data/lamps"}}}' >deft.json
deft call
deft call lamps::switch_lamp hall
deft call lamps::switch_lamp lamp=hall lamp=attic
deft call lamps::switch_lamp '["hall"]'
echo nonsense | deft call lamps::switch_lamp -
deft logs
deft tool-search
deft tool-search stop
deft status --gateway me
deft status --gateway 1
deft servers all
