// counting.h - what the rankings share that add up points for words found as substrings.
#ifndef DEFT_TESTS_QUALITY_COUNTING_H
#define DEFT_TESTS_QUALITY_COUNTING_H

#include "quality/baselines/corpus.h"
#include "quality/baselines/words.h"

typedef struct quality_counting {
    quality_corpus *corpus;
    quality_words   words;
    deft_buffer     scratch;
} quality_counting;

void *counting_open(quality_corpus *corpus);
void  counting_close(void *state);

// White space as regular expressions have it, within ASCII.
#define WHITE_SPACE " \t\n\v\f\r"

#endif
