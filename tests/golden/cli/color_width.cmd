# needs: terminal
# On a terminal lines are cut to its width.
script -qec 'stty cols 60; NO_COLOR=1 deft search --catalog data/shop.json order' /dev/null | tr -d '\r' |
    sed '1d; s/…/./' | awk '{ print (length($0) <= 60 ? "fits" : $0) }' | sort -u
