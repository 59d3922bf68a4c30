# What is no model is said with its name.
deft model train; echo $?
deft model --model missing.deftvec; echo $?
DEFT_MODEL=missing.deftvec deft search --catalog data/shop.json radio; echo $?
deft model --model data/shop.json; echo $?
deft eval --model data data/sets/small; echo $?
