# needs: model
# The model that finds tools by meaning: built in, none, or a file.
deft model info | sed -E 's/[0-9a-f]{16}/VERSION/; s/^(bytes +)[0-9]+/\1N/'
deft model --json | sed -E 's/"version":"[0-9a-f]{16}"/"version":"V"/; s/"bytes":[0-9]+/"bytes":N/'
DEFT_MODEL=none deft model; echo $?
deft model --json --model none; echo $?
