# --form only says how --definitions are written.
deft tools --catalog data/shop.json --form openai
deft listing --catalog data/shop.json --form openai
