# Another ranking.
deft search --catalog data/shop.json --ranking keyword cancel_order --json |
    sed -E 's/"(score|tokens)":[0-9.]+/"\1":N/g'
