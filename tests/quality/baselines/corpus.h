// corpus.h - the tools of a set as the baselines read them, and what several of them share.
#ifndef DEFT_TESTS_QUALITY_CORPUS_H
#define DEFT_TESTS_QUALITY_CORPUS_H

#include "base/arena.h"
#include "base/map.h"
#include "deft/catalog.h"

typedef struct corpus_tool {
    const deft_tool   *tool;
    const deft_server *server;

    // In lower case.
    deft_view name;
    deft_view wire_name; // mcp__server__tool, as hosts write it; the name where there is no server
    deft_view path;      // server.tool; likewise
    deft_view description;
    deft_view parameters; // their names, a space between them
    deft_view all;        // all of the above and the descriptions of the parameters
} corpus_tool;

// Where a text occurs in a tool.
enum {
    IN_NAME        = 1 << 0,
    IS_NAME        = 1 << 1,
    IN_DESCRIPTION = 1 << 2,
    IN_PARAMETERS  = 1 << 3,
    IN_WIRE_NAME   = 1 << 4,
    ENDS_WIRE_NAME = 1 << 5, // is it, or the part behind its last _ or .
    IN_PATH        = 1 << 6,
    ENDS_PATH      = 1 << 7, // is it, or the part behind its last .
    IN_ALL         = 1 << 8
};

typedef struct occurrence {
    uint32_t tool;
    uint32_t places; // bits of the above
} occurrence;

typedef struct quality_occurrences {
    occurrence *items; // by rising tool
    size_t      count;
    size_t      capacity;
} quality_occurrences;

typedef struct quality_corpus {
    deft_catalog *catalog;
    corpus_tool  *tools;
    size_t        count;
    uint32_t     *by_wire_name; // tools in the order of their names, for those that break ties so
    uint32_t     *by_path;
    double       *scores; // one for each tool, for whoever runs now
    deft__arena   arena;
    deft__map     found; // text to place in `searches`
    quality_occurrences *searches;
    size_t               search_count;
    size_t               search_capacity;
} quality_corpus;

void corpus_init(quality_corpus *corpus, deft_catalog *catalog); // retains it
void corpus_clear(quality_corpus *corpus);

// Where `text` (lower case) occurs as a substring. Borrowed until the next call. Every text is
// looked for once: queries share most of their words.
const quality_occurrences *corpus_find(quality_corpus *corpus, deft_view text);

// All scores 0.
double *corpus_scores(quality_corpus *corpus);

// The tools with the highest scores above `least`, best first. Equal ones come in the order of
// `order` (NULL: of the catalog).
size_t corpus_top(const quality_corpus *corpus, const uint32_t *order, double least,
                  uint32_t *ranked, size_t ranked_max);

bool view_has(deft_view text, deft_view part);

// Ends the program when there is no memory.
void *must(void *memory);
void *must_alloc(size_t size); // zeroed
void *must_grow(void *items, size_t *capacity, size_t count, size_t item_size);

#endif
