# needs: model
# The demonstration needs nothing and ends by itself; figures and ranks may change, the story not.
deft demo <&- | sed -E 's/[0-9][0-9,.]*/N/g; /^    [a-z]/d; s/ +N/ N/g'
