// index.h - finds tools. An index is built once from a catalog and never changes: searching it
// needs no lock, and replacing it is a pointer swap. Threads may share an index; a searcher (one
// search's working memory) belongs to one thread.
#ifndef DEFT_INDEX_H
#define DEFT_INDEX_H

#include "deft/catalog.h"
#include "deft/listing.h"
#include "deft/model.h"
#include "deft/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_index    deft_index;
typedef struct deft_searcher deft_searcher;

typedef struct deft_hit {
    deft_tool_id tool;
    float        score; // higher is better; comparable within one search only
} deft_hit;

// What to look for. Beside plain words a text may hold `server:NAME` (only tools of that server),
// `+word` (only tools that have the word) and `-word` (only tools that do not), or be
// `select:NAME,NAME` (exactly these tools, in this order), `/pattern/` or `/pattern/i` (a regular
// expression), or `"one need", "another"` (the best of each in turn; ranking `hybrid`). Ranking
// `keyword` takes the text as it is, except for `select:`; ranking `regex` takes all of it as a
// pattern.
typedef struct deft_query {
    deft_view               text;
    deft_ranking            ranking;
    size_t                  hits_max;
    float                   score_min; // lower scores are no hits; an exact name always is one
    const deft_tool_filter *filter;    // NULL: every tool may be found
} deft_query;

#define DEFT_QUERY_SIZE_MAX    4096u // bytes; a longer query is DEFT_LIMIT
#define DEFT_QUERY_TERMS_MAX   64u   // different terms that count; later ones are ignored
#define DEFT_QUERY_NAMES_MAX   64u   // names after `select:`; more are DEFT_LIMIT
#define DEFT_QUERY_NEEDS_MAX   8u    // needs in quotes; later ones are ignored
#define DEFT_PATTERN_SIZE_MAX  200u  // bytes of a regular expression
#define DEFT_QUERY_SERVERS_MAX 16u   // `server:`; more are DEFT_LIMIT

#define DEFT_RANKING_BIT(ranking) (1u << (ranking))

// What an index is for. Zero in a field means the default.
typedef struct deft_index_options {
    // DEFT_RANKING_BIT of the rankings that will be asked for; 0: all. `hybrid` and `regex` are
    // always there; `bm25` and `keyword` need memory of their own.
    unsigned  rankings;
    deft_view language; // of the stemmer: "english", "german", ... or "none"; empty: english

    // Finds tools that share no word with a query. Must outlive the index; NULL: words alone. Of use
    // with the English stemmer only; with another language it is left out.
    const deft_model *model;
} deft_index_options;

#define DEFT_INDEX_OPTIONS_INIT                                                                    \
    {                                                                                              \
        0, {NULL, 0}, NULL                                                                         \
    }

// Indexes every tool of `catalog`, which the index retains, for all rankings and in English, or as
// `options` (NULL: the same) say. New: free with deft_index_free(). NULL on failure; DEFT_NOT_FOUND:
// there is no such language.
DEFT_API deft_index *deft_index_new(deft_catalog *catalog, const deft_allocator *allocator,
                                    deft_error *error);
DEFT_API deft_index *deft_index_new_with(deft_catalog *catalog, const deft_index_options *options,
                                         const deft_allocator *allocator, deft_error *error);
DEFT_API void        deft_index_free(deft_index *index); // NULL is fine

// Appends the index as bytes that deft_index_open() reads, on machines of the same byte order. On
// failure nothing is appended.
DEFT_API deft_status deft_index_save(const deft_index *index, deft_buffer *out);

// The index of `catalog` that was saved as `bytes`: without building it again, a tenth of the time.
// The bytes, in memory or mapped, are borrowed: they must stay until deft_index_free(). At an
// address that is a multiple of 8 they are used where they are, elsewhere they are copied. Any bytes
// are safe. What `bm25` and `keyword` need is made anew. An empty language in the options is the
// index's own. NULL on failure. DEFT_INVALID: the bytes are no index, damaged, or of another version
// of deft. DEFT_CONFLICT: it is the index of another catalog or language. Build it again then.
DEFT_API deft_index *deft_index_open(deft_catalog *catalog, deft_view bytes,
                                     const deft_index_options *options,
                                     const deft_allocator *allocator, deft_error *error);

// Working memory for searching `index`, which must outlive it. New: free with
// deft_searcher_free().
DEFT_API deft_searcher *deft_searcher_new(const deft_index *index, const deft_allocator *allocator,
                                          deft_error *error);
DEFT_API void           deft_searcher_free(deft_searcher *searcher); // NULL is fine

// Whether this build can rank so.
DEFT_API bool deft_ranking_is_built(deft_ranking ranking);

// Runs one query. Equal scores keep catalog order, so the same query gives the same answer.
// DEFT_LIMIT: the query is too long. DEFT_INVALID: the index was not made to rank so.
DEFT_API deft_status deft_searcher_run(deft_searcher *searcher, const deft_query *query,
                                       deft_error *error);

// The hits of the last run, best first; in ranking `hybrid` a tool whose server has three places
// already stands behind another server's that scores nearly as well. Borrowed: valid until the next
// run or free.
DEFT_API const deft_hit *deft_searcher_hits(const deft_searcher *searcher, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
