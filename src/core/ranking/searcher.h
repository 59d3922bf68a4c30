// searcher.h - a searcher's working memory, and how a ranking hands in scores.
#ifndef DEFT_CORE_RANKING_SEARCHER_H
#define DEFT_CORE_RANKING_SEARCHER_H

#include "core/index/index.h"
#include "core/ranking/hybrid.h"
#include "core/ranking/query.h"

struct deft_searcher {
    const deft_index     *index; // borrowed
    const deft_allocator *allocator;
    deft__query           query; // of the run

    float    *scores;          // by tool; 0 where untouched
    uint8_t  *required_counts; // by tool: how many of the required terms it has
    uint32_t *touched;         // tools whose score is not 0
    size_t    touched_count;
    size_t    required_count; // required terms, all different

    deft__hybrid hybrid;
    uint32_t     required_terms[DEFT_QUERY_TERMS_MAX]; // stems that a tool must have
    size_t       required_term_count;
    uint32_t     excluded_terms[DEFT_QUERY_TERMS_MAX]; // and must not have
    size_t       excluded_term_count;

    deft_hit *hits;
    size_t    hit_count;
    size_t    hit_capacity;
};

// Adds to a tool's score. `score` > 0.
void deft__searcher_add(deft_searcher *searcher, uint32_t tool, float score);

// The catalog whose tools are found. Borrowed.
const deft_catalog *deft__searcher_catalog(const deft_searcher *searcher);

// The rankings: each scores the query's words. DEFT_OUT_OF_MEMORY is the only failure.
void        deft__rank_keyword(deft_searcher *searcher);
deft_status deft__rank_bm25(deft_searcher *searcher);

// The same for a pattern. DEFT_INVALID, with the place in it, or DEFT_LIMIT where it is too long or
// too costly.
deft_status deft__rank_regex(deft_searcher *searcher, deft_view pattern, bool is_caseless,
                             deft_error *error);

// Whether the best candidate of the last run is there for a reason, rather than by a chance word.
bool deft__is_evident(const deft__hybrid *hybrid, const deft__candidate *best);

// Reorders candidates, best first, so that no server takes more than its share of the first `places`
// places; those behind stay in their order.
void deft__spread_servers(const deft_catalog *catalog, deft__candidate *candidates, size_t count,
                          size_t places);

// Tools whose whole name, id or wire name `words` are, or hold: at most `max` of them into `tools`,
// in the order of the query and, within one name, of the catalog.
size_t deft__exact_tools(const deft_index *index, deft_view words, deft_tool_id *tools, size_t max);

#endif
