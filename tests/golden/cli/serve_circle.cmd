# A gateway behind a gateway behind a gateway is refused.
DEFT_DEPTH=2 deft serve
