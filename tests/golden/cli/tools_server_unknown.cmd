# A server that is not there; the nearest is named.
deft tools --catalog data/shop.json --server shpo
echo $?
deft tools --catalog data/shop.json --server warehouse
