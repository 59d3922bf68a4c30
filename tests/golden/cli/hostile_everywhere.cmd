# The same for every command: no control character comes out.
for command in tools "tools --json" "tools --verbose" plan "plan --json" listing context \
    "search description" "search description --json"; do
    deft $command --catalog data/hostile.json --set toolSearch.enabled=on 2>&1 |
        LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' | sed "s/^/$command: /"
done
