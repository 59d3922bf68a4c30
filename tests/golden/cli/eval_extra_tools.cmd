# Distractors, packed; those whose id the set has are left out.
printf "%s\n" "{\"id\":\"g2\",\"name\":\"again\"}" "{\"id\":\"x1\",\"server\":\"park\",\"name\":\"mow_the_lawn\",\"description\":\"Mow the lawn of the park, all of the lawn.\"}" | gzip >extra.jsonl.gz
deft eval --ranking bm25 --queries queries --extra-tools extra.jsonl.gz --rankings out.jsonl data/sets/garden | head -n 2
head -n 1 out.jsonl
