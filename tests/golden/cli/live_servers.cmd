# Servers before and after they were asked, one of them not to be found, one disabled.
cat >deft.json <<'END'
{"mcpServers": {"lamps": {"command": "data/lamps"}, "lost": {"command": "data/nowhere"},
                "off": {"command": "data/lamps", "disabled": true}}}
END
deft servers
deft servers --discover | sed 's/[0-9]* s$/N s/; s/in [0-9]* s/in N s/'
deft servers | sed 's/[0-9]* s$/N s/'
deft servers --json | sed 's/"checkedAt":[0-9]*/"checkedAt":N/; s/"retryInMs":[0-9]*/"retryInMs":N/'
