# needs: openssl
# A certificate that is made here, from the configuration file; openssl is the client.
export DEFT_STORE=none
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null
chmod 644 key.pem
echo '{"mcpServers": {}, "http": {"tls": {"certificate": "cert.pem", "key": "key.pem"}}}' >deft.json
timeout 300 deft serve -q --http 127.0.0.1:0
chmod 600 key.pem
mkfifo told
deft serve --http 127.0.0.1:0 2>told &
{
    read -r _
    read -r line
    port=${line//[^0-9]/}
    printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' |
        timeout 300 openssl s_client -connect "127.0.0.1:$port" -servername localhost -CAfile cert.pem \
            -verify_hostname localhost -verify_return_error -alpn http/1.1 -ign_eof 2>/dev/null |
        grep -E '^(HTTP|ok|ALPN|Verification)'
    kill %1
    wait %1
    echo "$?"
} <told
