// answers.h - what searches were answered with, for when the same is asked again. A modern client begins
// anew with each request, so its answer depends on nothing but the snapshot and what it asks: whoever asks
// the same gets the same. A new snapshot forgets all.
#ifndef DEFT_GATEWAY_ANSWERS_H
#define DEFT_GATEWAY_ANSWERS_H

#include "deft/allocator.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// With four beside one another, one of twelve seeds let five of fifty questions push out each other.
#define DEFT__ANSWERS_MAX         256u         // kept at a time
#define DEFT__ANSWERS_BESIDE      16u          // in each place that a hash can say
#define DEFT__ANSWER_QUESTION_MAX 1024u        // bytes of a question that is kept
#define DEFT__ANSWER_SIZE_MAX     (64u * 1024) // bytes of an answer that is kept
#define DEFT__ANSWERS_SIZE_MAX    (4u << 20)   // bytes of all questions and answers together

typedef struct deft__known_answer {
    uint64_t hash;
    uint64_t used; // when it was last asked for, in questions
    char    *text; // the question, and the answer behind it; NULL: none
    uint32_t question_size;
    uint32_t answer_size;
    uint32_t found_count; // tools in it
    uint32_t text_size;   // bytes of it that a model reads
} deft__known_answer;

typedef struct deft__answers {
    const deft_allocator *allocator;
    uint64_t              seed;
    uint64_t              asked;                    // questions so far
    size_t                size;                     // bytes kept
    deft__known_answer    known[DEFT__ANSWERS_MAX]; // each in the place that its hash says
} deft__answers;

void deft__answers_init(deft__answers *answers, uint64_t seed, const deft_allocator *allocator);
void deft__answers_clear(deft__answers *answers); // it is then as fresh as after init

// What was kept for these arguments. Borrowed until the next call. NULL: nothing.
const deft__known_answer *deft__answers_find(deft__answers *answers, deft_view arguments);
deft_view                 deft__known_result(const deft__known_answer *one); // raw
// Keeps it, in place of the one of its place that nobody has asked for the longest, and of as many
// others as there is no room for beside it. What is too large, or has no memory, is not kept.
void deft__answers_keep(deft__answers *answers, deft_view arguments, deft_view result,
                        size_t found_count, size_t text_size);

#endif
