#include "base/nearest.h"

#include <stdint.h>

static char fold(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return (char)(byte - 'A' + 'a');
    } else if (byte == '-') {
        return '_';
    } else {
        return byte;
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Drops what two words have in common at their starts and at their ends: no edit is needed there.
static void strip_common(deft_view *a, deft_view *b)
{
    const size_t shorter = smaller(a->size, b->size);
    size_t       start   = 0;
    size_t       end     = 0; // bytes from the end
    while (start < shorter && fold(a->data[start]) == fold(b->data[start])) {
        start++;
    }
    while (start + end < shorter &&
           fold(a->data[a->size - end - 1]) == fold(b->data[b->size - end - 1])) {
        end++;
    }
    *a = deft_view_slice(*a, start, a->size - end);
    *b = deft_view_slice(*b, start, b->size - end);
}

size_t deft__edit_distance(deft_view a, deft_view b, size_t limit)
{
    a = deft_view_slice(a, 0, DEFT__NEAREST_SIZE_MAX);
    b = deft_view_slice(b, 0, DEFT__NEAREST_SIZE_MAX);

    // Only cells within `limit` of the diagonal can be within it; those beside them count as far.
    limit            = smaller(limit, DEFT__NEAREST_SIZE_MAX);
    const size_t far = limit + 1;
    if ((a.size > b.size ? a.size - b.size : b.size - a.size) > limit) {
        return far;
    }
    if (a.size > 0 && b.size > 0) {
        strip_common(&a, &b);
    }
    if (a.size == 0 || b.size == 0) {
        return a.size + b.size;
    }

    // Three rows of the classic table: two back for swaps, the last one, and the one being made.
    size_t rows[3][DEFT__NEAREST_SIZE_MAX + 2];
    for (size_t j = 0; j <= smaller(b.size, far); j++) {
        rows[0][j] = j;
    }
    size_t last_least = 0; // of the last row
    for (size_t i = 1; i <= a.size; i++) {
        size_t       *row      = rows[i % 3];
        const size_t *last     = rows[(i + 2) % 3];
        const size_t *two_back = rows[(i + 1) % 3];
        const char    x        = fold(a.data[i - 1]);
        const size_t  first    = i > limit ? i - limit : 1;
        const size_t  end      = smaller(b.size, i + limit);

        row[first - 1] = first == 1 ? i : far;
        size_t least   = row[first - 1];
        for (size_t j = first; j <= end; j++) {
            const char y      = fold(b.data[j - 1]);
            size_t     change = last[j - 1] + (x != y);
            size_t     best   = smaller(change, smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == fold(b.data[j - 2]) && fold(a.data[i - 2]) == y) {
                best = smaller(best, two_back[j - 2] + 1);
            }
            row[j] = best;
            least  = smaller(least, best);
        }
        row[end + 1] = far;
        // No row gets below the last one, nor below the one before it and a swap.
        if (least >= far && last_least >= limit) {
            return far;
        }
        last_least = least;
    }
    return smaller(rows[a.size % 3][b.size], far);
}

size_t deft__edit_distance_plausible(size_t size)
{
    if (size < 6) {
        return 1;
    } else if (size < 10) {
        return 2;
    } else {
        return 3;
    }
}
