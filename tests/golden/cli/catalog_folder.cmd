# In a folder, what is no catalog is left out; the rest is used.
mkdir mixed
cp data/shop.json mixed
echo '{"compilerOptions": {}}' >mixed/tsconfig.json
: >mixed/empty.json
echo hidden >mixed/.hidden.json
mkdir mixed/folder.json
deft tools --catalog mixed --servers --set toolSearch.tokenFamily=chars4
deft tools --catalog mixed --servers --quiet >/dev/null
rm mixed/shop.json
deft tools --catalog mixed
