# Every ranking accounts for its scores.
for ranking in bm25 keyword regex; do
    deft explain --catalog data/shop.json --ranking $ranking --limit 1 order | tail -n +2
done
