// One explanation: run the query, look at what became of its words and of the tools that match, and
// take the score of each hit apart.
#include "core/ranking/explain.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/analysis/words.h"

// --- shares --------------------------------------------------------------------------------

void deft__shares_init(deft__shares *shares, deft_explanation *explanation)
{
    *shares = (deft__shares){.arena = &explanation->arena, .allocator = explanation->allocator};
}

void deft__shares_clear(deft__shares *shares)
{
    deft__free(shares->allocator, shares->items, shares->capacity * sizeof *shares->items);
    *shares = (deft__shares){.arena = shares->arena, .allocator = shares->allocator};
}

bool deft__shares_add(void *context, deft_share share)
{
    deft__shares *shares = context;
    for (size_t i = 0; i < shares->count; i++) {
        deft_share *item = &shares->items[i];
        if (item->match == share.match && item->field == share.field &&
            deft_view_equal(item->word, share.word) && deft_view_equal(item->found, share.found)) {
            item->score += share.score;
            return true;
        }
    }
    void *items = shares->items;
    if (!deft__grow(shares->allocator, &items, &shares->capacity, shares->count,
                    sizeof *shares->items)) {
        return false;
    }
    shares->items = items;
    if (!deft__arena_copy(shares->arena, share.word, &share.word) ||
        !deft__arena_copy(shares->arena, share.found, &share.found)) {
        return false;
    }
    shares->items[shares->count++] = share;
    return true;
}

bool deft__shares_finish(deft__shares *shares, deft_account *account)
{
    deft_share *sorted = deft__arena_array(shares->arena, shares->count, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    account->words = 0;
    for (size_t i = 0; i < shares->count; i++) {
        size_t at = i;
        for (; at > 0 && shares->items[i].score > sorted[at - 1].score; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = shares->items[i];
        account->words += shares->items[i].score;
    }
    account->shares      = sorted;
    account->share_count = shares->count;
    return true;
}

// --- the query's words ---------------------------------------------------------------------

static deft_status expand_text(deft__explaining *x, deft_view text)
{
    deft_searcher    *searcher = x->searcher;
    deft__expansion  *e        = &x->expansions[x->expansion_count];
    deft__arena      *arena    = &x->explanation->arena;
    const deft_status status = deft__expand(e, &searcher->index->image, &searcher->index->synonyms,
                                            searcher->hybrid.analyzer, text);
    if (status != DEFT_OK) {
        return status;
    }
    // Texts are the analyzer's, which other texts will go through.
    for (size_t i = 0; i < e->word_count; i++) {
        if (!deft__arena_copy(arena, e->words[i].text, &e->words[i].text)) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    return deft__arena_copy(arena, text, &x->texts[x->expansion_count++]) ? DEFT_OK
                                                                          : DEFT_OUT_OF_MEMORY;
}

deft_status deft__explain_expand(deft__explaining *x)
{
    const deft__query *parsed = &x->searcher->query;
    deft__arena       *arena  = &x->explanation->arena;
    const size_t       count  = parsed->need_count > 0 ? parsed->need_count : 1;
    x->expansions             = deft__arena_array(arena, count, sizeof *x->expansions);
    x->texts                  = deft__arena_array(arena, count, sizeof *x->texts);
    if (x->expansions == NULL || x->texts == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (parsed->is_selection || parsed->is_pattern || x->query->ranking == DEFT_RANKING_REGEX) {
        return DEFT_OK;
    }
    if (x->query->ranking != DEFT_RANKING_HYBRID || parsed->need_count == 0) {
        return expand_text(x, deft_view_make(parsed->words, parsed->words_size));
    }
    deft_status status = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < parsed->need_count; i++) {
        status = expand_text(x, parsed->needs[i]);
    }
    return status;
}

// Tools with a term that the caller's filter shows, up to `max`.
static size_t count_shown(const deft__explaining *x, uint32_t term, size_t max)
{
    const deft__image *image = &x->searcher->index->image;
    size_t             count = 0;
    for (uint32_t p = 0; p < image->terms[term].count && count < max; p++) {
        count += deft__is_shown(x->query->filter, deft__image_tool(image, term, p));
    }
    return count;
}

static bool is_word_shown(void *context, uint32_t word)
{
    const deft__explaining *x = context;
    return count_shown(x, x->searcher->index->image.words[word].stem, 1) > 0;
}

static bool add_near(deft__explaining *x, deft_asked_word *asked)
{
    const deft__image *image = &x->searcher->index->image;
    uint32_t           words[DEFT_NEAR_WORDS_MAX];
    const size_t       count =
        deft__near_words(image, asked->word, words, DEFT_NEAR_WORDS_MAX, is_word_shown, x);
    for (size_t i = 0; i < count; i++) {
        if (!deft__arena_copy(&x->explanation->arena, deft__image_word_text(image, words[i]),
                              &asked->nears[asked->near_count++])) {
            return false;
        }
    }
    return true;
}

// The word that was searched in place of one that no tool has: its correction, or its halves.
static bool find_taken(deft__explaining *x, const deft__expansion *e, uint32_t number,
                       deft_view *taken)
{
    const deft__image *image = &x->searcher->index->image;
    deft_buffer        halves;
    deft_buffer_init(&halves, x->explanation->allocator);
    for (size_t i = 0; i < e->term_count; i++) {
        const deft__weighted *weighted = &e->terms[i];
        if (weighted->word == number && weighted->match == DEFT_MATCH_HALF) {
            deft_buffer_append_text(&halves, halves.size > 0 ? " " : "");
            deft_buffer_append(&halves, deft__image_term_text(image, weighted->term));
        }
    }
    const deft_view text = e->words[number].corrected != DEFT__NONE
                               ? deft__image_word_text(image, e->words[number].corrected)
                               : deft_buffer_view(&halves);
    const bool      is_ok =
        halves.status == DEFT_OK && deft__arena_copy(&x->explanation->arena, text, taken);
    deft_buffer_clear(&halves);
    return is_ok;
}

static bool explain_word(deft__explaining *x, const deft__expansion *e, uint32_t number)
{
    const deft__query_word *word  = &e->words[number];
    deft_asked_word        *asked = &x->explanation->words[x->explanation->word_count++];
    *asked                        = (deft_asked_word){
                               .word      = word->text,
                               .is_filler = deft__word_weight(word->text) < DEFT__WORD_WEIGHT_FULL,
    };
    if (word->stem != DEFT__NONE) {
        asked->tool_count = count_shown(x, word->stem, x->is_miss ? 1 : SIZE_MAX);
    } else if (x->is_miss && asked->is_filler) {
        return true; // that no tool has it explains nothing
    } else if (!find_taken(x, e, number, &asked->taken)) {
        return false;
    }
    return asked->tool_count > 0 || add_near(x, asked);
}

// A name after `select:`: the tool is there or not, and near it are other ids.
static bool explain_name(deft__explaining *x, deft_view name)
{
    const deft_catalog *catalog = deft__searcher_catalog(x->searcher);
    deft_asked_word    *asked   = &x->explanation->words[x->explanation->word_count++];
    deft_tool_id        tool    = {0};
    deft_tool_id        nears[DEFT_NEAR_WORDS_MAX];
    *asked = (deft_asked_word){.near_count = 0};
    if (!deft__arena_copy(&x->explanation->arena, name, &asked->word)) {
        return false;
    }
    if (deft_catalog_resolve(catalog, name, &tool, NULL) == DEFT_OK &&
        deft__is_shown(x->query->filter, tool.index)) {
        asked->tool_count = 1;
        return true;
    }
    const size_t count = deft_catalog_nearest(catalog, name, nears, DEFT_NEAR_WORDS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (deft__is_shown(x->query->filter, nears[i].index)) {
            // The catalog's text lives as long as the explanation, which retains it.
            asked->nears[asked->near_count++] = deft_catalog_tool(catalog, nears[i])->id;
        }
    }
    return true;
}

// Whether a word of an earlier need is explained already.
static bool is_explained(const deft_explanation *explanation, deft_view word)
{
    for (size_t i = 0; i < explanation->word_count; i++) {
        if (deft_view_equal(explanation->words[i].word, word)) {
            return true;
        }
    }
    return false;
}

deft_status deft__explain_words(deft__explaining *x)
{
    deft_explanation  *explanation = x->explanation;
    const deft__query *parsed      = &x->searcher->query;
    size_t             count       = parsed->is_selection ? parsed->name_count : 0;
    for (size_t i = 0; i < x->expansion_count; i++) {
        count += x->expansions[i].word_count;
    }
    explanation->words = deft__arena_array(&explanation->arena, count, sizeof *explanation->words);
    bool is_ok         = explanation->words != NULL;
    for (size_t i = 0; is_ok && parsed->is_selection && i < parsed->name_count; i++) {
        is_ok = explain_name(x, parsed->names[i]);
    }
    for (size_t i = 0; is_ok && i < x->expansion_count; i++) {
        const deft__expansion *e = &x->expansions[i];
        for (uint32_t w = 0; is_ok && w < e->word_count; w++) {
            // An identifier that no tool has as a whole is there in its parts.
            if (!(e->words[w].is_whole && e->words[w].stem == DEFT__NONE) &&
                !is_explained(explanation, e->words[w].text)) {
                is_ok = explain_word(x, e, w);
            }
        }
    }
    return is_ok ? DEFT_OK : DEFT_OUT_OF_MEMORY;
}

// --- what was filtered ---------------------------------------------------------------------

static void count_tool(deft__explaining *x, uint32_t tool)
{
    deft_filtering *f = &x->explanation->filtering;
    // Of what is not to be seen nothing else is told: a count of it would say that it is there.
    const deft_outcome outcome = deft__is_shown(x->query->filter, tool)
                                     ? deft__searcher_gate(x->searcher, x->query, tool)
                                     : DEFT_OUTCOME_HIDDEN;
    f->matched++;
    f->required += outcome == DEFT_OUTCOME_REQUIRED;
    f->excluded += outcome == DEFT_OUTCOME_EXCLUDED;
    f->server += outcome == DEFT_OUTCOME_SERVER;
    f->hidden += outcome == DEFT_OUTCOME_HIDDEN;
    f->left += outcome == DEFT_OUTCOME_HIT;
}

deft_status deft__explain_filtering(deft__explaining *x)
{
    const deft_searcher *searcher = x->searcher;
    const deft__query   *parsed   = &searcher->query;
    if (x->is_miss && parsed->required_count + parsed->excluded_count + parsed->server_count == 0) {
        return DEFT_OK; // the query itself keeps nothing out
    }
    if (!deft__searcher_is_hybrid(searcher, x->query)) {
        for (size_t i = 0; i < searcher->touched_count; i++) {
            count_tool(x, searcher->touched[i]);
        }
        return DEFT_OK;
    }
    const deft__image *image = &searcher->index->image;
    const size_t       size  = (size_t)image->tool_count + 1;
    bool              *seen  = deft__new(x->explanation->allocator, size * sizeof *seen);
    if (seen == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < x->expansion_count; i++) {
        for (size_t t = 0; t < x->expansions[i].term_count; t++) {
            const uint32_t term = x->expansions[i].terms[t].term;
            for (uint32_t p = 0; p < image->terms[term].count; p++) {
                const uint32_t tool = deft__image_tool(image, term, p);
                if (!seen[tool]) {
                    seen[tool] = true;
                    count_tool(x, tool);
                }
            }
        }
    }
    deft__free(x->explanation->allocator, seen, size * sizeof *seen);
    return DEFT_OK;
}

// --- accounts ------------------------------------------------------------------------------

static size_t place_of(const deft_searcher *searcher, deft_tool_id tool)
{
    for (size_t i = 0; i < searcher->hit_count; i++) {
        if (searcher->hits[i].tool.index == tool.index) {
            return i + 1;
        }
    }
    return 0;
}

static deft_status account_for(deft__explaining *x, deft_tool_id tool, size_t place)
{
    deft_account *account = &x->explanation->accounts[x->explanation->account_count++];
    *account              = (deft_account){.tool = tool, .place = place};
    if (place > 0) {
        const deft_hit *hits = x->searcher->hits;
        account->score       = (double)hits[place - 1].score;
        for (size_t i = 0; i + 1 < place; i++) {
            account->is_moved = account->is_moved || hits[i].score < hits[place - 1].score;
        }
    }
    return deft__searcher_is_hybrid(x->searcher, x->query) ? deft__account_hybrid(x, account)
                                                           : deft__account_plain(x, account);
}

static deft_status explain_tools(deft__explaining *x, const deft_tool_id *tool)
{
    deft_explanation *explanation = x->explanation;
    const size_t      count       = tool != NULL ? 1 : x->searcher->hit_count;
    explanation->accounts =
        deft__arena_array(&explanation->arena, count, sizeof *explanation->accounts);
    if (explanation->accounts == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (tool != NULL) {
        return account_for(x, *tool, place_of(x->searcher, *tool));
    }
    deft_status status = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < count; i++) {
        status = account_for(x, x->searcher->hits[i].tool, i + 1);
    }
    return status;
}

static deft_ranking ranking_used(const deft_searcher *searcher, const deft_query *query)
{
    return searcher->query.is_pattern ? DEFT_RANKING_REGEX : query->ranking;
}

static deft_status explain(deft__explaining *x, const deft_tool_id *tool)
{
    deft_explanation *explanation = x->explanation;
    deft_searcher    *searcher    = x->searcher;
    deft_status status = x->has_run ? DEFT_OK : deft_searcher_run(searcher, x->query, x->error);
    if (status != DEFT_OK) {
        return status;
    }
    explanation->ranking   = ranking_used(searcher, x->query);
    explanation->hit_count = searcher->hit_count;

    explanation->filtering.is_below_floor = searcher->is_below_floor && searcher->hit_count == 0;
    if (!deft__arena_copy(&explanation->arena, x->query->text, &explanation->query)) {
        return deft__fail_memory(x->error);
    }
    status = deft__explain_expand(x);
    if (status == DEFT_OK) {
        status = deft__explain_words(x);
    }
    if (status == DEFT_OK) {
        status = deft__explain_filtering(x);
    }
    if (status == DEFT_OK && !x->is_miss) {
        status = explain_tools(x, tool);
    }
    return status == DEFT_OUT_OF_MEMORY ? deft__fail_memory(x->error) : status;
}

// Explains for `x`, which knows everything but the explanation.
static deft_explanation *explanation_new(deft__explaining *x, const deft_tool_id *tool,
                                         const deft_allocator *allocator)
{
    deft_explanation *explanation = deft__new(allocator, sizeof *explanation);
    if (explanation == NULL) {
        deft__fail_memory(x->error);
        return NULL;
    }
    explanation->allocator = allocator;
    explanation->catalog   = deft_catalog_retain(x->searcher->index->catalog);
    deft__arena_init(&explanation->arena, allocator);

    x->explanation = explanation;
    if (explain(x, tool) != DEFT_OK) {
        deft_explanation_free(explanation);
        return NULL;
    }
    return explanation;
}

deft_explanation *deft_explanation_new(deft_searcher *searcher, const deft_query *query,
                                       const deft_tool_id *tool, const deft_allocator *allocator,
                                       deft_error *error)
{
    const deft_catalog *catalog = searcher->index->catalog;
    if (tool != NULL && deft_catalog_tool(catalog, *tool) == NULL) {
        deft__fail(error, DEFT_NOT_FOUND, 0, "the catalog has no tool with the number %u",
                   (unsigned)tool->index);
        return NULL;
    }
    deft__explaining x = {.searcher = searcher, .query = query, .error = error};
    return explanation_new(&x, tool, allocator);
}

deft_explanation *deft__explanation_new_miss(deft_searcher *searcher, const deft_query *query,
                                             bool has_run, const deft_allocator *allocator,
                                             deft_error *error)
{
    deft__explaining x = {
        .searcher = searcher, .query = query, .is_miss = true, .has_run = has_run, .error = error};
    return explanation_new(&x, NULL, allocator);
}

void deft_explanation_free(deft_explanation *explanation)
{
    if (explanation == NULL) {
        return;
    }
    deft__arena_clear(&explanation->arena);
    deft_catalog_release(explanation->catalog);
    deft__free(explanation->allocator, explanation, sizeof *explanation);
}

const deft_account *deft_explanation_accounts(const deft_explanation *explanation, size_t *count)
{
    *count = explanation->account_count;
    return explanation->accounts;
}

const deft_asked_word *deft_explanation_words(const deft_explanation *explanation, size_t *count)
{
    *count = explanation->word_count;
    return explanation->words;
}

deft_filtering deft_explanation_filtering(const deft_explanation *explanation)
{
    return explanation->filtering;
}
