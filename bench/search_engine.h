// search_engine.h - what search_bench.c measures: ours and those of others, behind one struct. Plain
// C without deft's headers, because one of the others is C++.
#ifndef DEFT_BENCH_SEARCH_ENGINE_H
#define DEFT_BENCH_SEARCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// As many hits as an agent is shown.
#define BENCH_HITS_MAX 10

struct deft_catalog;

// What there is to index: a catalog, and the same texts for those who read plain text. All that
// ours indexes of a tool is in its text, a line for each name, description and so on.
typedef struct bench_corpus {
    struct deft_catalog *catalog;
    const char          *texts;
    const size_t        *ends; // of the text of each tool
    size_t               tool_count;
} bench_corpus;

typedef struct bench_engine {
    char name[40];                              // with its version
    void *(*build)(const bench_corpus *corpus); // NULL: it failed and has said why
    size_t (*size)(void *index);                // bytes
    // Writes the best tools, at most BENCH_HITS_MAX, best first; returns how many.
    size_t (*search)(void *index, const char *query, size_t size, uint32_t *tools);
    void (*free)(void *index);
} bench_engine;

bench_engine bench_engine_deft(void);         // its default ranking
bench_engine bench_engine_deft_meaning(void); // the same with the model that is built in
bench_engine bench_engine_deft_bm25(void);
bench_engine bench_engine_deft_keyword(void);
bench_engine bench_engine_naive(void);
bench_engine bench_engine_fts5(void);
bench_engine bench_engine_xapian(void);

// The image alone, which is all that the default ranking searches: the CPU time to build it and its
// size. The rest of an index is for names.
bool bench_deft_image(const bench_corpus *corpus, double *seconds, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
