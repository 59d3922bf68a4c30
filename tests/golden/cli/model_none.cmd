# needs: model
# Without a model only words are found.
deft search --catalog data/shop.json --model none radio lamps order | sed -E 's/ +[0-9.]+ +[0-9]+ / N N /'
DEFT_MODEL=none deft search --catalog data/shop.json get rid of a purchase; echo $?
deft search --catalog data/shop.json purchase goods | sed -E 's/ +[0-9.]+ +[0-9]+ / N N /'
