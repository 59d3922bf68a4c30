# Files that are not there, or are not files.
deft tools --catalog missing.json
deft tools --catalog data/shop.json/x
mkdir empty
deft tools --catalog empty
ln -s loop loop
deft tools --catalog loop
deft tools --catalog /proc/self/mem
