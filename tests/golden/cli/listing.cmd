# What the model sees, at each level. Proves B2, B3, B4, B5.
for level in full short names categories servers none; do
    echo "-- $level"
    deft listing --catalog data/shop.json --catalog data/bare --set toolSearch.enabled=on \
        --set toolSearch.listing=$level --quiet
done
