// flat.h - what the rankings share that put all texts of a tool into one bag and score it with BM25.
#ifndef DEFT_TESTS_QUALITY_FLAT_H
#define DEFT_TESTS_QUALITY_FLAT_H

#include "quality/baselines/bag.h"
#include "quality/baselines/corpus.h"

typedef struct quality_flat {
    quality_corpus    *corpus;
    quality_bag        bag;
    quality_words      words;
    struct sb_stemmer *stemmer; // NULL: words as they are
    deft_buffer        scratch;
} quality_flat;

// Opens with one bag filled by `read`, which appends the words of a tool.
quality_flat *flat_new(quality_corpus *corpus, const char *stemmer,
                       void (*read)(quality_flat *flat, const corpus_tool *tool));
void          flat_free(void *state);

#endif
