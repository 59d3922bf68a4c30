// Ranking `keyword`, as PizzaPi documents and does it. The query is folded and cut at white space
// and `_ - : . , ; / \ |`; pieces of one character do not count. For each piece:
//
//     the name is the piece           10, else
//     the name contains it             5
//     the description contains it      3
//     a parameter's name contains it   1
//
// and once: the name contains the whole query 8, the description contains it 4.
#include "base/utf8.h"
#include "core/index/fold.h"
#include "core/ranking/searcher.h"

typedef struct keyword_list {
    char        whole[DEFT_QUERY_SIZE_MAX + 1];  // folded, ends in NUL
    char        pieces[DEFT_QUERY_SIZE_MAX + 1]; // the same with NUL for separators
    const char *starts[DEFT_QUERY_TERMS_MAX];
    size_t      count;
} keyword_list;

static bool is_separator(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') ||
           (byte != '\0' && strchr("_-:.,;/\\|", byte) != NULL);
}

static void cut(keyword_list *keywords, deft_view words)
{
    deft__fold_text(words, keywords->whole);
    keywords->whole[words.size] = '\0';
    memcpy(keywords->pieces, keywords->whole, words.size + 1);
    keywords->count = 0;

    size_t at = 0;
    while (at < words.size && keywords->count < DEFT_QUERY_TERMS_MAX) {
        const size_t start = at;
        while (at < words.size && !is_separator(keywords->pieces[at])) {
            at++;
        }
        keywords->pieces[at] = '\0'; // at most words.size, where one is already
        if (deft__utf8_length(deft_view_make(keywords->pieces + start, at - start)) > 1) {
            keywords->starts[keywords->count++] = keywords->pieces + start;
        }
        at++;
    }
}

// strstr and not a loop of ours: it is linear in the C libraries we build with, also for text
// chosen to make a search slow. Documents hold no NUL inside and one at the end.
static bool contains(deft_view text, const char *piece)
{
    return strstr(text.data, piece) != NULL;
}

// One rule that a tool fulfils.
typedef struct point {
    const char *text; // of the query
    deft_match  match;
    deft_field  field;
    int         score;
} point;

// Most points that a query can make: three for each piece, and two for the whole.
#define POINTS_MAX (3 * DEFT_QUERY_TERMS_MAX + 2)

static size_t points_of(const deft__document *document, const keyword_list *keywords,
                        point points[POINTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < keywords->count; i++) {
        const char *piece = keywords->starts[i];
        if (deft_view_equals(document->name, piece)) {
            points[count++] = (point){piece, DEFT_MATCH_WORD, DEFT_FIELD_NAME, 10};
        } else if (contains(document->name, piece)) {
            points[count++] = (point){piece, DEFT_MATCH_PART, DEFT_FIELD_NAME, 5};
        }
        if (contains(document->description, piece)) {
            points[count++] = (point){piece, DEFT_MATCH_PART, DEFT_FIELD_DESCRIPTION, 3};
        }
        if (contains(document->parameters, piece)) {
            points[count++] = (point){piece, DEFT_MATCH_PART, DEFT_FIELD_PARAMETER_NAMES, 1};
        }
    }
    if (contains(document->name, keywords->whole)) {
        points[count++] = (point){keywords->whole, DEFT_MATCH_PHRASE, DEFT_FIELD_NAME, 8};
    }
    if (contains(document->description, keywords->whole)) {
        points[count++] = (point){keywords->whole, DEFT_MATCH_PHRASE, DEFT_FIELD_DESCRIPTION, 4};
    }
    return count;
}

void deft__rank_keyword(deft_searcher *searcher)
{
    keyword_list keywords;
    cut(&keywords, deft_view_make(searcher->query.words, searcher->query.words_size));
    if (keywords.whole[0] == '\0') {
        return;
    }
    const deft_index *index = searcher->index;
    for (uint32_t i = 0; i < index->document_count; i++) {
        point        points[POINTS_MAX];
        const size_t count = points_of(&index->documents[i], &keywords, points);
        int          score = 0;
        for (size_t k = 0; k < count; k++) {
            score += points[k].score;
        }
        if (score > 0) {
            deft__searcher_add(searcher, i, (float)score);
        }
    }
}

deft_status deft__account_keyword(const deft_searcher *searcher, uint32_t tool,
                                  deft__share_visitor visitor)
{
    keyword_list keywords;
    point        points[POINTS_MAX];
    cut(&keywords, deft_view_make(searcher->query.words, searcher->query.words_size));
    if (keywords.whole[0] == '\0') {
        return DEFT_OK;
    }
    const size_t count = points_of(&searcher->index->documents[tool], &keywords, points);
    for (size_t i = 0; i < count; i++) {
        const deft_view  text  = deft_view_of(points[i].text);
        const deft_share share = {
            .word  = text,
            .found = text,
            .match = points[i].match,
            .field = points[i].field,
            .score = points[i].score,
        };
        if (!visitor.add(visitor.context, share)) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    return DEFT_OK;
}
