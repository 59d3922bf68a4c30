// synonyms.h - the thesaurus in the numbers of one index.
#ifndef DEFT_CORE_INDEX_SYNONYMS_H
#define DEFT_CORE_INDEX_SYNONYMS_H

#include "base/arena.h"
#include "base/map.h"
#include "core/index/image.h"
#include "deft/analyzer.h"

typedef struct deft__synonyms {
    deft__map keys;        // stem text to entry
    uint16_t *stem_entry;  // per stem of the image: its entry, from 1; 0: none
    uint32_t *entry_start; // groups of an entry, in entry_groups
    uint32_t *entry_groups;
    uint32_t *group_start; // terms of a group, in group_terms
    uint32_t *group_terms;
} deft__synonyms;

// Looks every word of the thesaurus up in `image`. The memory is the arena's, but for the map's.
deft_status deft__synonyms_init(deft__synonyms *synonyms, const deft__image *image,
                                deft_analyzer *analyzer, deft__arena *arena);
void        deft__synonyms_clear(deft__synonyms *synonyms);

// The entry of a stem; `text` is asked for only where the image does not have it (DEFT__NONE). False:
// the thesaurus does not have it.
bool deft__synonyms_find(const deft__synonyms *synonyms, uint32_t stem, deft_view text,
                         uint32_t *entry);

#endif
