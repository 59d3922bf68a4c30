// spellings.h - finds tools by their whole name, however it is written: create_issue, create-issue,
// createIssue and "create issue" are one name. Several tools may share one.
#ifndef DEFT_CORE_INDEX_SPELLINGS_H
#define DEFT_CORE_INDEX_SPELLINGS_H

#include "base/arena.h"
#include "base/map.h"
#include "core/index/image.h"
#include "deft/catalog.h"

typedef struct deft__spellings {
    deft__map map;  // squeezed name to the first tool
    uint32_t *next; // per tool: the next one of the same name, or DEFT__NONE
} deft__spellings;

// The memory is the arena's, but for the map's. Clear it, also after a failure.
deft_status deft__spellings_init(deft__spellings *spellings, const deft_catalog *catalog,
                                 deft__arena *arena);
void        deft__spellings_clear(deft__spellings *spellings);

// Writes the letters and digits of `text`, in lower case, to `out`, which has room for text.size
// bytes; returns how many there are. Bytes of other alphabets stay as they are.
size_t deft__squeeze(deft_view text, char *out);

// The first tool with this squeezed name, in catalog order; DEFT__NONE when there is none.
uint32_t deft__spellings_find(const deft__spellings *spellings, deft_view squeezed);

#endif
