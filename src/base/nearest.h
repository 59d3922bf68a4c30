// nearest.h - "did you mean": how far apart two words are.
#ifndef DEFT_BASE_NEAREST_H
#define DEFT_BASE_NEAREST_H

#include "deft/view.h"

// Longer words are compared by their first bytes only.
#define DEFT__NEAREST_SIZE_MAX 64

// How many letters must be added, dropped, changed or swapped with a neighbour to turn `a` into
// `b` (optimal string alignment), upper and lower case being equal, `_` and `-` too. More than
// `limit` is returned as `limit + 1`.
size_t deft__edit_distance(deft_view a, deft_view b, size_t limit);

// How many edits still make a plausible slip in a word of `size` bytes: 1 below six bytes, 2
// below ten, 3 above.
size_t deft__edit_distance_plausible(size_t size);

#endif
