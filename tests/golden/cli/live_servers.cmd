# Servers before and after they were asked, one of them not to be found, one disabled.
# However long that takes: an age is no figure to compare, nor is its width.
ages() { sed -E 's/ +/ /g; s/in [0-9]+ s$/in N s/; s/ [0-9]+ (s|min)$/ AGE/'; }
cat >deft.json <<'END'
{"mcpServers": {"lamps": {"command": "data/lamps"}, "lost": {"command": "data/nowhere"},
                "off": {"command": "data/lamps", "disabled": true}}}
END
deft servers
deft servers --discover | ages
deft servers | ages
deft servers --json | sed 's/"checkedAt":[0-9]*/"checkedAt":N/; s/"retryInMs":[0-9]*/"retryInMs":N/'
