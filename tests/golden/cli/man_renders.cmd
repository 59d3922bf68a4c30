# needs: groff
# groff has nothing to complain about, and the page has its sections.
deft help --man | groff -ww -man -Tutf8 -P-c -rLL=200n | sed 's/.\x08//g' | grep -E '^[A-Z]'
