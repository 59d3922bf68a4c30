// query.h - what a query's text asks for, apart from its words: exact tools, servers, words that
// must or must not be there, a pattern, several needs at once.
#ifndef DEFT_CORE_RANKING_QUERY_H
#define DEFT_CORE_RANKING_QUERY_H

#include "deft/error.h"
#include "deft/index.h"

typedef struct deft__query {
    bool      is_selection; // `select:`; then only the names count
    deft_view names[DEFT_QUERY_NAMES_MAX];
    size_t    name_count;

    deft_view servers[DEFT_QUERY_SERVERS_MAX];
    size_t    server_count;
    deft_view required[DEFT_QUERY_TERMS_MAX]; // words after a `+`
    size_t    required_count;
    deft_view excluded[DEFT_QUERY_TERMS_MAX]; // words after a `-`
    size_t    excluded_count;

    bool      is_pattern; // `/pattern/` or `/pattern/i`; then only this counts
    bool      is_caseless;
    deft_view pattern;

    deft_view needs[DEFT_QUERY_NEEDS_MAX]; // "several", "needs": none, or at least two
    size_t    need_count;

    char   words[DEFT_QUERY_SIZE_MAX]; // the rest and the required words, one space between
    size_t words_size;
} deft__query;

// Reads `text`, of which `query` borrows. DEFT_LIMIT with a message when a limit is passed.
deft_status deft__query_parse(deft__query *query, deft_view text, deft_error *error);

// The same where only `select:` has a meaning: everything else is words, as it is.
deft_status deft__query_parse_plain(deft__query *query, deft_view text, deft_error *error);

#endif
