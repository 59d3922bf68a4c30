// sets.h - a directory of a judged set: tools.jsonl, queries.jsonl and further queries_NAME.jsonl,
// each of them possibly compressed (.gz). What is wrong with one stops the program.
#ifndef DEFT_TESTS_QUALITY_SETS_H
#define DEFT_TESTS_QUALITY_SETS_H

#include "eval/metrics.h"
#include "quality/baselines/baseline.h"

#define VARIANTS_MAX 8u

typedef struct quality_variant {
    char           name[128]; // of the set, and behind a colon that of the variant
    deft__eval_set set;
} quality_variant;

typedef struct quality_judged {
    quality_corpus   corpus;
    deft__eval_tools tools;
    uint32_t        *numbers; // of the corpus' tools among those of the set
    quality_variant  variants[VARIANTS_MAX];
    size_t           variant_count;
} quality_judged;

// `extra` are files of further tools, ending in NULL; those whose id the set has are left out.
void judged_read(quality_judged *judged, const char *directory, const char *const *extra);
void judged_clear(quality_judged *judged);

// Appends the content of a file, unpacked.
void read_whole(const char *path, deft_buffer *out);

// Scores a ranking on a variant; `scores` has room for every query.
void judged_run(const quality_judged *judged, const quality_variant *variant,
                const quality_baseline *ranking, void *state, deft__scores *scores);

#endif
