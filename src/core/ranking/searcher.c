// One search: read the query, let a ranking score, keep the best.
#include "core/ranking/searcher.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/index/fold.h"

#include <assert.h>

deft_searcher *deft_searcher_new(const deft_index *index, const deft_allocator *allocator,
                                 deft_error *error)
{
    deft_searcher *searcher = deft__new(allocator, sizeof *searcher);
    if (searcher == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    const size_t count  = index->document_count;
    searcher->index     = index;
    searcher->allocator = allocator;
    deft__listed_init(&searcher->listed, allocator);
    searcher->scores  = deft__new(allocator, (count + 1) * sizeof *searcher->scores);
    searcher->touched = deft__new(allocator, (count + 1) * sizeof *searcher->touched);
    searcher->required_counts =
        deft__new(allocator, (count + 1) * sizeof *searcher->required_counts);
    searcher->schema_sizes = deft__new(allocator, (count + 1) * sizeof *searcher->schema_sizes);
    if (searcher->scores == NULL || searcher->touched == NULL ||
        searcher->required_counts == NULL || searcher->schema_sizes == NULL ||
        deft__hybrid_init(&searcher->hybrid, &index->image, &index->synonyms, index->model,
                          allocator, NULL) != DEFT_OK) {
        deft_searcher_free(searcher);
        deft__fail_memory(error);
        return NULL;
    }
    return searcher;
}

void deft_searcher_free(deft_searcher *searcher)
{
    if (searcher == NULL) {
        return;
    }
    const deft_allocator *allocator = searcher->allocator;
    const size_t          count     = searcher->index->document_count + (size_t)1;
    deft__listed_clear(&searcher->listed);
    deft__learned_clear(&searcher->learned, allocator);
    deft__hybrid_clear(&searcher->hybrid);
    deft__free(allocator, searcher->hits, searcher->hit_capacity * sizeof *searcher->hits);
    deft__free(allocator, searcher->schema_sizes, count * sizeof *searcher->schema_sizes);
    deft__free(allocator, searcher->required_counts, count * sizeof *searcher->required_counts);
    deft__free(allocator, searcher->touched, count * sizeof *searcher->touched);
    deft__free(allocator, searcher->scores, count * sizeof *searcher->scores);
    deft__free(allocator, searcher, sizeof *searcher);
}

deft__schema_size *deft__searcher_schema_sizes(deft_searcher *searcher, deft_token_family family)
{
    if (searcher->schema_family != family) {
        memset(searcher->schema_sizes, 0,
               searcher->index->document_count * sizeof *searcher->schema_sizes);
        searcher->schema_family = family;
    }
    return searcher->schema_sizes;
}

bool deft_ranking_is_built(deft_ranking ranking)
{
    return ranking == DEFT_RANKING_HYBRID || ranking == DEFT_RANKING_BM25 ||
           ranking == DEFT_RANKING_KEYWORD || ranking == DEFT_RANKING_REGEX;
}

const deft_catalog *deft__searcher_catalog(const deft_searcher *searcher)
{
    return searcher->index->catalog;
}

const deft_hit *deft_searcher_hits(const deft_searcher *searcher, size_t *count)
{
    *count = searcher->hit_count;
    return searcher->hits;
}

void deft__searcher_add(deft_searcher *searcher, uint32_t tool, float score)
{
    assert(score >= 0);
    if (searcher->scores[tool] == 0 && score > 0) {
        searcher->touched[searcher->touched_count++] = tool;
    }
    searcher->scores[tool] += score;
}

// Forgets the last run, at the cost of what it touched.
static void forget(deft_searcher *searcher)
{
    for (size_t i = 0; i < searcher->touched_count; i++) {
        const uint32_t tool             = searcher->touched[i];
        searcher->scores[tool]          = 0;
        searcher->required_counts[tool] = 0;
    }
    searcher->touched_count = 0;
    searcher->hit_count     = 0;
}

// Better: a higher score, or the earlier one of two equals.
static bool is_better(deft_hit a, deft_hit b)
{
    return a.score > b.score || (!(a.score < b.score) && a.tool.index < b.tool.index);
}

// hits[0 .. count) is a heap with its worst hit on top; restores that below `at`.
static void sift_down(deft_hit *hits, size_t count, size_t at)
{
    while (true) {
        size_t worst = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            if (is_better(hits[worst], hits[child])) {
                worst = child;
            }
        }
        if (worst == at) {
            return;
        }
        const deft_hit moved = hits[at];
        hits[at]             = hits[worst];
        hits[worst]          = moved;
        at                   = worst;
    }
}

static void sift_up(deft_hit *hits, size_t at)
{
    while (at > 0 && is_better(hits[(at - 1) / 2], hits[at])) {
        const size_t   parent = (at - 1) / 2;
        const deft_hit moved  = hits[at];
        hits[at]              = hits[parent];
        hits[parent]          = moved;
        at                    = parent;
    }
}

// Keeps `hit` if it is among the best `hits_max` so far; there is room for that many.
static void keep(deft_searcher *searcher, deft_hit hit, size_t hits_max)
{
    if (searcher->hit_count < hits_max) {
        searcher->hits[searcher->hit_count] = hit;
        sift_up(searcher->hits, searcher->hit_count++);
    } else if (is_better(hit, searcher->hits[0])) {
        searcher->hits[0] = hit;
        sift_down(searcher->hits, searcher->hit_count, 0);
    }
}

// From heap to best first.
static void sort_hits(deft_searcher *searcher)
{
    for (size_t count = searcher->hit_count; count > 1; count--) {
        const deft_hit worst      = searcher->hits[0];
        searcher->hits[0]         = searcher->hits[count - 1];
        searcher->hits[count - 1] = worst;
        sift_down(searcher->hits, count - 1, 0);
    }
}

bool deft__is_shown(const deft_tool_filter *filter, uint32_t tool)
{
    return filter == NULL || filter->is_shown == NULL ||
           filter->is_shown(filter->context, (deft_tool_id){tool});
}

static bool is_folded_equal(deft_view a, deft_view b)
{
    char folded_a[DEFT_NAME_SIZE_MAX];
    char folded_b[DEFT_NAME_SIZE_MAX];
    if (a.size != b.size || a.size > sizeof folded_a) {
        return deft_view_equal(a, b);
    }
    deft__fold_text(a, folded_a);
    deft__fold_text(b, folded_b);
    return memcmp(folded_a, folded_b, a.size) == 0;
}

// Whether the query's `server:` words allow a tool.
static bool is_on_server(const deft_searcher *searcher, uint32_t number)
{
    const deft__query *query = &searcher->query;
    if (query->server_count == 0) {
        return true;
    }
    const deft_catalog *catalog = searcher->index->catalog;
    const deft_tool    *tool    = deft_catalog_tool(catalog, (deft_tool_id){number});
    const deft_view     name    = deft_catalog_server(catalog, tool->server)->name;
    for (size_t i = 0; i < query->server_count; i++) {
        if (is_folded_equal(query->servers[i], name)) {
            return true;
        }
    }
    return false;
}

// `server:github` alone asks for all of its tools.
static void score_servers(deft_searcher *searcher)
{
    for (uint32_t i = 0; i < searcher->index->document_count; i++) {
        if (is_on_server(searcher, i)) {
            deft__searcher_add(searcher, i, 1);
        }
    }
}

bool deft__is_named(const deft__document *document, deft_view folded)
{
    return deft_view_equal(document->name, folded) || deft_view_equal(document->id, folded) ||
           deft_view_equal(document->wire_name, folded);
}

// A query that is a tool's id or name, in whatever case.
static void score_exact(deft_searcher *searcher)
{
    char            folded[DEFT_QUERY_SIZE_MAX];
    const deft_view words = deft_view_make(searcher->query.words, searcher->query.words_size);
    deft__fold_text(words, folded);
    const deft_view name = deft_view_make(folded, words.size);
    for (uint32_t i = 0; i < searcher->index->document_count; i++) {
        if (deft__is_named(&searcher->index->documents[i], name)) {
            deft__searcher_add(searcher, i, DEFT__EXACT_TIER);
        }
    }
}

// Whether a tool has a word that the query excludes.
static bool is_excluded(const deft_searcher *searcher, uint32_t tool)
{
    for (size_t i = 0; i < searcher->excluded_term_count; i++) {
        const uint32_t term = searcher->excluded_terms[i];
        if (term != DEFT__NONE && deft__image_has(&searcher->index->image, term, tool)) {
            return true;
        }
    }
    return false;
}

// Whether a tool has all the words that the query requires, as the ranking counted or found them.
static bool has_required(const deft_searcher *searcher, uint32_t tool)
{
    for (size_t i = 0; i < searcher->required_term_count; i++) {
        const uint32_t term = searcher->required_terms[i];
        if (term == DEFT__NONE || !deft__image_has(&searcher->index->image, term, tool)) {
            return false;
        }
    }
    return searcher->required_counts[tool] >= searcher->required_count;
}

deft_outcome deft__searcher_gate(const deft_searcher *searcher, const deft_query *query,
                                 uint32_t tool)
{
    if (!has_required(searcher, tool)) {
        return DEFT_OUTCOME_REQUIRED;
    } else if (is_excluded(searcher, tool)) {
        return DEFT_OUTCOME_EXCLUDED;
    } else if (!is_on_server(searcher, tool)) {
        return DEFT_OUTCOME_SERVER;
    } else if (!deft__is_shown(query->filter, tool)) {
        return DEFT_OUTCOME_HIDDEN;
    } else {
        return DEFT_OUTCOME_HIT;
    }
}

static void collect(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    for (size_t i = 0; i < searcher->touched_count; i++) {
        const uint32_t tool = searcher->touched[i];
        const deft_hit hit  = {.tool = {tool}, .score = searcher->scores[tool]};
        if (hit.score >= query->score_min &&
            deft__searcher_gate(searcher, query, tool) == DEFT_OUTCOME_HIT) {
            keep(searcher, hit, hits_max);
        }
    }
    sort_hits(searcher);
}

// The tools of `select:`, in the order of their names; a name that fits no tool is left out.
static void select_tools(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    const deft__query *parsed = &searcher->query;
    for (size_t i = 0; i < parsed->name_count && searcher->hit_count < hits_max; i++) {
        deft_tool_id tool = {0};
        if (deft_catalog_resolve(searcher->index->catalog, parsed->names[i], &tool, NULL) ==
                DEFT_OK &&
            searcher->scores[tool.index] == 0 && deft__is_shown(query->filter, tool.index)) {
            const float score = (float)(parsed->name_count - i);
            deft__searcher_add(searcher, tool.index, score);
            searcher->hits[searcher->hit_count++] = (deft_hit){.tool = tool, .score = score};
        }
    }
}

static bool reserve_hits(deft_searcher *searcher, size_t count)
{
    if (count <= searcher->hit_capacity) {
        return true;
    }
    deft_hit *grown = deft__resize(searcher->allocator, searcher->hits,
                                   searcher->hit_capacity * sizeof *grown, count * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    searcher->hits         = grown;
    searcher->hit_capacity = count;
    return true;
}

// --- hybrid --------------------------------------------------------------------------------

// What a hybrid run asks before a tool may become a candidate.
typedef struct gate {
    const deft_searcher *searcher;
    const deft_query    *query;
} gate;

static bool is_let_in(void *context, uint32_t tool)
{
    const gate *g = context;
    return deft__searcher_gate(g->searcher, g->query, tool) == DEFT_OUTCOME_HIT;
}

// The same where only the caller has something to ask.
static bool is_shown_to_caller(void *context, uint32_t tool)
{
    return deft__is_shown(((const gate *)context)->query->filter, tool);
}

// What is asked of a tool before it becomes a candidate; NULL: nothing.
static bool (*gate_of(const gate *g))(void *context, uint32_t tool)
{
    const deft_searcher *searcher = g->searcher;
    if (searcher->required_term_count + searcher->excluded_term_count +
            searcher->query.server_count >
        0) {
        return is_let_in;
    } else {
        return g->query->filter != NULL ? is_shown_to_caller : NULL;
    }
}

// The stems of some words of the query; DEFT__NONE for one that no tool has.
static deft_status find_terms(deft_searcher *searcher, const deft_view *words, size_t word_count,
                              uint32_t *found, size_t *count)
{
    deft_analyzer *analyzer = searcher->hybrid.analyzer;
    *count                  = 0;
    for (size_t i = 0; i < word_count; i++) {
        size_t           term_count = 0;
        const deft_term *terms =
            deft_analyzer_run(analyzer, words[i], DEFT_QUERY_TERMS_MAX, &term_count);
        if (terms == NULL) {
            return DEFT_OUT_OF_MEMORY;
        }
        for (size_t k = 0; k < term_count && *count < DEFT_QUERY_TERMS_MAX; k++) {
            if (!terms[k].is_whole) {
                found[(*count)++] = deft__image_find_stem(
                    &searcher->index->image, deft_analyzer_stem(analyzer, terms[k].word));
            }
        }
    }
    return DEFT_OK;
}

static void add_hit(deft_searcher *searcher, uint32_t tool, float score, size_t hits_max)
{
    if (searcher->hit_count < hits_max && searcher->scores[tool] == 0) {
        deft__searcher_add(searcher, tool, score);
        searcher->hits[searcher->hit_count++] =
            (deft_hit){.tool = {tool}, .score = searcher->scores[tool]};
    }
}

// Raises what was called after similar queries.
static void lift_learned(deft_searcher *searcher)
{
    deft__hybrid *hybrid = &searcher->hybrid;
    if (searcher->learned.learning == NULL) {
        return;
    }
    deft__learned_weigh(&searcher->learned, hybrid->image, &hybrid->expansion);
    for (size_t i = 0; i < hybrid->candidate_count; i++) {
        deft__candidate *candidate = &hybrid->candidates[i];
        candidate->final =
            deft__lifted(candidate->final, deft__learned_lift(&searcher->learned, candidate->tool));
    }
    deft__hybrid_sort(hybrid);
}

// Named tools first, then by score. Adds at most `hits_max` more hits to those that are there.
static deft_status rank_words(deft_searcher *searcher, const deft_query *query, deft_view words,
                              size_t hits_max)
{
    gate              g = {.searcher = searcher, .query = query};
    const deft_status status =
        deft__hybrid_run(&searcher->hybrid, words, hits_max, gate_of(&g), &g);
    if (status != DEFT_OK) {
        return status;
    }
    // Whose tools they are is asked below, and lies far apart.
    for (size_t i = 0; i < hits_max && i < searcher->hybrid.candidate_count; i++) {
        const deft_tool_id tool = {searcher->hybrid.candidates[i].tool};
        __builtin_prefetch(deft_catalog_tool(searcher->index->catalog, tool));
    }
    deft_tool_id exact[DEFT_QUERY_TERMS_MAX];
    const size_t exact_count =
        deft__exact_tools(searcher->index, words, exact, DEFT_QUERY_TERMS_MAX);
    if (exact_count == 0 && searcher->hybrid.candidate_count > 0 &&
        !deft__is_evident(&searcher->hybrid, &searcher->hybrid.candidates[0])) {
        // Where no tool has a word of the query, that is the reason to tell.
        searcher->is_below_floor = searcher->hybrid.best_words > 0;
        return DEFT_OK;
    }
    // The margin is taken from the best before candidates are lifted or change places: neither makes
    // a hit of another vanish.
    const uint64_t best =
        searcher->hybrid.candidate_count > 0 ? searcher->hybrid.candidates[0].final : 0;
    searcher->best_final = best;
    lift_learned(searcher);
    // No more places matter than there can be hits: a candidate that is named is one already.
    const size_t places =
        query->score_min > 0 ? searcher->hybrid.candidate_count : hits_max + exact_count;
    deft__spread_servers(searcher->index->catalog, searcher->hybrid.candidates,
                         searcher->hybrid.candidate_count, places);
    const size_t limit = searcher->hit_count + hits_max;
    for (size_t i = 0; i < exact_count; i++) {
        if (is_let_in(&g, exact[i].index)) {
            add_hit(searcher, exact[i].index, DEFT__EXACT_TIER + (float)(exact_count - i), limit);
        }
    }
    for (size_t i = 0; i < searcher->hybrid.candidate_count; i++) {
        const deft__candidate *candidate = &searcher->hybrid.candidates[i];
        if (candidate->final * 100 < best * DEFT__MARGIN_PERCENT) {
            break;
        }
        const float score = (float)deft__score_of(candidate->final);
        if (score >= query->score_min) {
            add_hit(searcher, candidate->tool, score, limit);
        }
    }
    return DEFT_OK;
}

// Each need in its turn gives its best tool that is not there yet. Ranking a need again for each
// round would be wasteful; a round takes one hit from lists made once, laid one after another.
static deft_status rank_needs(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    const deft__query *parsed = &searcher->query;
    deft_hit           lists[DEFT_QUERY_NEEDS_MAX][DEFT__CANDIDATES_MIN];
    size_t             counts[DEFT_QUERY_NEEDS_MAX] = {0};
    const size_t       each = hits_max < DEFT__CANDIDATES_MIN ? hits_max : DEFT__CANDIDATES_MIN;
    for (size_t n = 0; n < parsed->need_count; n++) {
        const deft_status status = rank_words(searcher, query, parsed->needs[n], each);
        if (status != DEFT_OK) {
            return status;
        }
        counts[n] = searcher->hit_count;
        memcpy(lists[n], searcher->hits, counts[n] * sizeof *searcher->hits);
        forget(searcher);
    }
    for (size_t round = 0; round < each; round++) {
        for (size_t n = 0; n < parsed->need_count; n++) {
            if (round < counts[n]) {
                // Order is what counts here; scores fall so that they agree with it.
                const size_t place = searcher->hit_count;
                add_hit(searcher, lists[n][round].tool.index,
                        (float)(each - round) + 1 / (float)(n + 2), hits_max);
                if (searcher->hit_count > place) {
                    searcher->hit_needs[place] = (uint8_t)n;
                }
            }
        }
    }
    return DEFT_OK;
}

static deft_status rank_hybrid(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    const deft__query *parsed = &searcher->query;
    const deft_status  status = find_terms(searcher, parsed->required, parsed->required_count,
                                           searcher->required_terms, &searcher->required_term_count);
    if (status != DEFT_OK) {
        return status;
    } else if (parsed->need_count > 0) {
        return rank_needs(searcher, query, hits_max);
    } else {
        return rank_words(searcher, query, deft_view_make(parsed->words, parsed->words_size),
                          hits_max);
    }
}

// --- running -------------------------------------------------------------------------------

static deft_status parse_query(deft_searcher *searcher, const deft_query *query, deft_error *error)
{
    if (query->ranking == DEFT_RANKING_HYBRID || query->ranking == DEFT_RANKING_BM25) {
        return deft__query_parse(&searcher->query, query->text, error);
    }
    return deft__query_parse_plain(&searcher->query, query->text, error);
}

// Scores every tool and keeps the best.
static deft_status rank_all(deft_searcher *searcher, const deft_query *query, size_t hits_max,
                            deft_error *error)
{
    const deft__query *parsed = &searcher->query;
    const deft_view    words  = deft_view_make(parsed->words, parsed->words_size);
    deft_status        status = DEFT_OK;
    if (parsed->is_pattern) {
        status = deft__rank_regex(searcher, parsed->pattern, parsed->is_caseless, error);
    } else if (query->ranking == DEFT_RANKING_REGEX) {
        status = deft__rank_regex(searcher, words, false, error);
    } else if (query->ranking == DEFT_RANKING_KEYWORD) {
        deft__rank_keyword(searcher);
    } else if (words.size == 0 && parsed->server_count > 0) {
        score_servers(searcher);
    } else if (words.size > 0) {
        status = deft__rank_bm25(searcher);
        score_exact(searcher);
        if (status != DEFT_OK) {
            deft__fail_memory(error);
        }
    }
    if (status == DEFT_OK) {
        collect(searcher, query, hits_max);
    }
    return status;
}

bool deft__searcher_is_hybrid(const deft_searcher *searcher, const deft_query *query)
{
    return query->ranking == DEFT_RANKING_HYBRID && !searcher->query.is_selection &&
           !searcher->query.is_pattern && searcher->query.words_size > 0;
}

deft_status deft_searcher_run(deft_searcher *searcher, const deft_query *query, deft_error *error)
{
    forget(searcher);
    searcher->required_count      = 0;
    searcher->required_term_count = 0;
    searcher->is_below_floor      = false;
    const deft_status status      = parse_query(searcher, query, error);
    if (status != DEFT_OK) {
        return status;
    }
    if (find_terms(searcher, searcher->query.excluded, searcher->query.excluded_count,
                   searcher->excluded_terms, &searcher->excluded_term_count) != DEFT_OK) {
        return deft__fail_memory(error);
    }
    if (!deft_ranking_is_built(query->ranking) ||
        (searcher->index->rankings & DEFT_RANKING_BIT(query->ranking)) == 0) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "the index was made without ranking '%s'; name it in "
                          "deft_index_options.rankings",
                          deft_ranking_name(query->ranking));
    }
    const size_t count    = searcher->index->document_count;
    const size_t hits_max = query->hits_max < count ? query->hits_max : count;
    if (!reserve_hits(searcher, hits_max)) {
        return deft__fail_memory(error);
    }
    if (hits_max == 0) {
        return DEFT_OK;
    }
    if (searcher->query.is_selection) {
        select_tools(searcher, query, hits_max);
        return DEFT_OK;
    } else if (deft__searcher_is_hybrid(searcher, query)) {
        return rank_hybrid(searcher, query, hits_max) == DEFT_OK ? DEFT_OK
                                                                 : deft__fail_memory(error);
    } else {
        return rank_all(searcher, query, hits_max, error);
    }
}
