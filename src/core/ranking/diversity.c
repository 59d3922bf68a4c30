// Keeps one server from filling an answer. A server may take three places; after that a tool of
// another server goes first, if it scores nearly as well. Where nothing else is near, the order
// stays: a need that one server meets in ten ways is that server's.
#include "core/ranking/searcher.h"

static const uint32_t places_per_server = 3;

// Nearly as well: at least nine tenths. Over the judged sets with several servers this share costs
// nothing (recall@5 .8763 -> .8767); at seven tenths it costs .0013.
static const uint64_t near_percent = 90;

static uint32_t server_of(const deft_catalog *catalog, const deft__candidate *candidate)
{
    return deft_catalog_tool(catalog, (deft_tool_id){candidate->tool})->server.index;
}

// How many of the places that are taken a server has. There are few, and counting through them takes no
// branch that could be guessed wrongly.
static uint32_t taken_by(const uint32_t *servers, size_t taken, uint32_t server)
{
    uint32_t count = 0;
    for (size_t i = 0; i < taken; i++) {
        count += servers[i] == server;
    }
    return count;
}

// The next candidate to take a place, from `at` on, where the best one's server has had its share.
static size_t next_of_another(const deft_catalog *catalog, const deft__candidate *candidates,
                              size_t count, size_t at, const uint32_t *servers)
{
    for (size_t i = at + 1; i < count; i++) {
        if (candidates[i].final * 100 < candidates[at].final * near_percent) {
            break;
        }
        if (taken_by(servers, at, server_of(catalog, &candidates[i])) < places_per_server) {
            return i;
        }
    }
    return at;
}

void deft__spread_servers(const deft_catalog *catalog, deft__candidate *candidates, size_t count,
                          size_t places)
{
    uint32_t servers[DEFT__CANDIDATES_MIN]; // of the places taken
    // Beyond this the order no longer matters to anyone.
    const size_t ordered = count < DEFT__CANDIDATES_MIN ? count : DEFT__CANDIDATES_MIN;
    for (size_t at = 0; at < ordered && at < places; at++) {
        servers[at] = server_of(catalog, &candidates[at]);
        if (taken_by(servers, at, servers[at]) >= places_per_server) {
            const size_t          next = next_of_another(catalog, candidates, ordered, at, servers);
            const deft__candidate moved = candidates[next];
            memmove(&candidates[at + 1], &candidates[at], (next - at) * sizeof *candidates);
            candidates[at] = moved;
            servers[at]    = server_of(catalog, &moved);
        }
    }
}
