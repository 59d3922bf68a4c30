// Keeps one server from filling an answer. A server may take three places; after that a tool of
// another server goes first, if it scores nearly as well. Where nothing else is near, the order
// stays: a need that one server meets in ten ways is that server's.
#include "core/ranking/searcher.h"

static const uint32_t places_per_server = 3;

// Nearly as well: at least nine tenths. Over the judged sets with several servers this share costs
// nothing (recall@5 .8763 -> .8767); at seven tenths it costs .0013.
static const uint64_t near_percent = 90;

typedef struct places {
    uint32_t servers[DEFT__CANDIDATES_MIN];
    uint32_t taken[DEFT__CANDIDATES_MIN];
    size_t   count;
} places;

static uint32_t *taken_by(places *p, uint32_t server)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->servers[i] == server) {
            return &p->taken[i];
        }
    }
    p->servers[p->count] = server;
    p->taken[p->count]   = 0;
    return &p->taken[p->count++];
}

static uint32_t server_of(const deft_catalog *catalog, const deft__candidate *candidate)
{
    return deft_catalog_tool(catalog, (deft_tool_id){candidate->tool})->server.index;
}

// The next candidate to take a place, from `at` on, where the best one's server has had its share.
static size_t next_of_another(const deft_catalog *catalog, const deft__candidate *candidates,
                              size_t count, size_t at, places *p)
{
    for (size_t i = at + 1; i < count; i++) {
        if (candidates[i].final * 100 < candidates[at].final * near_percent) {
            break;
        }
        if (*taken_by(p, server_of(catalog, &candidates[i])) < places_per_server) {
            return i;
        }
    }
    return at;
}

void deft__spread_servers(const deft_catalog *catalog, deft__candidate *candidates, size_t count,
                          size_t places_wanted)
{
    places p = {.count = 0};
    // Beyond this the order no longer matters to anyone.
    const size_t ordered = count < DEFT__CANDIDATES_MIN ? count : DEFT__CANDIDATES_MIN;
    for (size_t at = 0; at < ordered && at < places_wanted; at++) {
        size_t next = at;
        if (*taken_by(&p, server_of(catalog, &candidates[at])) >= places_per_server) {
            next = next_of_another(catalog, candidates, ordered, at, &p);
        }
        const deft__candidate moved = candidates[next];
        memmove(&candidates[at + 1], &candidates[at], (next - at) * sizeof *candidates);
        candidates[at] = moved;
        ++*taken_by(&p, server_of(catalog, &moved));
    }
}
