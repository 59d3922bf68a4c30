// topics.h - what a server's tools are about, in a few words from their names.
#ifndef DEFT_CORE_LISTING_TOPICS_H
#define DEFT_CORE_LISTING_TOPICS_H

#include "deft/catalog.h"

// Appends up to six topics, the most common first, joined by ", ": "issue, pull request, file".
// `tools` are indexes of tools of one server. Returns how many topics were written; without memory
// the buffer's status says so.
size_t deft__topics_append(deft_buffer *out, const deft_catalog *catalog, const uint32_t *tools,
                           size_t count);

#endif
