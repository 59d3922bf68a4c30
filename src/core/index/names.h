// names.h - finds tools by their whole name, however it is written: create_issue, create-issue,
// createIssue and "create issue" are one name. Several tools may share one.
#ifndef DEFT_CORE_INDEX_NAMES_H
#define DEFT_CORE_INDEX_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "core/index/image.h"
#include "deft/catalog.h"

typedef struct deft__names {
    deft__map map;  // squeezed name to the first tool
    uint32_t *next; // per tool: the next one of the same name, or DEFT__NONE
} deft__names;

// The memory is the arena's, but for the map's. Clear it, also after a failure.
deft_status deft__names_init(deft__names *names, const deft_catalog *catalog, deft__arena *arena);
void        deft__names_clear(deft__names *names);

// Writes the letters and digits of `text`, in lower case, to `out`, which has room for text.size
// bytes; returns how many there are. Bytes of other alphabets stay as they are.
size_t deft__squeeze(deft_view text, char *out);

// The first tool with this squeezed name, in catalog order; DEFT__NONE when there is none.
uint32_t deft__names_find(const deft__names *names, deft_view squeezed);

#endif
