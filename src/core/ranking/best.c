#include "core/ranking/best.h"

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
    for (size_t at = best->count == best->max ? best->max / 2 : 0; at-- > 0;) {
        sift_down(best->keys, best->count, at, best->keys[at]);
    }
}
