// Ranking `bm25`: Okapi BM25 over one flat text per tool (name, server, description, parameter
// descriptions). A tool's score is the sum over the query's terms, a repeated term counting again,
// of
//
//     idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average_length))
//     idf = ln(1 + (N - n + 0.5) / (n + 0.5))
//
// where f is how often the tool has the term, n how many of the N tools have it, and lengths are
// in terms. This idf is never negative, so a word that every tool has cannot push a tool down.
#include "core/ranking/searcher.h"

#include <math.h>

// The usual values, and those of the products that publish theirs.
static const double k1 = 1.5;
static const double b  = 0.75;

typedef struct query_term {
    char     text[DEFT_WORD_SIZE_MAX];
    size_t   size;
    unsigned count; // in the query
    bool     is_required;
} query_term;

typedef struct query_terms {
    query_term items[DEFT_QUERY_TERMS_MAX];
    size_t     count;
} query_terms;

static query_term *find_term(query_terms *terms, deft_view text)
{
    for (size_t i = 0; i < terms->count; i++) {
        if (deft_view_equal(deft_view_make(terms->items[i].text, terms->items[i].size), text)) {
            return &terms->items[i];
        }
    }
    return NULL;
}

// NULL when there are too many terms already.
static query_term *find_or_add_term(query_terms *terms, deft_view text)
{
    query_term *found = find_term(terms, text);
    if (found == NULL && terms->count < DEFT_QUERY_TERMS_MAX) {
        found = &terms->items[terms->count++];
        memcpy(found->text, text.data, text.size);
        found->size        = text.size;
        found->count       = 0;
        found->is_required = false;
    }
    return found;
}

static bool count_words(deft_analyzer *analyzer, deft_view text, bool is_required,
                        query_terms *terms)
{
    size_t           count = 0;
    const deft_term *words = deft_analyzer_run(analyzer, text, SIZE_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        query_term *term = words[i].is_whole ? NULL : find_or_add_term(terms, words[i].word);
        if (term != NULL) {
            term->count += is_required ? 0 : 1;
            term->is_required = term->is_required || is_required;
        }
    }
    return words != NULL;
}

// The required words come first, so that a long query cannot crowd them out.
static bool split_query(deft_searcher *searcher, query_terms *terms)
{
    const deft__query *query    = &searcher->query;
    deft_analyzer     *analyzer = searcher->hybrid.analyzer;
    terms->count                = 0;
    for (size_t i = 0; i < query->required_count; i++) {
        if (!count_words(analyzer, query->required[i], true, terms)) {
            return false;
        }
    }
    return count_words(analyzer, deft_view_make(query->words, query->words_size), false, terms);
}

static double idf_of(double tool_count, double posting_count)
{
    return log(1 + (tool_count - posting_count + 0.5) / (posting_count + 0.5));
}

static double term_weight(double f, double length, double average_length)
{
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / average_length));
}

static void score_term(deft_searcher *searcher, const query_term *term)
{
    const deft_index    *index = searcher->index;
    size_t               count = 0;
    const deft__posting *postings =
        deft__index_postings(index, deft_view_make(term->text, term->size), &count);
    const double idf = idf_of(index->document_count, (double)count);

    for (size_t i = 0; i < count; i++) {
        const uint32_t tool   = postings[i].tool;
        const double   length = index->documents[tool].length;
        const double   weight = term_weight(postings[i].count, length, index->length_average);
        deft__searcher_add(searcher, tool, (float)(term->count * idf * weight));
        if (term->is_required) {
            searcher->required_counts[tool]++;
        }
    }
    searcher->required_count += term->is_required ? 1 : 0;
}

deft_status deft__rank_bm25(deft_searcher *searcher)
{
    query_terms terms;
    if (!split_query(searcher, &terms)) {
        return DEFT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < terms.count; i++) {
        score_term(searcher, &terms.items[i]);
    }
    return DEFT_OK;
}

// How often a tool has a term; postings are in catalog order.
static uint32_t count_in(const deft_index *index, deft_view term, uint32_t tool, size_t *tool_count)
{
    const deft__posting *postings = deft__index_postings(index, term, tool_count);
    size_t               low      = 0;
    size_t               high     = *tool_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (postings[middle].tool < tool) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < *tool_count && postings[low].tool == tool ? postings[low].count : 0;
}

deft_status deft__account_bm25(deft_searcher *searcher, uint32_t tool, deft__share_visitor visitor)
{
    const deft_index *index = searcher->index;
    query_terms       terms;
    if (!split_query(searcher, &terms)) {
        return DEFT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < terms.count; i++) {
        const query_term *term       = &terms.items[i];
        const deft_view   text       = deft_view_make(term->text, term->size);
        size_t            tool_count = 0;
        const uint32_t    count      = count_in(index, text, tool, &tool_count);
        const double      length     = index->documents[tool].length;
        if (count == 0 || term->count == 0) {
            continue;
        }
        const deft_share share = {
            .word  = text,
            .found = text,
            .match = DEFT_MATCH_WORD,
            .score = term->count * idf_of(index->document_count, (double)tool_count) *
                     term_weight(count, length, index->length_average),
        };
        if (!visitor.add(visitor.context, share)) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    return DEFT_OK;
}
