#include "core/ranking/best.h"

#include "core/ranking/scan.h"

#include <string.h>

static uint64_t key_of(uint32_t tool, uint32_t sum)
{
    return (uint64_t)(sum & DEFT__SCORE_MASK) << 44 | (uint64_t)~tool << 12 |
           sum >> DEFT__SCORE_BITS;
}

// Puts `key` where the heap's order wants it, at `at` or below.
static void sift_down(uint64_t *keys, size_t count, size_t at, uint64_t key)
{
    size_t child = 2 * at + 1;
    while (child < count) {
        // The smaller child, without a branch: it would be guessed wrongly every other time.
        const size_t other = child + 1 < count ? child + 1 : child;
        child += keys[other] < keys[child];
        if (key <= keys[child]) {
            break;
        }
        keys[at] = keys[child];
        at       = child;
        child    = 2 * at + 1;
    }
    keys[at] = key;
}

// Keys that are put in order by counting how many are above each, which takes no branch.
#define RANKED_MAX 192u

static void make_heap(uint64_t *keys, size_t count)
{
    uint64_t unsorted[RANKED_MAX];
    uint16_t ranks[RANKED_MAX];
    if (count <= RANKED_MAX) {
        // What ascends is a heap, too.
        memcpy(unsorted, keys, count * sizeof *keys);
        deft__rank_all(unsorted, count, ranks);
        for (size_t i = 0; i < count; i++) {
            keys[count - 1 - ranks[i]] = unsorted[i];
        }
        return;
    }
    for (size_t at = count / 2; at-- > 0;) {
        sift_down(keys, count, at, keys[at]);
    }
}

void deft__best_offer(deft__best *best, uint32_t tool, uint32_t sum)
{
    const uint64_t key = key_of(tool, sum);
    if (best->count == best->max && key < best->keys[0]) {
        return;
    }
    if (best->is_allowed != NULL && !best->is_allowed(best->context, tool)) {
        return;
    }
    if (best->count == best->max) {
        sift_down(best->keys, best->count, 0, key);
        return;
    }
    best->keys[best->count++] = key;
    // As long as there is room the order is of no use; then it is made at once.
    if (best->count == best->max) {
        make_heap(best->keys, best->count);
    }
}
