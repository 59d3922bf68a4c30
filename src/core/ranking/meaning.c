#include "core/ranking/meaning.h"

#include "base/memory.h"

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

// Adds a row to the windows that its term is in, and to the whole.
static void add_row(deft__meaning *m, size_t term, uint32_t row)
{
    const size_t last = term / DEFT__WINDOW_STEP;
    if (m->has_windows) {
        deft__sum_add_row(&m->sums[last], m->model, row);
    }
    if (m->has_windows && last > 0) {
        deft__sum_add_row(&m->sums[last - 1], m->model, row);
    }
    deft__sum_add_row(&m->sums[DEFT__WINDOWS_MAX], m->model, row);
}

static void add_grams(deft__meaning *m, size_t term, deft_view stem)
{
    const size_t last = term / DEFT__WINDOW_STEP;
    if (m->has_windows) {
        deft__sum_add_grams(&m->sums[last], m->model, stem);
    }
    if (m->has_windows && last > 0) {
        deft__sum_add_grams(&m->sums[last - 1], m->model, stem);
    }
    deft__sum_add_grams(&m->sums[DEFT__WINDOWS_MAX], m->model, stem);
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
        if (count % DEFT__WINDOW_STEP == 0 && !e->sequence[i].is_whole) {
            m->sums[count / DEFT__WINDOW_STEP] = (deft__sum){{0}};
        }
        const uint32_t row =
            e->sequence[i].is_whole ? deft__model_find(m->model, stem) : row_of(m, e, word, stem);
        if (e->sequence[i].is_whole) {
            if (row != DEFT__MODEL_ROW_NONE && count > 0) {
                add_row(m, count - 1, row); // with its last part
            }
            continue;
        } else if (row == DEFT__MODEL_ROW_NONE) {
            add_grams(m, count, stem);
        } else {
            add_row(m, count, row);
            note_row(m, row);
            const uint32_t phrase = previous != DEFT__MODEL_ROW_NONE
                                        ? deft__model_find_phrase(m->model, previous, row)
                                        : DEFT__MODEL_ROW_NONE;
            if (phrase != DEFT__MODEL_ROW_NONE) {
                add_row(m, count, phrase);
            }
        }
        previous = row;
        count++;
    }
    return count;
}

void deft__meaning_read(deft__meaning *m, const deft__expansion *e, deft_analyzer *analyzer)
{
    m->has_windows             = e->sequence_count > WINDOW_TERMS;
    m->row_count               = 0;
    m->window_count            = 0;
    m->sums[DEFT__WINDOWS_MAX] = (deft__sum){{0}};
    m->term_count              = add_terms(m, e, analyzer);
    const size_t dimensions    = m->model->dimensions;
    deft__vector_from(&m->whole, &m->sums[DEFT__WINDOWS_MAX], dimensions);
    for (size_t start = 0;
         m->term_count > WINDOW_TERMS && start + DEFT__WINDOW_STEP < m->term_count;
         start += DEFT__WINDOW_STEP) {
        deft__vector_from(&m->windows[m->window_count], &m->sums[m->window_count], dimensions);
        m->window_count++;
    }
    for (size_t i = 0; i < DEFT__ROW_CACHE_SIZE; i++) {
        m->cache[i].row = 0;
    }
}

// --- finding tools -------------------------------------------------------------------------

static const int8_t *vector_of(const deft__meaning *m, uint32_t tool)
{
    return m->image->vectors + (size_t)tool * m->image->dimensions;
}

static void offer(const deft__meaning *m, uint32_t tool, deft__best *best)
{
    const uint32_t length = m->image->lengths[tool];
    const int64_t  dot    = deft__dot(m->whole.numbers, vector_of(m, tool), m->image->dimensions);
    if (dot > 0 && length > 0) {
        // At most the query's length in bytes, 127 times 16, as a forged index may say otherwise.
        const int64_t score = dot * 4096 / length;
        deft__best_offer(best, tool,
                         (uint32_t)(score < DEFT__SCORE_MASK ? score : DEFT__SCORE_MASK));
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
    // Vectors lie far apart: the next one is asked for while this one is compared.
    size_t next = deft__find_near(m->distances, 0, image->tool_count, limit);
    while (next < image->tool_count) {
        const uint32_t tool = (uint32_t)next;
        next                = deft__find_near(m->distances, next + 1, image->tool_count, limit);
        if (next < image->tool_count) {
            const int8_t *vector = vector_of(m, (uint32_t)next);
            for (size_t k = 0; k < image->dimensions; k += 64) {
                __builtin_prefetch(vector + k);
            }
        }
        offer(m, tool, best);
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
        for (uint32_t i = 0; i < m->image->tool_count; i++) {
            offer(m, i, &best);
        }
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
    if (known->row == row + 1) {
        return known;
    }
    known->row     = row + 1;
    known->largest = 0;
    for (size_t i = 0; i < m->row_count; i++) {
        const int32_t dot    = deft__dot(deft__model_row(model, row),
                                         deft__model_row(model, m->rows[i]), model->dimensions);
        const int32_t cosine = deft__cosine(dot, model->norms[row], model->norms[m->rows[i]]);
        const int32_t clipped =
            cosine < 0 ? 0 : (cosine < DEFT__COSINE_ONE ? cosine : DEFT__COSINE_ONE);
        known->cosines[i] = (int16_t)clipped;
        known->largest    = (uint32_t)clipped > known->largest ? (uint32_t)clipped : known->largest;
    }
    return known;
}

// How much a row says: its length.
static uint64_t weight_of(const deft_model *model, uint32_t row)
{
    return (uint64_t)model->scales[row] * model->norms[row];
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
    uint64_t query     = 0;
    uint64_t query_met = 0;
    for (size_t k = 0; k < m->row_count; k++) {
        query += weight_of(m->model, m->rows[k]);
        query_met += weight_of(m->model, m->rows[k]) * (uint64_t)nearest[k];
    }
    likeness->name  = name > 0 ? (int32_t)(name_met / name) : 0;
    likeness->query = query > 0 ? (int32_t)(query_met / query) : 0;
}

deft__likeness deft__meaning_of(deft__meaning *m, uint32_t tool)
{
    const int8_t  *vector     = vector_of(m, tool);
    const uint32_t length     = m->image->lengths[tool];
    const size_t   dimensions = m->image->dimensions;
    deft__likeness likeness   = {
          .whole =
              deft__cosine(deft__dot(m->whole.numbers, vector, dimensions), m->whole.length, length),
    };
    likeness.window = likeness.whole;
    for (size_t i = 0; i < m->window_count; i++) {
        const int32_t dot    = deft__dot(m->windows[i].numbers, vector, dimensions);
        const int32_t cosine = deft__cosine(dot, m->windows[i].length, length);
        likeness.window      = i == 0 || cosine > likeness.window ? cosine : likeness.window;
    }
    compare_name(m, tool, &likeness);
    return likeness;
}
