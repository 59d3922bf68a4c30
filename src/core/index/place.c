#include "core/index/place.h"

#include <stdbool.h>

void deft__placing_add(deft__placing *placing, size_t *count, uint32_t key)
{
    uint32_t *keys = placing->keys;
    size_t    at   = *count;
    if (at < DEFT__PLACING_KEYS) {
        (*count)++;
    } else if (key < keys[DEFT__PLACING_KEYS - 1]) {
        at--;
    } else {
        return;
    }
    for (; at > 0 && keys[at - 1] > key; at--) {
        keys[at] = keys[at - 1];
    }
    keys[at] = key;
}

static bool is_before(const deft__placing *a, const deft__placing *b)
{
    for (int i = 0; i < DEFT__PLACING_KEYS; i++) {
        if (a->keys[i] != b->keys[i]) {
            return a->keys[i] < b->keys[i];
        }
    }
    return a->number < b->number;
}

// Merges the sorted runs [from, middle) and [middle, to) of `in` into `out`.
static void merge(const deft__placing *in, deft__placing *out, size_t from, size_t middle,
                  size_t to)
{
    size_t a = from;
    size_t b = middle;
    for (size_t at = from; at < to; at++) {
        const bool is_first = a < middle && (b == to || is_before(&in[a], &in[b]));
        out[at]             = is_first ? in[a++] : in[b++];
    }
}

// Merge sort from the bottom up: no recursion, the same time whatever the order.
deft__placing *deft__sort_placings(deft__placing *items, deft__placing *spare, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            const size_t middle = from + run < count ? from + run : count;
            const size_t to     = middle + run < count ? middle + run : count;
            merge(items, spare, from, middle, to);
        }
        deft__placing *sorted = spare;
        spare                 = items;
        items                 = sorted;
    }
    return items;
}
