# As the Anthropic API takes them.
deft tools --catalog data/functions.json --definitions --form anthropic --sort catalog
