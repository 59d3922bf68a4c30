# As the OpenAI API takes them, with names that are unique.
deft tools --catalog data/shop.json --definitions --form openai --sort catalog
