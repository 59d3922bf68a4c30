// explain.h - why a search found what it found. An explanation runs a query and accounts for the
// answer: for each hit, which word of the query gave what share of its score through which field;
// for a miss, which words no tool has, which words come near, and what was filtered. Every number
// adds up. An explanation never changes and outlives the searcher; threads may share it.
#ifndef DEFT_EXPLAIN_H
#define DEFT_EXPLAIN_H

#include "deft/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_explanation deft_explanation;

// The texts of a tool that are searched.
typedef enum deft_field {
    DEFT_FIELD_NAME,
    DEFT_FIELD_TITLE,
    DEFT_FIELD_SERVER, // its name and title
    DEFT_FIELD_DESCRIPTION,
    DEFT_FIELD_PARAMETER_NAMES,
    DEFT_FIELD_PARAMETER_DESCRIPTIONS,
    DEFT_FIELD_ENUM_VALUES,
    DEFT_FIELD_INSTRUCTIONS // of the server
} deft_field;

// How a word of the query and a word of a tool came together.
typedef enum deft_match {
    DEFT_MATCH_WORD,      // the very word
    DEFT_MATCH_STEM,      // another form of it: issues for issue
    DEFT_MATCH_SYNONYM,   // means nearly the same: remove for delete
    DEFT_MATCH_CORRECTED, // no tool has the word; this is the nearest one
    DEFT_MATCH_JOINED,    // two words of the query written as one: filesystem for file system
    DEFT_MATCH_HALF,      // no tool has the word; this is a part of it
    DEFT_MATCH_PART,      // ranking keyword: somewhere inside the text
    DEFT_MATCH_PHRASE,    // ranking keyword: all of the query inside the text
    DEFT_MATCH_PATTERN    // a regular expression
} deft_match;

// What one word of the query adds to a tool's score through one field.
typedef struct deft_share {
    deft_view  word;  // of the query; two with a space between for DEFT_MATCH_JOINED
    deft_view  found; // what the field has; empty for DEFT_MATCH_PATTERN
    deft_match match;
    deft_field field;
    double     score;
} deft_share;

// What a score rests on.
typedef enum deft_basis {
    DEFT_BASIS_WORDS,    // the parts of the account add up to it
    DEFT_BASIS_EXACT,    // the query names the tool: a tier above all others, and the parts
    DEFT_BASIS_TURN,     // several needs in one query take turns; the parts are those of the need
    DEFT_BASIS_SELECTED, // `select:`; scores only keep the order of the names
    DEFT_BASIS_SERVER    // `server:` alone: all of its tools alike
} deft_basis;

// Why a tool is a hit or none.
typedef enum deft_outcome {
    DEFT_OUTCOME_HIT,
    DEFT_OUTCOME_NO_WORD,  // it has nothing of what was asked for
    DEFT_OUTCOME_REQUIRED, // it lacks a `+word`
    DEFT_OUTCOME_EXCLUDED, // it has a `-word`
    DEFT_OUTCOME_SERVER,   // it is on another server than `server:` names
    DEFT_OUTCOME_HIDDEN,   // the caller's filter hides it
    DEFT_OUTCOME_FLOOR,    // even the best has too little of the query: words met by chance
    DEFT_OUTCOME_WEAK,     // its score is below score_min, or far below the best
    DEFT_OUTCOME_PLACES    // others are better, and there were no more places
} deft_outcome;

// Where the score of one tool comes from: words + coverage_lift + name_lift + meaning + use_lift + tier.
// With several needs the words of the need are taken apart, not what it means.
typedef struct deft_account {
    deft_tool_id      tool;
    deft_outcome      outcome;
    deft_basis        basis;
    size_t            place;  // among the hits, from 1; 0 when it is none
    double            score;  // as the hit has it, or would have it
    deft_view         need;   // which of several needs; empty where there is one
    const deft_share *shares; // largest first
    size_t            share_count;
    double            words;         // the sum of the shares
    double            coverage;      // how much of the query the tool has, 0 to 1; hybrid
    double            coverage_lift; // what that adds
    double            name_coverage; // how much of the tool's name the query has, 0 to 1; hybrid
    double            name_lift;     // what that adds
    double            meaning;  // what it adds that the tool means something alike; with a model
    double            likeness; // how alike, -1 to 1
    double            use_lift; // what calls after similar queries add (learning.h)
    double            tier;     // for a tool that the query names; 0 for others

    // Stands behind hits with a lower score: its server had its share of the places.
    bool is_moved;
} deft_account;

#define DEFT_NEAR_WORDS_MAX 3u

// What became of one word of the query. Counted are the tools that the caller's filter shows.
typedef struct deft_asked_word {
    deft_view word;
    size_t    tool_count;                 // tools that have it, in any form
    deft_view taken;                      // searched in its place; may be empty
    deft_view nears[DEFT_NEAR_WORDS_MAX]; // where no tool has it: nearest words that tools have
    size_t    near_count;
    bool      is_filler; // the, please: weighs little
} deft_asked_word;

// What happened to the tools that have something of what was asked for. Each is counted once: under
// `hidden` where that holds, else under the first reason of this order.
typedef struct deft_filtering {
    size_t matched;  // all of them
    size_t required; // lack a `+word`
    size_t excluded; // have a `-word`
    size_t server;   // are not on a server that `server:` names
    size_t hidden;   // the caller's filter hides
    size_t left;     // passed; hits are the best of these

    // None of those left is a hit: they have too little of the query, words met by chance.
    bool is_below_floor;
} deft_filtering;

// Runs `query` as deft_searcher_run does, so the searcher has its hits then, and accounts for each
// hit or, where `tool` is not NULL, for that tool, hit or not. New: free with
// deft_explanation_free(). NULL on failure, as deft_searcher_run fails; DEFT_NOT_FOUND: no such
// tool.
DEFT_API deft_explanation *deft_explanation_new(deft_searcher *searcher, const deft_query *query,
                                                const deft_tool_id   *tool,
                                                const deft_allocator *allocator, deft_error *error);
DEFT_API void              deft_explanation_free(deft_explanation *explanation); // NULL is fine

// The parts. Borrowed: valid until the explanation is freed.
DEFT_API const deft_account    *deft_explanation_accounts(const deft_explanation *explanation,
                                                          size_t                 *count);
DEFT_API const deft_asked_word *deft_explanation_words(const deft_explanation *explanation,
                                                       size_t                 *count);
DEFT_API deft_filtering         deft_explanation_filtering(const deft_explanation *explanation);

// All of it as lines for people, or as one JSON object for programs; docs/explain.md has both. With
// the version of the catalog: the same query on the same catalog gives the same text. On failure
// nothing is appended.
DEFT_API deft_status deft_explanation_write(const deft_explanation *explanation, deft_buffer *out);
DEFT_API deft_status deft_explanation_write_json(const deft_explanation *explanation,
                                                 deft_buffer            *out);

// "name", "parameter descriptions", ...; "word", "synonym", ...; "words", "exact", ...; "hit",
// "weak", ... Never NULL, "unknown" for a value outside the enum.
DEFT_API const char *deft_field_name(deft_field field);
DEFT_API const char *deft_match_name(deft_match match);
DEFT_API const char *deft_basis_name(deft_basis basis);
DEFT_API const char *deft_outcome_name(deft_outcome outcome);

#ifdef __cplusplus
}
#endif
#endif
