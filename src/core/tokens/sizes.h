// sizes.h - sizes as bytes, so that a program that starts again need not measure again.
#ifndef DEFT_CORE_TOKENS_SIZES_H
#define DEFT_CORE_TOKENS_SIZES_H

#include "deft/sizes.h"

// Appends the sizes of `catalog`, which were measured in this form for this family, as bytes for
// deft__sizes_open() on machines of the same byte order.
deft_status deft__sizes_save(const deft_sizes *sizes, const deft_catalog *catalog, deft_form form,
                             deft_token_family family, deft_buffer *out);

// The sizes that were saved. New: free with deft_sizes_free(). NULL: they are of another catalog, form
// or family, of another version of deft, or no such bytes; or there is no memory. Any bytes are safe.
// Some tools are measured again, so that sizes of another way to measure are found out.
deft_sizes *deft__sizes_open(const deft_catalog *catalog, deft_form form, deft_token_family family,
                             deft_view bytes, const deft_allocator *allocator);

#endif
