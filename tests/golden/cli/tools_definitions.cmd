# In their own form the definitions are the server's bytes.
deft tools --catalog data/shop.json --definitions --sort catalog
