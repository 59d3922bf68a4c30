// set.h - a judged set: which tools there are, what people asked, and which tools would have been
// right. Read from lines of JSON, strictly: a set that is read wrongly gives numbers that look
// right. The tools themselves are not looked at here, only their ids; a tool's number is its place
// among them.
//
//     tools    {"id": "...", ...}
//     queries  {"id", "query", "relevant": [ids]}, and where the source has them
//              "groups": [[ids], ...]   each inner list is one need, which any of them meets;
//                                       without it every relevant tool is a need of its own
//              "grades": {id: grade}    how relevant, for nDCG; above 0
//              "partial": [ids]         near misses: neither right nor wrong
//              "style": "..."           how the query is written, for figures apart
#ifndef DEFT_EVAL_SET_H
#define DEFT_EVAL_SET_H

#include "base/arena.h"
#include "base/map.h"
#include "deft/error.h"

#include <stdint.h>

typedef struct deft__eval_tools {
    deft__arena           arena;
    deft__map             numbers; // id to number
    deft_view            *ids;     // by number
    size_t                count;
    size_t                capacity;
    const deft_allocator *allocator;
} deft__eval_tools;

void deft__eval_tools_init(deft__eval_tools *tools, const deft_allocator *allocator);
void deft__eval_tools_clear(deft__eval_tools *tools);

// Adds the tool with this id; DEFT_DUPLICATE when it is there already.
deft_status deft__eval_tools_add(deft__eval_tools *tools, deft_view id, deft_error *error);

// Adds the tool of each line of `lines`. `label` names them in messages: a file's name. DEFT_INVALID
// or DEFT_DUPLICATE with the line in the message; the tools before it stay added.
deft_status deft__eval_tools_read(deft__eval_tools *tools, deft_view lines, const char *label,
                                  deft_error *error);

bool deft__eval_tools_find(const deft__eval_tools *tools, deft_view id, uint32_t *number);

// Something that is asked for; any of its tools will do.
typedef struct deft__eval_need {
    const uint32_t *tools;
    size_t          tool_count;
} deft__eval_need;

typedef struct deft__eval_grade {
    uint32_t tool;
    double   grade; // above 0
} deft__eval_grade;

typedef struct deft__eval_query {
    deft_view               id;
    deft_view               text;
    deft_view               style; // may be empty
    const deft__eval_need  *needs; // at least one, none of them empty
    size_t                  need_count;
    const deft__eval_grade *grades; // falling; may be none
    size_t                  grade_count;
    const uint32_t         *partial;
    size_t                  partial_count;
} deft__eval_query;

typedef struct deft__eval_set {
    deft__arena           arena;
    deft__eval_query     *queries;
    size_t                count;
    size_t                capacity;
    const deft_allocator *allocator;
} deft__eval_set;

void deft__eval_set_init(deft__eval_set *set, const deft_allocator *allocator);
void deft__eval_set_clear(deft__eval_set *set);

// Reads the queries of `lines`, whose tools must all be among `tools`. Nothing is borrowed.
// DEFT_INVALID, DEFT_NOT_FOUND (no such tool) or DEFT_DUPLICATE with the line in the message; the
// set is then empty.
deft_status deft__eval_set_read(deft__eval_set *set, const deft__eval_tools *tools, deft_view lines,
                                const char *label, deft_error *error);

// Keeps `count` queries, chosen by `seed`, in their old order; all when there are not more.
void deft__eval_set_sample(deft__eval_set *set, size_t count, uint64_t seed);

#endif
