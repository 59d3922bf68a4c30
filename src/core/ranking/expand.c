#include "core/ranking/expand.h"

#include "base/nearest.h"
#include "core/analysis/words.h"
#include "core/ranking/best.h"
#include "core/ranking/scan.h"

// In 1/256, chosen on the judged sets (docs/ranking.md): what the very form adds to its stem, what
// a near synonym is worth, the same where the word itself is nowhere, and a corrected word.
static const uint64_t form_share          = 77;
static const uint64_t synonym_share       = 51;
static const uint64_t synonym_share_alone = 102;
static const uint64_t corrected_share     = 160;

// Words written apart or together: "file system" and "filesystem".
static const uint64_t split_share  = 160;
static const uint64_t joined_share = 160;

// Adds a term or, where the query has it already, keeps the larger weight.
static void add_term(deft__expansion *e, deft__weighted weighted)
{
    if (weighted.weight == 0) {
        return;
    }
    // Nearly all are new, which one bit of many tells at once.
    const uint32_t hash   = weighted.term * UINT32_C(2654435769) >> 24;
    const uint64_t bit    = UINT64_C(1) << hash % 64;
    const bool     is_new = (e->seen[hash / 64] & bit) == 0;
    e->seen[hash / 64] |= bit;
    for (size_t i = 0; i < e->term_count && !is_new; i++) {
        if (e->terms[i].term == weighted.term) {
            if (weighted.weight > e->terms[i].weight) {
                weighted.mass += e->terms[i].mass;
                e->terms[i] = weighted;
            } else {
                e->terms[i].mass += weighted.mass;
            }
            return;
        }
    }
    if (e->term_count < DEFT__WEIGHTED_MAX) {
        e->terms[e->term_count++] = weighted;
    }
}

// Only letters a to z: distances are counted in bytes, and other scripts slip in other ways.
static bool is_plain(deft_view word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < 'a' || word.data[i] > 'z') {
            return false;
        }
    }
    return true;
}

// The nearest word of the index, for a word that it lacks: one edit in a word of four to seven
// letters, two above. Of several equally near ones the most common. DEFT__NONE: none is near.
static uint32_t nearest_word(const deft__image *image, deft_view word)
{
    if (word.size < 4 || word.size > DEFT__NEAREST_SIZE_MAX || !is_plain(word)) {
        return DEFT__NONE;
    }
    const size_t   limit   = word.size < 8 ? 1 : 2;
    const uint32_t letters = deft__letters_of(word);
    size_t         best    = limit + 1;
    uint32_t       nearest = DEFT__NONE;
    for (size_t at = 0;; at++) {
        // Each edit changes at most two of the letters that a word has.
        at =
            deft__scan_letters(image->letters, at, image->word_count, letters, 2 * (unsigned)limit);
        if (at >= image->word_count) {
            break;
        }
        const uint32_t    i         = (uint32_t)at;
        const deft__word *candidate = &image->words[i];
        if (candidate->text_size + limit < word.size || candidate->text_size > word.size + limit) {
            continue;
        }
        // None that is farther than the nearest so far is of use.
        const size_t distance =
            deft__edit_distance(deft__image_word_text(image, i), word, best < limit ? best : limit);
        if (distance < best || (distance == best && nearest != DEFT__NONE &&
                                image->terms[candidate->stem].count >
                                    image->terms[image->words[nearest].stem].count)) {
            best    = distance;
            nearest = i;
        }
    }
    return best <= limit ? nearest : DEFT__NONE;
}

// How many letters of a word have to change to make it another; SIZE_MAX: too many.
static size_t slip_of(deft_view word, deft_view candidate)
{
    const size_t limit    = deft__edit_distance_plausible(word.size);
    const size_t distance = deft__edit_distance(word, candidate, limit);
    return distance <= limit && distance < word.size ? distance : SIZE_MAX;
}

static bool is_begun_alike(deft_view word, deft_view candidate)
{
    const size_t prefix_size_min = 4;
    return candidate.size >= prefix_size_min && word.size >= prefix_size_min &&
           (deft_view_starts_with(word, candidate) || deft_view_starts_with(candidate, word));
}

// The nearest words found so far, best first.
typedef struct near_list {
    const deft__image *image;
    uint32_t          *words;
    size_t             distances[DEFT_NEAR_WORDS_MAX];
    size_t             count;
    size_t             max;
    bool (*is_shown)(void *context, uint32_t word);
    void *context;
} near_list;

static void take_near(near_list *list, uint32_t word, size_t distance)
{
    const deft__image *image = list->image;
    size_t             at    = list->count;
    // Before those that are farther, and those as far that fewer tools have.
    while (at > 0 && (distance < list->distances[at - 1] ||
                      (distance == list->distances[at - 1] &&
                       image->terms[image->words[word].stem].count >
                           image->terms[image->words[list->words[at - 1]].stem].count))) {
        at--;
    }
    if (at == list->max || (list->is_shown != NULL && !list->is_shown(list->context, word))) {
        return;
    }
    list->count += list->count < list->max;
    const size_t moved = list->count - at - 1;
    memmove(list->words + at + 1, list->words + at, moved * sizeof *list->words);
    memmove(list->distances + at + 1, list->distances + at, moved * sizeof *list->distances);
    list->words[at]     = word;
    list->distances[at] = distance;
}

// Among thousands of words few have nearly the letters of another: only these are looked at. Those that
// begin alike come behind all others, and are looked for where there is room left for them.
size_t deft__near_words(const deft__image *image, deft_view word, uint32_t *words, size_t max,
                        bool (*is_shown)(void *context, uint32_t word), void *context)
{
    const uint32_t letters  = deft__letters_of(word);
    const unsigned bits_max = 2 * (unsigned)deft__edit_distance_plausible(word.size);
    near_list      list     = {.image    = image,
                               .max      = max < DEFT_NEAR_WORDS_MAX ? max : DEFT_NEAR_WORDS_MAX,
                               .is_shown = is_shown,
                               .context  = context};
    list.words              = words;
    for (size_t at = 0; list.max > 0; at++) {
        at = deft__scan_letters(image->letters, at, image->word_count, letters, bits_max);
        if (at >= image->word_count) {
            break;
        }
        const size_t distance = slip_of(word, deft__image_word_text(image, (uint32_t)at));
        if (distance != SIZE_MAX) {
            take_near(&list, (uint32_t)at, distance);
        }
    }
    for (uint32_t i = 0; i < image->word_count && list.count < list.max; i++) {
        const uint32_t shared = image->letters[i] & letters;
        if (shared != letters && shared != image->letters[i]) {
            continue;
        }
        const deft_view candidate = deft__image_word_text(image, i);
        if (is_begun_alike(word, candidate) && slip_of(word, candidate) == SIZE_MAX) {
            take_near(&list, i, candidate.size > word.size ? candidate.size : word.size);
        }
    }
    return list.count;
}

static void add_synonyms(deft__expansion *e, const deft__image *image,
                         const deft__synonyms *synonyms, const deft__query_word *word,
                         deft_view stem, uint32_t number)
{
    uint32_t entry = 0;
    if (!deft__synonyms_find(synonyms, word->stem, stem, &entry)) {
        return;
    }
    const bool     is_alone = word->stem == DEFT__NONE;
    const uint64_t share    = is_alone ? synonym_share_alone : synonym_share;
    const uint64_t own_idf =
        is_alone ? deft__idf(image->tool_count, 0) : image->terms[word->stem].idf;
    for (uint32_t i = synonyms->entry_start[entry]; i < synonyms->entry_start[entry + 1]; i++) {
        const uint32_t group = synonyms->entry_groups[i];
        for (uint32_t k = synonyms->group_start[group]; k < synonyms->group_start[group + 1]; k++) {
            const uint32_t term = synonyms->group_terms[k];
            // A rare synonym of a common word is not worth more than the word itself.
            const uint64_t idf =
                image->terms[term].idf < own_idf ? image->terms[term].idf : own_idf;
            if (term != word->stem) {
                add_term(e, (deft__weighted){
                                .term   = term,
                                .weight = (uint32_t)(idf * word->value * share >> 16),
                                .word   = number,
                                .match  = DEFT_MATCH_SYNONYM,
                            });
            }
        }
    }
}

static void add_word(deft__expansion *e, const deft__image *image, uint32_t number, uint32_t stem,
                     uint32_t form, deft_match match, uint64_t share)
{
    const deft__query_word *word   = &e->words[number];
    const uint64_t          value  = word->value * share >> 8;
    const uint64_t          weight = image->terms[stem].idf * value >> 8;
    const uint64_t          bonus =
        form != DEFT__NONE ? image->terms[form].idf * value * form_share >> 16 : 0;
    const bool is_same = form == stem;
    add_term(e, (deft__weighted){
                    .term   = stem,
                    .weight = (uint32_t)(weight + (is_same ? bonus : 0)),
                    .mass   = (uint32_t)weight,
                    .word   = number,
                    .match  = match,
                });
    if (form != DEFT__NONE && !is_same) {
        add_term(e, (deft__weighted){
                        .term = form, .weight = (uint32_t)bonus, .word = number, .match = match});
    }
    e->mass_known += weight;
}

// A word that no tool has, as two that tools have ("github" where only "GitHubSearch" is written).
// Of several ways to cut, the one whose commoner half is rarest, for that says most. False: there
// is none.
static bool add_halves(deft__expansion *e, const deft__image *image, uint32_t number)
{
    const size_t    half_size_min = 3;
    const deft_view word          = e->words[number].text;
    uint32_t        best[2]       = {DEFT__NONE, DEFT__NONE};
    uint32_t        best_idf      = 0;
    for (size_t cut = half_size_min; cut + half_size_min <= word.size; cut++) {
        const uint32_t left  = deft__image_find_word(image, deft_view_slice(word, 0, cut));
        const uint32_t right = deft__image_find_word(image, deft_view_slice(word, cut, word.size));
        if (left == DEFT__NONE || right == DEFT__NONE) {
            continue;
        }
        const uint32_t left_idf  = image->terms[image->words[left].stem].idf;
        const uint32_t right_idf = image->terms[image->words[right].stem].idf;
        const uint32_t idf       = left_idf < right_idf ? left_idf : right_idf;
        if (best[0] == DEFT__NONE || idf > best_idf) {
            best[0]  = left;
            best[1]  = right;
            best_idf = idf;
        }
    }
    if (best[0] == DEFT__NONE) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        add_word(e, image, number, image->words[best[i]].stem, DEFT__NONE, DEFT_MATCH_HALF,
                 split_share);
    }
    return true;
}

// Two neighbours of the query as the one word that tools have.
static void add_joined(deft__expansion *e, const deft__image *image, uint32_t number)
{
    const deft_view a = e->words[number].text;
    const deft_view b = e->words[number + 1].text;
    char            joined[2 * DEFT_WORD_SIZE_MAX];
    if (e->words[number].value < DEFT__WORD_WEIGHT_FULL ||
        e->words[number + 1].value < DEFT__WORD_WEIGHT_FULL) {
        return;
    }
    memcpy(joined, a.data, a.size);
    memcpy(joined + a.size, b.data, b.size);
    const uint32_t word = deft__image_find_word(image, deft_view_make(joined, a.size + b.size));
    if (word != DEFT__NONE) {
        const deft__term *stem = &image->terms[image->words[word].stem];
        add_term(e, (deft__weighted){
                        .term   = image->words[word].stem,
                        .weight = (uint32_t)(stem->idf * joined_share >> 8),
                        .word   = number,
                        .match  = DEFT_MATCH_JOINED,
                    });
    }
}

// Square roots of 1 to 4, in 1/256: a word said twice counts more, but not twice.
static const uint32_t repeat_value[] = {256, 362, 443, 512};

// The different words of a query. Their values are for how often they are said, so far.
static void collect_words(deft__expansion *e, const deft_term *terms, size_t count)
{
    uint32_t repeats[DEFT__QUERY_WORDS_MAX] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < e->word_count && !deft_view_equal(e->words[k].text, terms[i].word)) {
            k++;
        }
        if (k == e->word_count) {
            if (k == DEFT__QUERY_WORDS_MAX) {
                continue;
            }
            e->words[e->word_count++] = (deft__query_word){
                .text      = terms[i].word,
                .stem      = DEFT__NONE,
                .corrected = DEFT__NONE,
                .is_whole  = terms[i].is_whole,
            };
        }
        repeats[k]++;
    }
    for (size_t k = 0; k < e->word_count; k++) {
        // Every word is there at least once; said oftener than four times it counts as four.
        const uint32_t more = repeats[k] < 2 ? 0 : repeats[k] - 1;
        e->words[k].value   = repeat_value[more < 4 ? more : 3];
    }
}

static void find_words(const deft__expansion *e, const deft__image *image, uint32_t *found)
{
    deft_view texts[DEFT__QUERY_WORDS_MAX];
    for (size_t i = 0; i < e->word_count; i++) {
        texts[i] = e->words[i].text;
    }
    deft__image_find_words(image, texts, e->word_count, found);
}

// A tool that has all of the terms, each as strongly as can be, must still have a score that fits the
// bits for it (best.h), or it would run over into its coverage. An impact is below 256, so the sum
// of the weights bounds every score. A query of 64 words that no two of a million tools share, each
// said four times, would go beyond; all of its weights then shrink alike, which keeps the order.
static void limit_weights(deft__expansion *e)
{
    uint64_t total = 0;
    for (size_t i = 0; i < e->term_count; i++) {
        total += e->terms[i].weight;
    }
    for (size_t i = 0; i < e->term_count && total > DEFT__SCORE_MASK; i++) {
        e->terms[i].weight = (uint32_t)((uint64_t)e->terms[i].weight * DEFT__SCORE_MASK / total);
    }
}

deft_status deft__expand(deft__expansion *e, const deft__image *image,
                         const deft__synonyms *synonyms, deft_analyzer *analyzer, deft_view text)
{
    e->word_count   = 0;
    e->term_count   = 0;
    e->mass_known   = 0;
    e->mass_unknown = 0;
    memset(e->seen, 0, sizeof e->seen);

    uint32_t         all_found[DEFT__QUERY_WORDS_MAX];
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(analyzer, text, 4 * DEFT__QUERY_WORDS_MAX, &count);
    if (terms == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    e->sequence       = terms;
    e->sequence_count = count;
    collect_words(e, terms, count);

    find_words(e, image, all_found);
    for (uint32_t i = 0; i < e->word_count; i++) {
        deft__query_word *word  = &e->words[i];
        const uint32_t    found = all_found[i];
        const uint32_t    weight =
            found != DEFT__NONE ? image->words[found].weight : deft__word_weight(word->text);
        word->value = word->value * weight >> 8;
        word->stem  = found != DEFT__NONE
                          ? image->words[found].stem
                          : deft__image_find_stem(image, deft_analyzer_stem(analyzer, word->text));
        if (word->stem != DEFT__NONE) {
            const uint32_t form = found != DEFT__NONE ? image->words[found].form : DEFT__NONE;
            add_word(e, image, i, word->stem, form, DEFT_MATCH_WORD, 256);
        } else {
            e->mass_unknown += (uint64_t)deft__idf(image->tool_count, 0) * word->value >> 8;
        }
    }
    // After all words of the query have their places, so that an expansion never takes one.
    for (uint32_t i = 0; i < e->word_count; i++) {
        deft__query_word *word = &e->words[i];
        const deft_view   stem = word->stem != DEFT__NONE ? deft_view_make(NULL, 0)
                                                          : deft_analyzer_stem(analyzer, word->text);
        add_synonyms(e, image, synonyms, word, stem, i);
        if (i + 1 < e->word_count) {
            add_joined(e, image, i);
        }
        if (word->stem == DEFT__NONE && !add_halves(e, image, i)) {
            word->corrected = nearest_word(image, word->text);
            if (word->corrected != DEFT__NONE) {
                const deft__word *corrected = &image->words[word->corrected];
                add_word(e, image, i, corrected->stem, DEFT__NONE, DEFT_MATCH_CORRECTED,
                         corrected_share);
            }
        }
    }
    limit_weights(e);
    return DEFT_OK;
}
