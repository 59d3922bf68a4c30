// What many hosts do: every word of the query is looked for in every tool's text as a substring,
// and the tools with most of the words win.
#include "bench/search_engine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

typedef struct index {
    char         *texts; // in lower case, each with a NUL behind it
    const size_t *ends;  // borrowed from the corpus
    size_t        tool_count;
} index;

static void free_index(void *pointer)
{
    index *i = pointer;
    free(i->texts);
    free(i);
}

static void *build(const bench_corpus *corpus)
{
    const size_t total = corpus->ends[corpus->tool_count - 1];
    index       *i     = calloc(1, sizeof *i);
    if (i == NULL || (i->texts = malloc(total)) == NULL) {
        free(i);
        return NULL;
    }
    for (size_t at = 0; at < total; at++) {
        i->texts[at] = (char)tolower((unsigned char)corpus->texts[at]);
    }
    for (size_t tool = 0; tool < corpus->tool_count; tool++) {
        i->texts[corpus->ends[tool] - 1] = '\0'; // every text ends in a line end
    }
    i->ends       = corpus->ends;
    i->tool_count = corpus->tool_count;
    return i;
}

static size_t size(void *pointer)
{
    const index *i = pointer;
    return i->ends[i->tool_count - 1];
}

// Puts a tool into the best ones, kept sorted; the earlier tool wins among equals.
static size_t keep(uint32_t *tools, size_t *scores, size_t count, uint32_t tool, size_t score)
{
    if (score == 0 || (count == BENCH_HITS_MAX && score <= scores[count - 1])) {
        return count;
    }
    size_t at = count < BENCH_HITS_MAX ? count++ : count - 1;
    for (; at > 0 && scores[at - 1] < score; at--) {
        scores[at] = scores[at - 1];
        tools[at]  = tools[at - 1];
    }
    scores[at] = score;
    tools[at]  = tool;
    return count;
}

static size_t search(void *pointer, const char *query, size_t query_size, uint32_t *tools)
{
    const index *i = pointer;
    char         copy[1024];
    const char  *words[WORDS_MAX];
    size_t       word_count = 0;
    size_t       scores[BENCH_HITS_MAX];
    size_t       count = 0;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)query_size, query);
    for (char *at = copy; *at != '\0';) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, " ");
        if (length > 0 && word_count < WORDS_MAX) {
            words[word_count++] = at;
        }
        at += length;
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    for (uint32_t tool = 0; tool < i->tool_count; tool++) {
        const char *text  = i->texts + (tool > 0 ? i->ends[tool - 1] : 0);
        size_t      score = 0;
        for (size_t w = 0; w < word_count; w++) {
            score += strstr(text, words[w]) != NULL;
        }
        count = keep(tools, scores, count, tool, score);
    }
    return count;
}

bench_engine bench_engine_naive(void)
{
    return (bench_engine){"substring scan", build, size, search, free_index};
}
