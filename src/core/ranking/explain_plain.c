// Accounts of the rankings that count or compare text: bm25, keyword, regex; and of hits that no
// ranking made.
#include "core/ranking/explain.h"

#include "base/fail.h"
#include "core/index/fold.h"

// The fields that ranking bm25 reads as one text.
typedef struct term_counts {
    deft_analyzer *analyzer;
    deft_view      term;
    uint32_t       counts[DEFT__FIELD_COUNT];
} term_counts;

static bool count_text(term_counts *t, deft_field field, deft_view text)
{
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(t->analyzer, text, SIZE_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        t->counts[field] += !terms[i].is_whole && deft_view_equal(terms[i].word, t->term);
    }
    return terms != NULL;
}

static bool count_tool(term_counts *t, const deft_catalog *catalog, const deft_tool *tool)
{
    size_t left = DEFT__INDEXED_SIZE_MAX;
    bool   is_ok =
        count_text(t, DEFT_FIELD_NAME, tool->name) &&
        count_text(t, DEFT_FIELD_SERVER, deft_catalog_server(catalog, tool->server)->name) &&
        count_text(t, DEFT_FIELD_DESCRIPTION,
                   deft_view_slice(tool->description, 0, DEFT__INDEXED_SIZE_MAX));
    for (uint32_t i = 0; is_ok && i < tool->parameter_count; i++) {
        const deft_view text = deft_view_slice(tool->parameters[i].description, 0, left);
        left -= text.size;
        is_ok = count_text(t, DEFT_FIELD_PARAMETER_DESCRIPTIONS, text);
    }
    return is_ok;
}

// Gets the shares of terms and hands on those of their fields: bm25 knows only how often a tool has
// a term, so each occurrence counts alike.
typedef struct field_splitter {
    deft__explaining *explaining;
    deft_tool_id      tool;
    deft__shares     *shares;
} field_splitter;

static bool split_share(void *context, deft_share share)
{
    const field_splitter *s       = context;
    const deft_catalog   *catalog = deft__searcher_catalog(s->explaining->searcher);
    term_counts t = {.analyzer = s->explaining->searcher->hybrid.analyzer, .term = share.word};
    if (!count_tool(&t, catalog, deft_catalog_tool(catalog, s->tool))) {
        return false;
    }
    uint32_t whole = 0;
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        whole += t.counts[f];
    }
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        if (t.counts[f] > 0) {
            deft_share part = share;
            part.field      = (deft_field)f;
            part.score      = share.score * t.counts[f] / whole;
            if (!deft__shares_add(s->shares, part)) {
                return false;
            }
        }
    }
    return true;
}

static deft_status add_shares(deft__explaining *x, const deft_account *account,
                              deft__shares *shares)
{
    const deft__query        *parsed   = &x->searcher->query;
    const deft__share_visitor together = {deft__shares_add, shares};
    if (parsed->is_selection || account->basis == DEFT_BASIS_SERVER) {
        return DEFT_OK;
    } else if (parsed->is_pattern) {
        return deft__account_regex(x->searcher, parsed->pattern, parsed->is_caseless,
                                   account->tool.index, together, x->error);
    } else if (x->query->ranking == DEFT_RANKING_REGEX) {
        return deft__account_regex(x->searcher, deft_view_make(parsed->words, parsed->words_size),
                                   false, account->tool.index, together, x->error);
    } else if (x->query->ranking == DEFT_RANKING_KEYWORD) {
        return deft__account_keyword(x->searcher, account->tool.index, together);
    } else {
        field_splitter            splitter = {x, account->tool, shares};
        const deft__share_visitor by_field = {split_share, &splitter};
        return deft__account_bm25(x->searcher, account->tool.index, by_field);
    }
}

// A query that is the tool's name, in ranking bm25.
static double tier_of(const deft__explaining *x, deft_tool_id tool)
{
    const deft__query *parsed = &x->searcher->query;
    char               folded[DEFT_QUERY_SIZE_MAX];
    if (x->query->ranking != DEFT_RANKING_BM25 || parsed->is_pattern || parsed->is_selection ||
        parsed->words_size == 0) {
        return 0;
    }
    deft__fold_text(deft_view_make(parsed->words, parsed->words_size), folded);
    return deft__is_named(&x->searcher->index->documents[tool.index],
                          deft_view_make(folded, parsed->words_size))
               ? (double)DEFT__EXACT_TIER
               : 0;
}

static deft_basis basis_of(const deft__explaining *x, const deft_account *account)
{
    const deft__query *parsed = &x->searcher->query;
    if (parsed->is_selection) {
        return DEFT_BASIS_SELECTED;
    } else if (!parsed->is_pattern && parsed->words_size == 0 && parsed->server_count > 0) {
        return DEFT_BASIS_SERVER;
    } else if (account->tier > 0) {
        return DEFT_BASIS_EXACT;
    } else {
        return DEFT_BASIS_WORDS;
    }
}

static deft_outcome outcome_of(const deft__explaining *x, const deft_account *account)
{
    const deft_outcome gate = deft__searcher_gate(x->searcher, x->query, account->tool.index);
    if (account->place > 0) {
        return DEFT_OUTCOME_HIT;
    } else if (gate != DEFT_OUTCOME_HIT) {
        return gate;
    } else if (account->score <= 0) {
        return DEFT_OUTCOME_NO_WORD;
    } else if (account->score < (double)x->query->score_min) {
        return DEFT_OUTCOME_WEAK;
    } else {
        return DEFT_OUTCOME_PLACES;
    }
}

deft_status deft__account_plain(deft__explaining *x, deft_account *account)
{
    deft__shares shares;
    account->tier  = tier_of(x, account->tool);
    account->basis = basis_of(x, account);
    if (account->place == 0) {
        account->score = (double)x->searcher->scores[account->tool.index];
    }
    account->outcome = outcome_of(x, account);
    deft__shares_init(&shares, x->explanation);
    deft_status status = add_shares(x, account, &shares);
    if (status == DEFT_OK && !deft__shares_finish(&shares, account)) {
        status = deft__fail_memory(x->error);
    }
    deft__shares_clear(&shares);
    return status;
}
