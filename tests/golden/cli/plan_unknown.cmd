# A tool that is not there; the nearest are named.
deft plan --catalog data/shop.json cancel_ordre
echo $?
deft plan --catalog data/shop.json 'x*'
