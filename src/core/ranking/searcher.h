// searcher.h - a searcher's working memory, and how a ranking hands in scores.
#ifndef DEFT_CORE_RANKING_SEARCHER_H
#define DEFT_CORE_RANKING_SEARCHER_H

#include "core/index/index.h"
#include "core/listing/listed.h"
#include "core/ranking/hybrid.h"
#include "core/ranking/learning.h"
#include "core/ranking/query.h"
#include "deft/explain.h"

// What writing a tool's schema found out, for the next time that the tool is found.
typedef struct deft__schema_size {
    uint32_t tokens; // of the schema on one line
    bool     is_known;
    bool     is_one_line; // as it is in the catalog
} deft__schema_size;

struct deft_searcher {
    const deft_index     *index; // borrowed
    const deft_allocator *allocator;
    deft__query           query; // of the run

    float    *scores;          // by tool; 0 where untouched
    uint8_t  *required_counts; // by tool: how many of the required terms it has
    uint32_t *touched;         // tools whose score is not 0
    size_t    touched_count;
    size_t    required_count; // required terms, all different

    deft__hybrid  hybrid;
    deft__learned learned;
    uint32_t      required_terms[DEFT_QUERY_TERMS_MAX]; // stems that a tool must have
    size_t        required_term_count;
    uint32_t      excluded_terms[DEFT_QUERY_TERMS_MAX]; // and must not have
    size_t        excluded_term_count;

    uint64_t best_final;     // of the last words, before lifts for use
    bool     is_below_floor; // the words found tools, but only by chance

    // With several needs, which of them each hit came from.
    uint8_t hit_needs[DEFT_QUERY_NEEDS_MAX * DEFT__CANDIDATES_MIN];

    deft__schema_size *schema_sizes;  // by tool
    deft_token_family  schema_family; // whose tokens these are
    deft__listed       listed;        // what is told where nothing is found

    deft_hit *hits;
    size_t    hit_count;
    size_t    hit_capacity;
};

// Lifts a tool that the query names exactly above every other: a tier, not a boost. No sum of term
// scores comes near: 4,096 bytes hold at most 2,048 terms, and one adds less than
// (k1 + 1) * ln(1 + tools), 41 for ten million tools. Scores stay finite for those who print them.
#define DEFT__EXACT_TIER 1e6F

// Hits of ranking hybrid that score below this share of the best are chaff: a common word, a distant
// synonym. Over the 13 judged query sets it holds six hundredths of a point of recall@5.
#define DEFT__MARGIN_PERCENT 15u

// Whether the last run was ranked as hybrid; `/pattern/` and `server:` alone are not.
bool deft__searcher_is_hybrid(const deft_searcher *searcher, const deft_query *query);

// Why the query or its filter keeps a tool out; DEFT_OUTCOME_HIT: nothing does.
deft_outcome deft__searcher_gate(const deft_searcher *searcher, const deft_query *query,
                                 uint32_t tool);
bool         deft__is_shown(const deft_tool_filter *filter, uint32_t tool);

// Whether a query that is a tool's id or name names this one, in whatever case. `folded` are the
// query's words, folded.
bool deft__is_named(const deft__document *document, deft_view folded);

// Adds to a tool's score. `score` > 0.
void deft__searcher_add(deft_searcher *searcher, uint32_t tool, float score);

// The catalog whose tools are found. Borrowed.
const deft_catalog *deft__searcher_catalog(const deft_searcher *searcher);

// What is known of the schemas of its catalog's tools, by tool, for the caller to fill in.
deft__schema_size *deft__searcher_schema_sizes(deft_searcher *searcher, deft_token_family family);

// The rankings: each scores the query's words. DEFT_OUT_OF_MEMORY is the only failure.
void        deft__rank_keyword(deft_searcher *searcher);
deft_status deft__rank_bm25(deft_searcher *searcher);

// The same for a pattern. DEFT_INVALID, with the place in it, or DEFT_LIMIT where it is too long or
// too costly.
deft_status deft__rank_regex(deft_searcher *searcher, deft_view pattern, bool is_caseless,
                             deft_error *error);

// Takes a score apart. `add` is called with each share of it; false: no memory.
typedef struct deft__share_visitor {
    bool (*add)(void *context, deft_share share);
    void *context;
} deft__share_visitor;

// What each share of a tool's score is, for the last run. Without fields, for bm25: the caller knows
// where in the tool a term is. DEFT_OUT_OF_MEMORY is the only failure of the first two.
deft_status deft__account_keyword(const deft_searcher *searcher, uint32_t tool,
                                  deft__share_visitor visitor);
deft_status deft__account_bm25(deft_searcher *searcher, uint32_t tool, deft__share_visitor visitor);
deft_status deft__account_regex(const deft_searcher *searcher, deft_view pattern, bool is_caseless,
                                uint32_t tool, deft__share_visitor visitor, deft_error *error);

// How much speaks for a candidate of the last run, in 1/1000: see floor.c.
uint64_t deft__evidence_of(const deft__hybrid *h, const deft__candidate *best);

// Whether the best candidate of the last run is there for a reason, rather than by a chance word.
bool deft__is_evident(deft__hybrid *hybrid, const deft__candidate *best);

// Reorders candidates, best first, so that no server takes more than its share of the first `places`
// places; those behind stay in their order.
void deft__spread_servers(const deft_catalog *catalog, deft__candidate *candidates, size_t count,
                          size_t places);

// Tools whose whole name, id or wire name `words` are, or hold: at most `max` of them into `tools`,
// in the order of the query and, within one name, of the catalog.
size_t deft__exact_tools(const deft_index *index, deft_view words, deft_tool_id *tools, size_t max);

#endif
