# What a service manager may say wrongly of its socket. Where it is for another process, deft goes on: to
# an address that is none here.
export DEFT_STORE=none
echo '{"mcpServers": {}}' >deft.json
try() {
    env "$@" timeout 300 bash -c 'LISTEN_PID=${LISTEN_PID/self/$$} exec deft serve -q --http'
    echo "$?"
}
try LISTEN_PID=self LISTEN_FDS=1 3<&-
try LISTEN_PID=self LISTEN_FDS=1 3<deft.json
try LISTEN_PID=self LISTEN_FDS=2 3<deft.json
try LISTEN_PID=self LISTEN_FDS=some
try LISTEN_PID=self
try LISTEN_PID=self LISTEN_FDS=0
LISTEN_PID=1 LISTEN_FDS=1 deft serve --http 2>&1 | sed 's/this is [0-9]*/this is N/'
