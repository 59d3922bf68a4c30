// hybrid.h - the default ranking: BM25F over fields, with words as people and tools use them.
#ifndef DEFT_CORE_RANKING_HYBRID_H
#define DEFT_CORE_RANKING_HYBRID_H

#include "core/ranking/expand.h"
#include "core/ranking/fusion.h"
#include "core/ranking/meaning.h"
#include "core/ranking/score.h"
#include "deft/index.h"

// Tools that are looked at more closely after the first scoring, at least. Enough that what the
// closer look could lift into the first twenty is there (128 give the same on every judged query);
// few enough that it costs little.
#define DEFT__CANDIDATES_MIN 48u

typedef struct deft__candidate {
    uint32_t tool;
    uint32_t score;    // of the first scoring
    uint32_t coverage; // how much of the query's mass it has, in 1/DEFT__COVERAGE_FULL
    uint32_t name;     // how much of its name the query has, in 1/1000
    uint64_t words;    // after the closer look; 0 where only meaning found it
    uint64_t final;    // the same, or with a model together with what the tool means
} deft__candidate;

// What the closer look found, all in 1/1000.
typedef struct deft__lifts {
    uint64_t coverage;      // how much of the query a tool has
    uint64_t coverage_lift; // what it gains by that
    uint64_t name;          // how much of the tool's name the query has
    uint64_t name_lift;     // what it gains by that
} deft__lifts;

// `coverage` in 1/DEFT__COVERAGE_FULL.
deft__lifts deft__lifts_of(const deft__image *image, const deft__expansion *expansion,
                           uint32_t tool, uint32_t coverage);

// The first scoring and the closer look together, and the same as a score: in units of one bit of
// rarity.
uint64_t deft__final_of(uint32_t score, deft__lifts lifts);
double   deft__score_of(uint64_t final);

// The same with a lift in 1/1000 for what was learned from use.
uint64_t deft__lifted(uint64_t final, uint64_t lift);

// With a model, so many at least: among more of them meaning has more to choose from.
#define DEFT__CANDIDATES_FUSED_MIN 96u

// Working memory for one search at a time.
typedef struct deft__hybrid {
    const deft__image    *image;    // borrowed
    const deft__synonyms *synonyms; // borrowed
    const deft_allocator *allocator;
    deft_analyzer        *analyzer;
    deft__expansion       expansion; // of the last run

    deft__scorer  scorer;
    deft__meaning meaning; // of the last run, where there is a model
    deft__fusion  fusion;

    uint8_t         *marks;      // per stem: which word of the query it is, from 1; 0 between runs
    uint64_t         best_words; // the best score by words alone
    deft__candidate *candidates; // best first after a run
    size_t           candidate_count;
    size_t           candidate_capacity;
    uint64_t        *keys; // of the best while tools are scored
    size_t           key_capacity;
} deft__hybrid;

deft_status deft__hybrid_init(deft__hybrid *hybrid, const deft__image *image,
                              const deft__synonyms *synonyms, const deft_model *model,
                              const deft_allocator *allocator, deft_error *error);
void        deft__hybrid_clear(deft__hybrid *hybrid);

// Words and meaning of a candidate of the last run, with a model.
deft__fused deft__hybrid_fuse(deft__hybrid *hybrid, const deft__candidate *candidate);

// Puts the candidates in order again after their final scores changed.
void deft__hybrid_sort(deft__hybrid *hybrid);

// Scores `text` and leaves the best `hits_max` candidates or more, best first. Equal scores keep
// catalog order. `is_allowed` (NULL: all are) is asked before a tool takes a candidate's place.
deft_status deft__hybrid_run(deft__hybrid *hybrid, deft_view text, size_t hits_max,
                             bool (*is_allowed)(void *context, uint32_t tool), void *context);

#endif
