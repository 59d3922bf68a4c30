#include "quality/baselines/flat.h"

#include <stdlib.h>

quality_flat *flat_new(quality_corpus *corpus, const char *stemmer,
                       void (*read)(quality_flat *flat, const corpus_tool *tool))
{
    quality_flat *flat = must_alloc(sizeof *flat);
    flat->corpus       = corpus;
    if (stemmer != NULL) {
        flat->stemmer = must_stemmer(stemmer);
    }
    words_init(&flat->words);
    deft_buffer_init(&flat->scratch, NULL);
    bag_init(&flat->bag, corpus->count);
    for (uint32_t i = 0; i < corpus->count; i++) {
        words_reset(&flat->words);
        read(flat, &corpus->tools[i]);
        bag_add(&flat->bag, i, &flat->words);
    }
    bag_finish(&flat->bag);
    return flat;
}

void flat_free(void *state)
{
    quality_flat *flat = state;
    if (flat->stemmer != NULL) {
        sb_stemmer_delete(flat->stemmer);
    }
    words_clear(&flat->words);
    deft_buffer_clear(&flat->scratch);
    bag_clear(&flat->bag);
    free(flat);
}
