# By name, id, pattern, server and place.
set -- --catalog data/shop.json --catalog data/bare --set toolSearch.tokenFamily=chars4
deft plan "$@" cancel_order shop::find_article
deft plan "$@" '*_order'
deft plan "$@" --server radio
deft plan "$@" --place visible --server lights
deft plan "$@" --place deferred
