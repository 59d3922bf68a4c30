// number.h - decimal numbers as people write them, kept as exact multiples of a unit: 12.5 percent
// in hundredths is 1250. No floating point, so the same text is the same setting everywhere.
#ifndef DEFT_CONFIG_NUMBER_H
#define DEFT_CONFIG_NUMBER_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

// Reads `text` (digits, an optional fraction and exponent, as in JSON; no sign) times 10^decimals,
// rounded to the nearest. False when it is not a number, or above UINT64_MAX. `is_whole` (may be
// NULL) tells whether nothing was rounded off.
bool deft__number_parse(deft_view text, unsigned decimals, uint64_t *value, bool *is_whole);

// Writes value / 10^decimals without needless zeros: 1250 with 2 decimals is "12.5".
void deft__number_write(uint64_t value, unsigned decimals, deft_buffer *out);

#endif
