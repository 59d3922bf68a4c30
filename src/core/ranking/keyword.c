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

static float score_of(const deft__document *document, const keyword_list *keywords)
{
    int score = 0;
    for (size_t i = 0; i < keywords->count; i++) {
        const char *piece = keywords->starts[i];
        if (deft_view_equals(document->name, piece)) {
            score += 10;
        } else if (contains(document->name, piece)) {
            score += 5;
        }
        score += contains(document->description, piece) ? 3 : 0;
        score += contains(document->parameters, piece) ? 1 : 0;
    }
    score += contains(document->name, keywords->whole) ? 8 : 0;
    score += contains(document->description, keywords->whole) ? 4 : 0;
    return (float)score;
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
        const float score = score_of(&index->documents[i], &keywords);
        if (score > 0) {
            deft__searcher_add(searcher, i, score);
        }
    }
}
