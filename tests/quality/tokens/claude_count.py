"""Counts JSON strings, one a line on stdin, as Claude does; prints one number a line. Uses the
package ctok; argument: the model version whose tokenizer is meant."""
import json
import sys

from ctok import token_count

version = sys.argv[1]
frame = token_count("a", version) - 1  # what a message costs around its text
for line in sys.stdin:
    print(token_count(json.loads(line), version) - frame)
