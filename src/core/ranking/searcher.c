// One search: read the query, let a ranking score, keep the best.
#include "core/ranking/searcher.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/index/fold.h"

#include <assert.h>

// Lifts a tool that the query names exactly above every other: a tier, not a boost. No sum of term
// scores comes near: 4,096 bytes hold at most 2,048 terms, and one adds less than
// (k1 + 1) * ln(1 + tools), 41 for ten million tools. Scores stay finite for those who print them.
static const float exact_tier = 1e6F;

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
    searcher->scores    = deft__new(allocator, (count + 1) * sizeof *searcher->scores);
    searcher->touched   = deft__new(allocator, (count + 1) * sizeof *searcher->touched);
    searcher->required_counts =
        deft__new(allocator, (count + 1) * sizeof *searcher->required_counts);
    if (searcher->scores == NULL || searcher->touched == NULL ||
        searcher->required_counts == NULL ||
        deft__hybrid_init(&searcher->hybrid, &index->image, &index->synonyms, allocator, NULL) !=
            DEFT_OK) {
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
    deft__hybrid_clear(&searcher->hybrid);
    deft__free(allocator, searcher->hits, searcher->hit_capacity * sizeof *searcher->hits);
    deft__free(allocator, searcher->required_counts, count * sizeof *searcher->required_counts);
    deft__free(allocator, searcher->touched, count * sizeof *searcher->touched);
    deft__free(allocator, searcher->scores, count * sizeof *searcher->scores);
    deft__free(allocator, searcher, sizeof *searcher);
}

bool deft_ranking_is_built(deft_ranking ranking)
{
    return ranking == DEFT_RANKING_HYBRID || ranking == DEFT_RANKING_BM25 ||
           ranking == DEFT_RANKING_KEYWORD;
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
    searcher->touched_count  = 0;
    searcher->required_count = 0;
    searcher->hit_count      = 0;
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

static bool is_shown(const deft_tool_filter *filter, deft_tool_id tool)
{
    return filter == NULL || filter->is_shown == NULL || filter->is_shown(filter->context, tool);
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

// A query that is a tool's id or name, in whatever case.
static void score_exact(deft_searcher *searcher)
{
    char            folded[DEFT_QUERY_SIZE_MAX];
    const deft_view words = deft_view_make(searcher->query.words, searcher->query.words_size);
    deft__fold_text(words, folded);
    const deft_view name = deft_view_make(folded, words.size);
    for (uint32_t i = 0; i < searcher->index->document_count; i++) {
        const deft__document *document = &searcher->index->documents[i];
        if (deft_view_equal(document->name, name) || deft_view_equal(document->id, name) ||
            deft_view_equal(document->wire_name, name)) {
            deft__searcher_add(searcher, i, exact_tier);
        }
    }
}

static void collect(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    for (size_t i = 0; i < searcher->touched_count; i++) {
        const uint32_t tool = searcher->touched[i];
        const deft_hit hit  = {.tool = {tool}, .score = searcher->scores[tool]};
        if (hit.score >= query->score_min &&
            searcher->required_counts[tool] >= searcher->required_count &&
            is_on_server(searcher, tool) && is_shown(query->filter, hit.tool)) {
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
            searcher->scores[tool.index] == 0 && is_shown(query->filter, tool)) {
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
    size_t               required_count;
} gate;

static bool has_term(const deft__image *image, uint32_t term, uint32_t tool)
{
    const uint32_t *tools = image->tools + image->terms[term].posting;
    uint32_t        low   = 0;
    uint32_t        high  = image->terms[term].count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (tools[middle] < tool) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < image->terms[term].count && tools[low] == tool;
}

static bool is_let_in(void *context, uint32_t tool)
{
    const gate        *g     = context;
    const deft__image *image = &g->searcher->index->image;
    for (size_t i = 0; i < g->required_count; i++) {
        const uint32_t term = g->searcher->required_terms[i];
        if (term == DEFT__NONE || !has_term(image, term, tool)) {
            return false;
        }
    }
    return is_on_server(g->searcher, tool) && is_shown(g->query->filter, (deft_tool_id){tool});
}

// The stems of the words after a `+`; a word that no tool has lets none in.
static deft_status find_required(deft_searcher *searcher, size_t *count)
{
    const deft__query *query    = &searcher->query;
    deft_analyzer     *analyzer = searcher->hybrid.analyzer;
    *count                      = 0;
    for (size_t i = 0; i < query->required_count; i++) {
        size_t           term_count = 0;
        const deft_term *terms =
            deft_analyzer_run(analyzer, query->required[i], DEFT_QUERY_TERMS_MAX, &term_count);
        if (terms == NULL) {
            return DEFT_OUT_OF_MEMORY;
        }
        for (size_t k = 0; k < term_count && *count < DEFT_QUERY_TERMS_MAX; k++) {
            if (!terms[k].is_whole) {
                searcher->required_terms[(*count)++] = deft__image_find_stem(
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

static deft_status rank_hybrid(deft_searcher *searcher, const deft_query *query, size_t hits_max)
{
    gate        g      = {.searcher = searcher, .query = query};
    deft_status status = find_required(searcher, &g.required_count);
    if (status == DEFT_OK) {
        const deft_view words = deft_view_make(searcher->query.words, searcher->query.words_size);
        status                = deft__hybrid_run(&searcher->hybrid, words, hits_max, is_let_in, &g);
    }
    if (status != DEFT_OK) {
        return status;
    }
    deft_tool_id exact[DEFT_QUERY_TERMS_MAX];
    const size_t exact_count = deft__exact_tools(searcher, exact, DEFT_QUERY_TERMS_MAX);
    for (size_t i = 0; i < exact_count; i++) {
        if (is_let_in(&g, exact[i].index)) {
            add_hit(searcher, exact[i].index, exact_tier + (float)(exact_count - i), hits_max);
        }
    }
    for (size_t i = 0; i < searcher->hybrid.candidate_count; i++) {
        const deft__candidate *candidate = &searcher->hybrid.candidates[i];
        // In units of one bit of rarity: 2^8 of the weight and 10^6 of the closer look are scale.
        const float score = (float)((double)candidate->final / 256e6);
        if (score >= query->score_min) {
            add_hit(searcher, candidate->tool, score, hits_max);
        }
    }
    return DEFT_OK;
}

static void rank(deft_searcher *searcher, const deft_query *query)
{
    if (query->ranking == DEFT_RANKING_KEYWORD) {
        deft__rank_keyword(searcher);
    } else if (searcher->query.words_size == 0 && searcher->query.server_count > 0) {
        score_servers(searcher);
    } else if (searcher->query.words_size > 0) {
        deft__rank_bm25(searcher);
        score_exact(searcher);
    }
}

deft_status deft_searcher_run(deft_searcher *searcher, const deft_query *query, deft_error *error)
{
    forget(searcher);
    if (!deft_ranking_is_built(query->ranking)) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "ranking '%s' is not in this build; use hybrid, bm25 or keyword",
                          deft_ranking_name(query->ranking));
    }
    const deft_status status = query->ranking == DEFT_RANKING_KEYWORD
                                   ? deft__query_parse_plain(&searcher->query, query->text, error)
                                   : deft__query_parse(&searcher->query, query->text, error);
    if (status != DEFT_OK) {
        return status;
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
    } else if (query->ranking == DEFT_RANKING_HYBRID && searcher->query.words_size > 0) {
        return rank_hybrid(searcher, query, hits_max) == DEFT_OK ? DEFT_OK
                                                                 : deft__fail_memory(error);
    } else {
        rank(searcher, query);
        collect(searcher, query, hits_max);
    }
    return DEFT_OK;
}
