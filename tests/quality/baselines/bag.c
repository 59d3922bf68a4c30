#include "quality/baselines/bag.h"

#include "quality/baselines/corpus.h"

#include <math.h>
#include <stdlib.h>

void bag_init(quality_bag *bag, size_t tool_count)
{
    memset(bag, 0, sizeof *bag);
    deft__arena_init(&bag->arena, NULL);
    deft__map_init(&bag->numbers, 1, NULL);
    bag->lengths    = must_alloc(tool_count * sizeof *bag->lengths);
    bag->tool_count = tool_count;
}

void bag_clear(quality_bag *bag)
{
    for (size_t i = 0; i < bag->term_count; i++) {
        free(bag->terms[i].postings);
    }
    free(bag->terms);
    free(bag->lengths);
    deft__map_clear(&bag->numbers);
    deft__arena_clear(&bag->arena);
}

static bag_term *find_or_add(quality_bag *bag, deft_view word)
{
    uint32_t  number = 0;
    deft_view key    = {NULL, 0};
    if (!deft__map_find(&bag->numbers, word, &number)) {
        number = (uint32_t)bag->term_count;
        bag->terms =
            must_grow(bag->terms, &bag->term_capacity, bag->term_count, sizeof *bag->terms);
        if (!deft__arena_copy(&bag->arena, word, &key) ||
            !deft__map_put(&bag->numbers, key, number)) {
            must(NULL);
        }
        bag->terms[bag->term_count++] = (bag_term){NULL, 0, 0};
    }
    return &bag->terms[number];
}

void bag_add(quality_bag *bag, uint32_t tool, const quality_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        bag_term *term = find_or_add(bag, words_at(words, i));
        if (term->count > 0 && term->postings[term->count - 1].tool == tool) {
            term->postings[term->count - 1].frequency++;
        } else {
            term->postings =
                must_grow(term->postings, &term->capacity, term->count, sizeof *term->postings);
            term->postings[term->count++] = (bag_posting){tool, 1};
        }
    }
    bag->lengths[tool] += (double)words->count;
}

void bag_finish(quality_bag *bag)
{
    double sum = 0;
    for (size_t i = 0; i < bag->tool_count; i++) {
        sum += bag->lengths[i];
    }
    bag->average = bag->tool_count > 0 && sum > 0 ? sum / (double)bag->tool_count : 1;
}

const bag_term *bag_find(const quality_bag *bag, deft_view word)
{
    uint32_t number = 0;
    return deft__map_find(&bag->numbers, word, &number) ? &bag->terms[number] : NULL;
}

double bag_idf(const quality_bag *bag, const bag_term *term, idf_kind kind)
{
    const double df    = term != NULL ? (double)term->count : 0;
    const double ratio = ((double)bag->tool_count - df + 0.5) / (df + 0.5);
    return log(kind == IDF_POSITIVE ? 1 + ratio : ratio);
}

void bag_score(const quality_bag *bag, const quality_words *query, const quality_okapi *okapi,
               double *scores)
{
    const double k1 = okapi->k1;
    const double b  = okapi->b;
    for (size_t i = 0; i < query->count; i++) {
        const bag_term *term = bag_find(bag, words_at(query, i));
        if (term == NULL) {
            continue;
        }
        const double idf = bag_idf(bag, term, okapi->idf);
        for (size_t j = 0; j < term->count; j++) {
            const bag_posting posting = term->postings[j];
            const double      tf      = (double)posting.frequency;
            scores[posting.tool] +=
                idf * tf * (k1 + 1) /
                (tf + k1 * (1 - b + b * bag->lengths[posting.tool] / bag->average));
        }
    }
}
