# Past it. Proves D7.
deft context --catalog data/shop.json --set toolSearch.tokenFamily=chars4 --context-window 1000 |
    sed -E '/^(tool search|now|added|saved)/s/[0-9,.]+ +[0-9.]+ %/N/'
