// searching.h - a catalog to search in, and random ones to compare a ranking with its definition.
#ifndef DEFT_TESTS_SEARCHING_H
#define DEFT_TESTS_SEARCHING_H

#include "deft/index.h"
#include "support/random.h"
#include "support/scene.h"

typedef struct test_searching {
    test_scene     scene;
    deft_index    *index;
    deft_searcher *searcher;
} test_searching;

// Two servers with a dozen tools between them.
void test_searching_init(test_searching *searching);

// `count` tools of random words out of a small vocabulary, so that terms are shared and scores tie.
void test_searching_init_random(test_searching *searching, test_random *random, size_t count);
void test_searching_clear(test_searching *searching);

// Appends some random words to `out`, from the same vocabulary.
void test_append_words(deft_buffer *out, test_random *random, size_t count);

// Runs a query with ten hits at most and compares the ids of the hits, joined with one space.
void test_searching_expect(test_searching *searching, deft_ranking ranking, const char *query,
                           const char *ids);

#endif
