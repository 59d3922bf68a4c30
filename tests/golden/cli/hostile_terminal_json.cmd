# needs: terminal
# On a terminal JSON has no raw C1 or direction characters either.
script -qec 'deft search --catalog data/hostile.json --json red' /dev/null |
    grep -o '"description":.*esrever[^ ]*'
