# Every key and its value. Proves E2.
deft settings
