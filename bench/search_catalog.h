// search_catalog.h - catalogs of any size, and what is asked of them. A catalog is made of a few
// servers' real definitions, repeated with variation: each copy is another product, calls things by
// other names and leaves some out. The same seed gives the same catalog and the same queries.
#ifndef DEFT_BENCH_SEARCH_CATALOG_H
#define DEFT_BENCH_SEARCH_CATALOG_H

#include "bench/search_engine.h"
#include "deft/buffer.h"
#include "deft/catalog.h"

typedef struct bench_base bench_base;

// Reads every *.json of `folder`: an object with `server` and `tools` each. NULL: it failed and has
// said why.
bench_base *bench_base_new(const char *folder);
void        bench_base_free(bench_base *base); // NULL is fine
size_t      bench_base_server_count(const bench_base *base);
size_t      bench_base_tool_count(const bench_base *base);

// A catalog of `tool_count` tools, or one server's worth more. Exits when it cannot be made.
deft_catalog *bench_catalog_new(const bench_base *base, size_t tool_count);

// The texts of all tools, one after another, each ending in a line end. `ends` has room for all.
void bench_catalog_texts(const deft_catalog *catalog, deft_buffer *texts, size_t *ends);

typedef enum bench_query_kind {
    BENCH_QUERY_SHORT,    // 2 to 8 words of a tool, some with a frequent word added
    BENCH_QUERY_SENTENCE, // 10 to 20 words as a person would write them
    BENCH_QUERY_KIND_COUNT
} bench_query_kind;

#define BENCH_QUERY_SIZE_MAX 512

// Writes a query about some tool of the corpus; returns its size. One in twenty has a typo.
size_t bench_query(const bench_corpus *corpus, bench_query_kind kind, uint64_t *random,
                   char query[BENCH_QUERY_SIZE_MAX]);

#endif
