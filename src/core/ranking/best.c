#include "core/ranking/best.h"

static uint64_t key_of(uint32_t tool, uint32_t sum)
{
    return (uint64_t)(sum & DEFT__SCORE_MASK) << 44 | (uint64_t)~tool << 12 |
           sum >> DEFT__SCORE_BITS;
}

// Puts `key` where the heap's order wants it, at `at` or below.
static void sift_down(uint64_t *keys, size_t count, size_t at, uint64_t key)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && keys[child + 1] < keys[child]) {
            child++;
        }
        if (key <= keys[child]) {
            break;
        }
        keys[at] = keys[child];
        at       = child;
    }
    keys[at] = key;
}

static void sift_up(uint64_t *keys, size_t at, uint64_t key)
{
    while (at > 0 && key < keys[(at - 1) / 2]) {
        keys[at] = keys[(at - 1) / 2];
        at       = (at - 1) / 2;
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
    if (best->count < best->max) {
        sift_up(best->keys, best->count++, key);
    } else {
        sift_down(best->keys, best->count, 0, key);
    }
}
