#include "core/ranking/meaning.h"

#include "base/memory.h"
#include "core/ranking/scan.h"

// Words of a window. Two neighbours share half of them.
#define WINDOW_TERMS 8u

// Up to so many tools each one is compared; above, only those whose signs agree best. Comparing takes
// some 8 ns a tool, signs 2 ns.
static const uint32_t compared_max = 4096;

// Tools whose signs agree best that are compared then, at least. All of the nearest 64 are among them
// for nearly every query (docs/semantic.md).
static const uint32_t agreeing_min = 512;

// Of so many tools one is looked at to find how far signs may differ.
static const uint32_t sampled_every = 8;

deft_status deft__meaning_init(deft__meaning *meaning, const deft_model *model,
                               const deft__image *image, const deft_allocator *allocator)
{
    meaning->model     = image->dimensions > 0 ? model : NULL;
    meaning->image     = image;
    meaning->allocator = allocator;
    meaning->distances = NULL;
    if (meaning->model != NULL && image->tool_count > compared_max) {
        meaning->distances =
            deft__new(allocator, (size_t)image->tool_count * sizeof *meaning->distances);
        return meaning->distances != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    }
    return DEFT_OK;
}

void deft__meaning_clear(deft__meaning *meaning)
{
    if (meaning->distances != NULL) {
        deft__free(meaning->allocator, meaning->distances,
                   (size_t)meaning->image->tool_count * sizeof *meaning->distances);
    }
    meaning->distances = NULL;
}

// --- reading a query -----------------------------------------------------------------------

// The row of a term. A word without one that no tool has is taken for the nearest that tools have.
static uint32_t row_of(const deft__meaning *m, const deft__expansion *e, deft_view word,
                       deft_view stem)
{
    const uint32_t row = deft__model_find(m->model, stem);
    for (size_t i = 0; row == DEFT__MODEL_ROW_NONE && i < e->word_count; i++) {
        if (e->words[i].corrected != DEFT__NONE && deft_view_equal(e->words[i].text, word)) {
            return m->image->rows[m->image->words[e->words[i].corrected].stem];
        }
    }
    return row;
}

static void note_row(deft__meaning *m, uint32_t row)
{
    for (size_t i = 0; i < m->row_count; i++) {
        if (m->rows[i] == row) {
            return;
        }
    }
    if (m->row_count < DEFT__READ_ROWS_MAX) {
        m->rows[m->row_count++] = row;
    }
}

// What a term is added to: the sum of its step, from which windows and the whole are made in the end, or
// the whole where there are no windows.
static deft__sum *sum_of(deft__meaning *m, size_t term)
{
    return &m->sums[m->has_windows ? term / DEFT__WINDOW_STEP : DEFT__WINDOWS_MAX];
}

static void add_sum(deft__sum *sum, const deft__sum *added)
{
    for (size_t i = 0; i < DEFT__MODEL_DIMENSIONS_MAX; i++) {
        sum->numbers[i] += added->numbers[i];
    }
}

// A window is two steps, the whole all of them.
static void join_steps(deft__meaning *m)
{
    const size_t count = (m->term_count + DEFT__WINDOW_STEP - 1) / DEFT__WINDOW_STEP;
    for (size_t i = 0; i < count; i++) {
        add_sum(&m->sums[DEFT__WINDOWS_MAX], &m->sums[i]);
    }
    for (size_t i = 0; i + 1 < count; i++) {
        add_sum(&m->sums[i], &m->sums[i + 1]);
    }
}

// Sums up the terms; how many there are.
static size_t add_terms(deft__meaning *m, const deft__expansion *e, deft_analyzer *analyzer)
{
    size_t   count    = 0;
    uint32_t previous = DEFT__MODEL_ROW_NONE;
    for (size_t i = 0; i < e->sequence_count && count < DEFT__READ_TERMS_MAX; i++) {
        const deft_view word = e->sequence[i].word;
        const deft_view stem = deft_analyzer_stem(analyzer, word);
        if (!deft__model_counts(stem)) {
            continue;
        }
        if (m->has_windows && count % DEFT__WINDOW_STEP == 0 && !e->sequence[i].is_whole) {
            *sum_of(m, count) = (deft__sum){{0}};
        }
        const uint32_t row =
            e->sequence[i].is_whole ? deft__model_find(m->model, stem) : row_of(m, e, word, stem);
        if (e->sequence[i].is_whole) {
            if (row != DEFT__MODEL_ROW_NONE && count > 0) {
                deft__sum_add_row(sum_of(m, count - 1), m->model, row); // with its last part
            }
            continue;
        } else if (row == DEFT__MODEL_ROW_NONE) {
            deft__sum_add_grams(sum_of(m, count), m->model, stem);
        } else {
            deft__sum_add_row(sum_of(m, count), m->model, row);
            note_row(m, row);
            const uint32_t phrase = previous != DEFT__MODEL_ROW_NONE
                                        ? deft__model_find_phrase(m->model, previous, row)
                                        : DEFT__MODEL_ROW_NONE;
            if (phrase != DEFT__MODEL_ROW_NONE) {
                deft__sum_add_row(sum_of(m, count), m->model, phrase);
            }
        }
        previous = row;
        count++;
    }
    return count;
}

// How much a row says: its length.
static uint64_t weight_of(const deft_model *model, uint32_t row)
{
    return (uint64_t)model->scales[row] * model->norms[row];
}

// Notes what is compared with every candidate.
static void note_readings(deft__meaning *m)
{
    m->weight = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        m->row_numbers[i] = deft__model_row(m->model, m->rows[i]);
        m->weights[i]     = weight_of(m->model, m->rows[i]);
        m->weight += m->weights[i];
    }
    m->readings[0] = m->whole.numbers;
    for (size_t i = 0; i < m->window_count; i++) {
        m->readings[i + 1] = m->windows[i].numbers;
    }
}

void deft__meaning_read(deft__meaning *m, const deft__expansion *e, deft_analyzer *analyzer)
{
    m->question++; // nothing that is known of the rows of the last one holds any more
    m->has_windows             = e->sequence_count > WINDOW_TERMS;
    m->row_count               = 0;
    m->window_count            = 0;
    m->sums[DEFT__WINDOWS_MAX] = (deft__sum){{0}};
    m->term_count              = add_terms(m, e, analyzer);
    const size_t dimensions    = m->model->dimensions;
    if (m->has_windows) {
        join_steps(m);
    }
    deft__vector_from(&m->whole, &m->sums[DEFT__WINDOWS_MAX], dimensions);
    for (size_t start = 0;
         m->term_count > WINDOW_TERMS && start + DEFT__WINDOW_STEP < m->term_count;
         start += DEFT__WINDOW_STEP) {
        deft__vector_from(&m->windows[m->window_count], &m->sums[m->window_count], dimensions);
        m->window_count++;
    }
    note_readings(m);
}

// --- finding tools -------------------------------------------------------------------------

static const int8_t *vector_of(const deft__meaning *m, uint32_t tool)
{
    return m->image->vectors + (size_t)tool * m->image->dimensions;
}

// How near a tool is to the query: among tools, their vectors' lengths set aside.
static uint32_t score_of(int64_t product, uint32_t length)
{
    // At most the query's length in bytes, 127 times 16, as a forged index may say otherwise.
    const int64_t score = product > 0 && length > 0 ? product * 4096 / length : 0;
    return (uint32_t)(score < DEFT__SCORE_MASK ? score : DEFT__SCORE_MASK);
}

// Offers the nearest of the first `count` tools that are to be compared. Which these are is found by
// counting, but for a few: one by one most would be taken in and pushed out again. The others get their
// turn where some of these are not allowed.
static void offer_nearest(deft__meaning *m, size_t count, deft__best *best)
{
    deft__compared *compared = &m->compared;
    for (size_t i = 0; i < count; i++) {
        compared->vectors[i] = vector_of(m, compared->tools[i]);
    }
    deft__dot_each(m->whole.numbers, compared->vectors, count, m->image->dimensions,
                   compared->products);
    for (size_t i = 0; i < count; i++) {
        compared->scores[i] =
            score_of(compared->products[i], m->image->lengths[compared->tools[i]]);
        compared->coarse[i] = (uint16_t)(compared->scores[i] >> (DEFT__SCORE_BITS - 16));
    }
    const uint32_t bar = deft__nth_largest(compared->coarse, count, best->max);
    for (size_t i = 0; i < count; i++) {
        if (compared->coarse[i] >= bar && compared->scores[i] > 0) {
            deft__best_offer(best, compared->tools[i], compared->scores[i]);
        }
    }
    // Enough reach the bar to push out all below it, unless they are not allowed.
    const bool is_short = deft__best_bar(best) >> (DEFT__SCORE_BITS - 16) < bar;
    for (size_t i = 0; i < count && is_short; i++) {
        if (compared->coarse[i] < bar && compared->scores[i] > 0) {
            deft__best_offer(best, compared->tools[i], compared->scores[i]);
        }
    }
}

static void offer_all(deft__meaning *m, deft__best *best)
{
    const uint32_t tool_count = m->image->tool_count;
    for (uint32_t start = 0; start < tool_count; start += DEFT__COMPARED_MAX) {
        const uint32_t left  = tool_count - start;
        const uint32_t count = left < DEFT__COMPARED_MAX ? left : DEFT__COMPARED_MAX;
        for (uint32_t i = 0; i < count; i++) {
            m->compared.tools[i] = start + i;
        }
        offer_nearest(m, count, best);
    }
}

// How far the signs of enough tools differ, of a sample. `is_asked`: only of those that are allowed.
static uint32_t nearest_of(const deft__meaning *m, const deft__best *best, bool is_asked)
{
    const deft__image *image                                  = m->image;
    uint32_t           counts[DEFT__MODEL_DIMENSIONS_MAX + 1] = {0};
    for (uint32_t i = 0; i < image->tool_count; i += sampled_every) {
        counts[m->distances[i]] += !is_asked || best->is_allowed(best->context, i);
    }
    uint32_t limit = 0;
    uint32_t among = counts[0];
    while (among < agreeing_min / sampled_every && limit < image->dimensions) {
        among += counts[++limit];
    }
    return limit;
}

// How far signs may differ. Asking takes longer than counting, and nearly always everything near is
// allowed; where it is not, enough of those are looked for that are: of a few, all.
static uint32_t farthest_of(const deft__meaning *m, const deft__best *best)
{
    const uint32_t limit = nearest_of(m, best, false);
    for (uint32_t i = 0; best->is_allowed != NULL && i < m->image->tool_count; i += sampled_every) {
        if (m->distances[i] <= limit && !best->is_allowed(best->context, i)) {
            return nearest_of(m, best, true);
        }
    }
    return limit;
}

// Offers the tools whose signs agree best with the query's.
static void offer_agreeing(deft__meaning *m, deft__best *best)
{
    const deft__image *image = m->image;
    uint64_t           wanted[DEFT__MODEL_DIMENSIONS_MAX / 64];
    deft__signs_of(m->whole.numbers, image->dimensions, wanted);
    deft__count_differing(image->signs, image->tool_count, wanted, image->dimensions / 64,
                          m->distances);
    const uint32_t limit = farthest_of(m, best);
    for (size_t at = 0; at < image->tool_count;) {
        const size_t count = deft__list_near(m->distances, &at, image->tool_count, limit,
                                             m->compared.tools, DEFT__COMPARED_MAX);
        offer_nearest(m, count, best);
    }
}

size_t deft__meaning_find(deft__meaning *m, uint32_t tools[DEFT__MEANT_MAX],
                          bool (*is_allowed)(void *context, uint32_t tool), void *context)
{
    uint64_t   keys[DEFT__MEANT_MAX];
    deft__best best = {
        .keys = keys, .max = DEFT__MEANT_MAX, .is_allowed = is_allowed, .context = context};
    if (m->whole.length == 0) {
        return 0;
    } else if (m->distances != NULL) {
        offer_agreeing(m, &best);
    } else {
        offer_all(m, &best);
    }
    for (size_t i = 0; i < best.count; i++) {
        tools[i] = deft__best_tool(keys[i]);
    }
    return best.count;
}

// --- looking at one tool -------------------------------------------------------------------

// How like a row is to each of the query's.
static const deft__row_likeness *likeness_of(deft__meaning *m, uint32_t row)
{
    const deft_model   *model = m->model;
    deft__row_likeness *known = &m->cache[row % DEFT__ROW_CACHE_SIZE];
    if (known->question == m->question && known->row == row) {
        return known;
    }
    int32_t products[DEFT__READ_ROWS_MAX];
    deft__dot_each(deft__model_row(model, row), m->row_numbers, m->row_count, model->dimensions,
                   products);
    known->question = m->question;
    known->row      = row;
    known->largest  = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        // Every other product is negative, and a division takes as long as the product.
        const int32_t cosine =
            products[i] > 0 ? deft__cosine(products[i], model->norms[row], model->norms[m->rows[i]])
                            : 0;
        const int32_t clipped = cosine < DEFT__COSINE_ONE ? cosine : DEFT__COSINE_ONE;
        known->cosines[i]     = (int16_t)clipped;
        known->largest = (uint32_t)clipped > known->largest ? (uint32_t)clipped : known->largest;
    }
    return known;
}

// The name of a tool against the query, word by word.
static void compare_name(deft__meaning *m, uint32_t tool, deft__likeness *likeness)
{
    const deft__image *image                        = m->image;
    int16_t            nearest[DEFT__READ_ROWS_MAX] = {0};
    uint64_t           name                         = 0;
    uint64_t           name_met                     = 0;
    for (uint32_t i = image->name_starts[tool]; i < image->name_starts[tool + 1]; i++) {
        const uint32_t row = image->rows[image->name_terms[i]];
        if (row == DEFT__MODEL_ROW_NONE) {
            continue;
        }
        const deft__row_likeness *met = likeness_of(m, row);
        name += weight_of(m->model, row);
        name_met += weight_of(m->model, row) * met->largest;
        for (size_t k = 0; k < m->row_count; k++) {
            nearest[k] = met->cosines[k] > nearest[k] ? met->cosines[k] : nearest[k];
        }
    }
    uint64_t query_met = 0;
    for (size_t k = 0; k < m->row_count; k++) {
        query_met += m->weights[k] * (uint64_t)nearest[k];
    }
    likeness->name  = name > 0 ? (int32_t)(name_met / name) : 0;
    likeness->query = m->weight > 0 ? (int32_t)(query_met / m->weight) : 0;
}

deft__likeness deft__meaning_of(deft__meaning *m, uint32_t tool)
{
    const uint32_t length = m->image->lengths[tool];
    int32_t        products[DEFT__WINDOWS_MAX + 1];
    deft__dot_each(vector_of(m, tool), m->readings, m->window_count + 1, m->image->dimensions,
                   products);
    deft__likeness likeness = {.whole = deft__cosine(products[0], m->whole.length, length)};
    likeness.window         = likeness.whole;
    for (size_t i = 0; i < m->window_count; i++) {
        const int32_t cosine = deft__cosine(products[i + 1], m->windows[i].length, length);
        likeness.window      = i == 0 || cosine > likeness.window ? cosine : likeness.window;
    }
    compare_name(m, tool, &likeness);
    return likeness;
}
