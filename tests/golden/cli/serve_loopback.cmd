# A port alone is one of this machine, as its table of sockets shows (127.0.0.1, the last byte first).
export DEFT_STORE=none HOME=$PWD
echo '{"mcpServers": {}}' >deft.json
for where in 0 :0 localhost:0; do
    mkfifo told
    deft serve --http "$where" 2>told &
    {
        while read -r line && [[ $line != *"on port"* ]]; do :; done
        port=${line//[^0-9]/}
        grep -o "[0-9A-F]*:$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp | cut -d: -f1
        kill %%
        wait %%
        echo "$?"
    } <told
    rm told
done
