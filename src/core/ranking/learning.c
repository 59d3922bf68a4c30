// Two queries are alike by the words they share: the weight of the stems in both over the weight of
// those in either (Jaccard's measure, with rarities for weights). Words that carry no need do not
// count. A use of a tool after a query that is at least half alike is evidence for the tool:
//
//     evidence = sum over uses of count * likeness^2
//     lift     = 1/4 * evidence / (evidence + 4)
//
// so that four calls after the same query give half of the lift, and no number of calls more than
// all of it. Whole numbers only: the same on every machine.
#include "core/ranking/learning.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/memory.h"
#include "core/analysis/words.h"
#include "core/ranking/searcher.h"

static const uint64_t likeness_full = 1024;
static const uint64_t likeness_min  = 512;
static const uint64_t evidence_half = 4 * 1024; // in likeness_full

typedef struct use {
    uint32_t tool;
    uint32_t count;
    uint32_t weight; // of its stems
} use;

struct deft_learning {
    const deft_index     *index; // borrowed
    const deft_allocator *allocator;
    deft__arena           arena; // all below
    use                  *uses;
    uint32_t              use_count;
    uint32_t             *starts; // per stem, in `uses_of`, and one more
    uint32_t             *uses_of;
};

// --- learning ------------------------------------------------------------------------------

// The stems of all uses, one after another.
typedef struct stem_list {
    uint32_t *items;
    size_t    count;
    size_t    capacity;
} stem_list;

static bool add_stem(stem_list *stems, const deft_allocator *allocator, size_t first, uint32_t stem)
{
    for (size_t i = first; i < stems->count; i++) {
        if (stems->items[i] == stem) {
            return true;
        }
    }
    void *items = stems->items;
    if (!deft__grow(allocator, &items, &stems->capacity, stems->count, sizeof *stems->items)) {
        return false;
    }
    stems->items                 = items;
    stems->items[stems->count++] = stem;
    return true;
}

// Adds the different stems of a query that tools have.
static bool add_query(const deft_learning *learning, deft_analyzer *analyzer, deft_view query,
                      stem_list *stems)
{
    const deft__image *image = &learning->index->image;
    const size_t       first = stems->count;
    size_t             count = 0;
    const deft_term   *terms = deft_analyzer_run(
          analyzer, deft_view_slice(query, 0, DEFT_QUERY_SIZE_MAX), DEFT__QUERY_WORDS_MAX, &count);
    bool is_ok = terms != NULL;
    for (size_t i = 0; is_ok && i < count; i++) {
        const uint32_t stem =
            deft__image_find_stem(image, deft_analyzer_stem(analyzer, terms[i].word));
        if (stem != DEFT__NONE && deft__word_weight(terms[i].word) == DEFT__WORD_WEIGHT_FULL) {
            is_ok = add_stem(stems, learning->allocator, first, stem);
        }
    }
    return is_ok;
}

static bool add_use(deft_learning *learning, deft_analyzer *analyzer, const deft_use *given,
                    stem_list *stems)
{
    const deft__image *image = &learning->index->image;
    const size_t       first = stems->count;
    deft_tool_id       tool  = {0};
    if (given->count == 0 || !deft_catalog_find(learning->index->catalog, given->tool, &tool)) {
        return true;
    }
    if (!add_query(learning, analyzer, given->query, stems)) {
        return false;
    }
    if (stems->count > first) {
        use *added = &learning->uses[learning->use_count++];
        *added     = (use){.tool = tool.index, .count = given->count};
        for (size_t i = first; i < stems->count; i++) {
            added->weight += image->terms[stems->items[i]].idf;
            learning->starts[stems->items[i] + 1]++;
        }
        // Marks where the stems of this use end.
        if (!add_stem(stems, learning->allocator, stems->count, DEFT__NONE)) {
            return false;
        }
    }
    return true;
}

// From stems by use to uses by stem.
static bool sort_stems(deft_learning *learning, const stem_list *stems)
{
    const uint32_t stem_count = learning->index->image.stem_count;
    for (uint32_t i = 0; i < stem_count; i++) {
        learning->starts[i + 1] += learning->starts[i];
    }
    uint32_t *next    = deft__arena_array(&learning->arena, (size_t)stem_count + 1, sizeof *next);
    learning->uses_of = deft__arena_array(&learning->arena, stems->count, sizeof(uint32_t));
    if (next == NULL || learning->uses_of == NULL) {
        return false;
    }
    memcpy(next, learning->starts, ((size_t)stem_count + 1) * sizeof *next);
    uint32_t number = 0;
    for (size_t i = 0; i < stems->count; i++) {
        if (stems->items[i] == DEFT__NONE) {
            number++;
        } else {
            learning->uses_of[next[stems->items[i]]++] = number;
        }
    }
    return true;
}

static deft_status learn(deft_learning *learning, const deft_use *uses, size_t count,
                         deft_error *error)
{
    const deft__image *image = &learning->index->image;
    stem_list          stems = {NULL, 0, 0};
    deft_analyzer     *analyzer =
        deft_analyzer_new(deft_view_of(image->header->language), learning->allocator, error);
    learning->uses = deft__arena_array(&learning->arena, count, sizeof *learning->uses);
    learning->starts =
        deft__arena_array(&learning->arena, (size_t)image->stem_count + 1, sizeof(uint32_t));
    bool is_ok = analyzer != NULL && learning->uses != NULL && learning->starts != NULL;
    for (size_t i = 0; is_ok && i < count; i++) {
        is_ok = add_use(learning, analyzer, &uses[i], &stems);
    }
    is_ok = is_ok && sort_stems(learning, &stems);
    deft__free(learning->allocator, stems.items, stems.capacity * sizeof *stems.items);
    deft_analyzer_free(analyzer);
    return is_ok ? DEFT_OK : deft__fail_memory(error);
}

deft_learning *deft_learning_new(const deft_index *index, const deft_use *uses, size_t count,
                                 const deft_allocator *allocator, deft_error *error)
{
    if (count > DEFT_LEARNING_USES_MAX) {
        deft__fail(error, DEFT_LIMIT, 0, "there are %zu uses; at most %u are accepted", count,
                   DEFT_LEARNING_USES_MAX);
        return NULL;
    }
    deft_learning *learning = deft__new(allocator, sizeof *learning);
    if (learning == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    learning->index     = index;
    learning->allocator = allocator;
    deft__arena_init(&learning->arena, allocator);
    if (learn(learning, uses, count, error) != DEFT_OK) {
        deft_learning_free(learning);
        return NULL;
    }
    return learning;
}

void deft_learning_free(deft_learning *learning)
{
    if (learning != NULL) {
        deft__arena_clear(&learning->arena);
        deft__free(learning->allocator, learning, sizeof *learning);
    }
}

size_t deft_learning_count(const deft_learning *learning)
{
    return learning->use_count;
}

// --- using it ------------------------------------------------------------------------------

void deft__learned_clear(deft__learned *learned, const deft_allocator *allocator)
{
    deft__free(allocator, learned->shared, learned->use_count * sizeof *learned->shared);
    deft__free(allocator, learned->uses, learned->use_count * sizeof *learned->uses);
    deft__free(allocator, learned->evidence, learned->tool_count * sizeof *learned->evidence);
    *learned = (deft__learned){.learning = NULL};
}

deft_status deft__learned_set(deft__learned *learned, const deft_learning *learning,
                              const deft_allocator *allocator)
{
    deft__learned set = {.learning = NULL};
    if (learning != NULL && learning->use_count > 0) {
        set.learning   = learning;
        set.use_count  = learning->use_count;
        set.tool_count = learning->index->document_count;
        set.shared     = deft__new(allocator, set.use_count * sizeof *set.shared);
        set.uses       = deft__new(allocator, set.use_count * sizeof *set.uses);
        set.evidence   = deft__new(allocator, set.tool_count * sizeof *set.evidence);
        if (set.shared == NULL || set.uses == NULL || set.evidence == NULL) {
            deft__learned_clear(&set, allocator);
            return DEFT_OUT_OF_MEMORY;
        }
    }
    deft__learned_clear(learned, allocator);
    *learned = set;
    return DEFT_OK;
}

static bool is_counted(const deft__query_word *word)
{
    return word->stem != DEFT__NONE && deft__word_weight(word->text) == DEFT__WORD_WEIGHT_FULL;
}

// Whether a word of the query counts, and counts first: two forms of a stem are one.
static bool counts_first(const deft__expansion *e, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (e->words[i].stem == e->words[number].stem && is_counted(&e->words[i])) {
            return false;
        }
    }
    return is_counted(&e->words[number]);
}

// Sums up, for each use, the weight of what it shares with the query. Returns how many share any.
static size_t find_shared(deft__learned *learned, const deft__image *image,
                          const deft__expansion *e, uint64_t *weight)
{
    const deft_learning *learning = learned->learning;
    size_t               count    = 0;
    *weight                       = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        if (!counts_first(e, i)) {
            continue;
        }
        const uint32_t stem = e->words[i].stem;
        *weight += image->terms[stem].idf;
        for (uint32_t k = learning->starts[stem]; k < learning->starts[stem + 1]; k++) {
            const uint32_t number = learning->uses_of[k];
            if (learned->shared[number] == 0) {
                learned->uses[count++] = number;
            }
            // At least one, so that a word that all tools have is noticed too.
            learned->shared[number] += image->terms[stem].idf > 0 ? image->terms[stem].idf : 1;
        }
    }
    return count;
}

void deft__learned_weigh(deft__learned *learned, const deft__image *image,
                         const deft__expansion *expansion)
{
    const deft_learning *learning = learned->learning;
    if (learning == NULL) {
        return;
    }
    memset(learned->evidence, 0, learned->tool_count * sizeof *learned->evidence);
    uint64_t     weight = 0;
    const size_t count  = find_shared(learned, image, expansion, &weight);
    for (size_t i = 0; i < count; i++) {
        const use     *used   = &learning->uses[learned->uses[i]];
        const uint64_t shared = learned->shared[learned->uses[i]];
        const uint64_t either = weight + used->weight > shared ? weight + used->weight - shared : 1;
        const uint64_t alike  = likeness_full * shared / either;
        const uint64_t likeness = alike < likeness_full ? alike : likeness_full;
        if (likeness >= likeness_min) {
            learned->evidence[used->tool] += used->count * likeness * likeness / likeness_full;
        }
        learned->shared[learned->uses[i]] = 0;
    }
}

uint64_t deft__learned_lift(const deft__learned *learned, uint32_t tool)
{
    if (learned->learning == NULL) {
        return 0;
    }
    const uint64_t evidence = learned->evidence[tool];
    return 10 * DEFT_LEARNING_LIFT_PERCENT * evidence / (evidence + evidence_half);
}

deft_status deft_searcher_learn(deft_searcher *searcher, const deft_learning *learning,
                                deft_error *error)
{
    if (learning != NULL && learning->index != searcher->index) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "what was learned is for another index; learn again from the uses");
    }
    return deft__learned_set(&searcher->learned, learning, searcher->allocator) == DEFT_OK
               ? DEFT_OK
               : deft__fail_memory(error);
}
