# needs: model
# What each word gave, through which field.
deft explain --catalog data/shop.json --limit 2 cancel the orders
# A tool that the query names.
deft explain --catalog data/shop.json --limit 1 cancel_order
