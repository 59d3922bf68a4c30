# Without a catalog every command that needs one says how to give one.
for command in tools context plan listing "search x"; do
    deft $command
    echo $?
done
