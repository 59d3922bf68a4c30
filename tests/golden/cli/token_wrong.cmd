# A token that is written wrongly is an error, not a token that may do more.
printf '{"http": {"tokens": [\n{"name": "ci", "sha256": "%064d", "tool": ["a::b"]}]}}' 0 >deft.json
deft token list
