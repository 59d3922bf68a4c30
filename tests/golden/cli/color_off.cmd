# needs: terminal
# NO_COLOR and TERM=dumb turn it off; a pipe never has it.
for setting in NO_COLOR=1 TERM=dumb; do
    script -qec "$setting deft plan --catalog data/shop.json cancel_order" /dev/null |
        grep -c $'\x1b'
done
deft plan --catalog data/shop.json | grep -c $'\x1b'
