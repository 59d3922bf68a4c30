// wiping.h - an allocator for memory in which secrets may stand: whatever is given back to it, or left
// behind by a buffer that grows, is overwritten first.
#ifndef DEFT_CRYPTO_WIPING_H
#define DEFT_CRYPTO_WIPING_H

#include "deft/allocator.h"

// Takes its memory from `base`, which must outlive it; NULL: the heap. Kept by whoever asks for it, at a
// place that does not move while anything is made with it.
deft_allocator deft__wiping_allocator(const deft_allocator *base);

#endif
