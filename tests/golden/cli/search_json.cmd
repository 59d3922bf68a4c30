# For programs.
deft search --catalog data/shop.json --limit 1 --json place an order |
    sed -E 's/"(score|tokens)":[0-9.]+/"\1":N/g'
