#include "quality/baselines/counting.h"

#include <stdlib.h>

void *counting_open(quality_corpus *corpus)
{
    quality_counting *counting = must_alloc(sizeof *counting);
    counting->corpus           = corpus;
    words_init(&counting->words);
    deft_buffer_init(&counting->scratch, NULL);
    return counting;
}

void counting_close(void *state)
{
    quality_counting *counting = state;
    words_clear(&counting->words);
    deft_buffer_clear(&counting->scratch);
    free(counting);
}
