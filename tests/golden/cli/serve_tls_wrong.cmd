# What cannot be used for TLS is refused at the start, with what to do.
try() {
    timeout 300 deft serve -q --http 127.0.0.1:0 "$@"
    echo "$?"
}
export DEFT_STORE=none
echo '{"mcpServers": {}}' >deft.json
echo nothing >cert.pem
echo nothing >key.pem
try --tls-certificate cert.pem
try --tls-key key.pem
try --tls-client-ca cert.pem
try --tls-certificate none.pem --tls-key key.pem
try --tls-certificate cert.pem --tls-key key.pem
try --set http.tls.certificate=cert.pem --set http.tls.key=.
echo '{"mcpServers": {}, "http": {"tls": {"certificate": "cert.pem", "key": 5}}}' >deft.json
try
