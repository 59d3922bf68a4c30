# needs: model
# Why a tool is not found, or where it stands.
deft explain --catalog data/shop.json --catalog data/bare --tool place_order server:radio order
echo $?
deft explain --catalog data/shop.json --tool shop::place_order --limit 1 cancel order
echo $?
deft explain --catalog data/shop.json --tool place_ordr order
