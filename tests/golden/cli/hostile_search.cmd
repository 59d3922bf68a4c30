# A description in one line, with what it hides shown.
deft search --catalog data/hostile.json red | cut -c 1-4,20- | grep -o 'esrever.*'
