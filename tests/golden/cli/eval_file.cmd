# A file is no set.
deft eval data/shop.json
