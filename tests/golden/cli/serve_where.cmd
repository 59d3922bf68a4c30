# Over HTTP an address is wanted, from the flag or from http.listen; the flag wins.
export DEFT_STORE=none
deft serve --http
deft settings http.listen 127.0.0.1:1 -q
deft settings http.listen --origin
deft settings http.listen --origin --set http.listen=127.0.0.1:2
deft serve --http nowhere
deft serve -q --http --set http.listen=0.0.0.0:0
deft settings http.allowHosts --set http.allowHosts=a.example,b.example
