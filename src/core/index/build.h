// build.h - makes the image of a catalog.
#ifndef DEFT_CORE_INDEX_BUILD_H
#define DEFT_CORE_INDEX_BUILD_H

#include "core/index/image.h"
#include "deft/analyzer.h"
#include "deft/catalog.h"
#include "deft/model.h"

// With `model` (NULL: none) tools also get vectors. Appends the image of every tool of `catalog` to the empty buffer `out`. Linear in the text.
deft_status deft__index_build(const deft_catalog *catalog, deft_analyzer *analyzer,
                              const deft_model *model, uint64_t hash_seed, deft_buffer *out,
                              deft_error *error);

#endif
