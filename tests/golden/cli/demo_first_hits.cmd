# What was asked for is the first hit of each search.
deft demo --json | grep -o '"hits":\["[^"]*"'
