// hash.h - a 64-bit keyed hash of bytes (SipHash-2-4 by Aumasson and Bernstein). Names come from
// servers, and a server that could predict the hash could make every lookup slow; with a seed it
// does not know, it cannot.
#ifndef DEFT_BASE_HASH_H
#define DEFT_BASE_HASH_H

#include "deft/view.h"

#include <stdint.h>

uint64_t deft__hash(deft_view bytes, uint64_t seed);

#endif
