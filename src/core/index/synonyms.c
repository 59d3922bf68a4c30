#include "core/index/synonyms.h"

#include "base/memory.h"
#include "core/analysis/thesaurus.h"

// Only single words take part: a phrase would need its words side by side on both sides.
static bool is_single(deft_analyzer *analyzer, deft_view phrase, deft_view *word,
                      deft_status *status)
{
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(analyzer, phrase, 4, &count);
    if (terms == NULL) {
        *status = DEFT_OUT_OF_MEMORY;
        return false;
    }
    *word = count == 1 ? terms[0].word : deft_view_make(NULL, 0);
    return count == 1;
}

typedef struct pairing {
    uint32_t entry;
    uint32_t group;
} pairing;

typedef struct synonym_builder {
    deft__synonyms *synonyms;
    deft__arena    *arena;
    pairing        *pairings; // entry and group, in the order of the groups
    size_t          pairing_count;
    size_t          pairing_capacity;
    uint32_t        entry_count;
} synonym_builder;

static bool add_pairing(synonym_builder *b, deft_view stem, uint32_t group, uint32_t *entry)
{
    if (!deft__map_find(&b->synonyms->keys, stem, entry)) {
        deft_view copy;
        *entry = b->entry_count++;
        if (!deft__arena_copy(b->arena, stem, &copy) ||
            !deft__map_put(&b->synonyms->keys, copy, *entry)) {
            return false;
        }
    }
    void *items = b->pairings;
    if (!deft__grow(b->arena->allocator, &items, &b->pairing_capacity, b->pairing_count,
                    sizeof *b->pairings)) {
        return false;
    }
    b->pairings                     = items;
    b->pairings[b->pairing_count++] = (pairing){*entry, group};
    return true;
}

static bool read_group(synonym_builder *b, const deft__image *image, deft_analyzer *analyzer,
                       uint32_t group, uint32_t *term_count)
{
    deft_status status = DEFT_OK;
    deft_view   rest   = deft__thesaurus_group(group);
    deft_view   phrase;
    while (deft__thesaurus_next(&rest, &phrase)) {
        deft_view word;
        if (is_single(analyzer, phrase, &word, &status)) {
            const deft_view stem  = deft_analyzer_stem(analyzer, word);
            const uint32_t  term  = deft__image_find_stem(image, stem);
            uint32_t        entry = 0;
            if (!add_pairing(b, stem, group, &entry)) {
                return false;
            }
            if (term != DEFT__NONE) {
                b->synonyms->stem_entry[term]             = (uint16_t)(entry + 1);
                b->synonyms->group_terms[(*term_count)++] = term;
            }
        } else if (status != DEFT_OK) {
            return false;
        }
    }
    return true;
}

// From pairs in the order of groups to lists by entry.
static bool sort_pairings(synonym_builder *b)
{
    deft__synonyms *s = b->synonyms;
    s->entry_start    = deft__arena_array(b->arena, (size_t)b->entry_count + 2, sizeof(uint32_t));
    s->entry_groups   = deft__arena_array(b->arena, b->pairing_count + 1, sizeof(uint32_t));
    if (s->entry_start == NULL || s->entry_groups == NULL) {
        return false;
    }
    for (size_t i = 0; i < b->pairing_count; i++) {
        s->entry_start[b->pairings[i].entry + 2]++;
    }
    for (uint32_t i = 2; i < b->entry_count + 2; i++) {
        s->entry_start[i] += s->entry_start[i - 1];
    }
    for (size_t i = 0; i < b->pairing_count; i++) {
        s->entry_groups[s->entry_start[b->pairings[i].entry + 1]++] = b->pairings[i].group;
    }
    return true;
}

deft_status deft__synonyms_init(deft__synonyms *synonyms, const deft__image *image,
                                deft_analyzer *analyzer, deft__arena *arena)
{
    const uint32_t  groups = (uint32_t)deft__thesaurus_count();
    synonym_builder b      = {.synonyms = synonyms, .arena = arena};
    size_t          texts  = 0;
    for (uint32_t g = 0; g < groups; g++) {
        texts += deft__thesaurus_group(g).size;
    }
    *synonyms = (deft__synonyms){
        .group_start = deft__arena_array(arena, (size_t)groups + 1, sizeof(uint32_t)),
        .group_terms = deft__arena_array(arena, texts / 2 + 1, sizeof(uint32_t)),
        .stem_entry  = deft__arena_array(arena, (size_t)image->stem_count + 1, sizeof(uint16_t)),
    };
    deft__map_init(&synonyms->keys, image->header->hash_seed, arena->allocator);

    bool is_ok = synonyms->group_start != NULL && synonyms->group_terms != NULL &&
                 synonyms->stem_entry != NULL;
    uint32_t term_count = 0;
    for (uint32_t g = 0; is_ok && g < groups; g++) {
        is_ok                        = read_group(&b, image, analyzer, g, &term_count);
        synonyms->group_start[g + 1] = term_count;
    }
    is_ok = is_ok && sort_pairings(&b);
    deft__free(arena->allocator, b.pairings, b.pairing_capacity * sizeof *b.pairings);
    if (!is_ok) {
        deft__synonyms_clear(synonyms);
        return DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__synonyms_clear(deft__synonyms *synonyms)
{
    deft__map_clear(&synonyms->keys);
}

bool deft__synonyms_find(const deft__synonyms *synonyms, uint32_t stem, deft_view text,
                         uint32_t *entry)
{
    if (stem == DEFT__NONE) {
        return deft__map_find(&synonyms->keys, text, entry);
    }
    *entry = synonyms->stem_entry[stem] - 1u;
    return synonyms->stem_entry[stem] > 0;
}
