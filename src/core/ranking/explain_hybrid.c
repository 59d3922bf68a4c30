// Takes a hybrid score apart. The index holds one byte for what a term says of a tool through all
// fields together; which field said how much is found by reading the tool's texts once more, as the
// index was built, and weighing them with the same formula. A term's points are then shared out in
// proportion to what its fields are worth.
#include "core/index/fields.h"
#include "core/ranking/explain.h"

// How a tool's texts use the terms of an expansion.
typedef struct reading {
    const deft__image     *image;
    const deft__expansion *expansion;
    deft_analyzer         *analyzer;
    double                 scale; // of the points: the words' part of a fused score
    uint32_t               lengths[DEFT__FIELD_COUNT]; // words
    uint32_t               repeats[DEFT__WEIGHTED_MAX][DEFT__FIELD_COUNT];
    uint32_t               found[DEFT__WEIGHTED_MAX][DEFT__FIELD_COUNT]; // a word of the index
} reading;

static deft_view query_text(const deft__expansion *e, size_t term)
{
    return e->words[e->terms[term].word].text;
}

// Of several forms in one field, the one that was asked for is shown.
static void note_word(reading *r, deft_field field, deft_view text)
{
    const deft__expansion *e    = r->expansion;
    const uint32_t         word = deft__image_find_word(r->image, text);
    if (word == DEFT__NONE) {
        return;
    }
    for (size_t i = 0; i < e->term_count; i++) {
        const uint32_t term = e->terms[i].term;
        if (term == r->image->words[word].stem || term == r->image->words[word].form) {
            if (r->repeats[i][field]++ == 0 || deft_view_equal(text, query_text(e, i))) {
                r->found[i][field] = word;
            }
        }
    }
}

static bool read_text(void *context, deft_field field, deft_view text)
{
    reading     *r    = context;
    const size_t room = deft__field_words_max(field) - r->lengths[field];
    if (text.size == 0 || room == 0) {
        return true;
    }
    size_t           count = 0;
    const deft_term *terms = deft_analyzer_run(r->analyzer, text, room, &count);
    for (size_t i = 0; i < count; i++) {
        note_word(r, field, terms[i].word);
    }
    r->lengths[field] += (uint32_t)count;
    return terms != NULL;
}

// Two words of the query with a space between.
static bool join_words(const deft__expansion *e, uint32_t first, deft__arena *arena, deft_view *out)
{
    const deft_view a     = e->words[first].text;
    const deft_view b     = e->words[first + 1].text;
    char           *bytes = deft__arena_alloc(arena, a.size + 1 + b.size);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, a.data, a.size);
    bytes[a.size] = ' ';
    memcpy(bytes + a.size + 1, b.data, b.size);
    *out = deft_view_make(bytes, a.size + 1 + b.size);
    return true;
}

// Shares `points` of a term out over its fields.
static bool share_out(const reading *r, size_t term, uint32_t points, deft__shares *shares)
{
    const deft__weighted *weighted = &r->expansion->terms[term];
    uint64_t              worths[DEFT__FIELD_COUNT];
    uint64_t              whole = 0;
    deft_view             word  = query_text(r->expansion, term);
    if (weighted->match == DEFT_MATCH_JOINED &&
        !join_words(r->expansion, weighted->word, shares->arena, &word)) {
        return false;
    }
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        worths[f] = deft__field_worth((deft_field)f, &r->image->header->fields[f],
                                      r->repeats[term][f], r->lengths[f]);
        whole += worths[f];
    }
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        if (worths[f] == 0) {
            continue;
        }
        const deft_view found = deft__image_word_text(r->image, r->found[term][f]);
        const bool      is_other_form =
            weighted->match == DEFT_MATCH_WORD && !deft_view_equal(found, word);
        const deft_share share = {
            .word  = word,
            .found = found,
            .match = is_other_form ? DEFT_MATCH_STEM : weighted->match,
            .field = (deft_field)f,
            .score = points / 256.0 * r->scale * (double)worths[f] / (double)whole,
        };
        if (!deft__shares_add(shares, share)) {
            return false;
        }
    }
    return true;
}

// What a term adds to a tool in the first scoring.
static uint32_t points_of(const deft__image *image, const deft__weighted *weighted, uint32_t tool)
{
    return weighted->weight * deft__image_impact(image, weighted->term, tool) >> 8;
}

// The first scoring of one tool, and how much of the query it has in 1/DEFT__COVERAGE_FULL.
static uint32_t score_tool(const deft__image *image, const deft__expansion *e, uint32_t tool,
                           uint32_t *coverage)
{
    uint32_t score = 0;
    *coverage      = 0;
    for (size_t i = 0; i < e->term_count; i++) {
        if (deft__image_impact(image, e->terms[i].term, tool) > 0) {
            score += points_of(image, &e->terms[i], tool);
            *coverage += deft__coverage_of(e, &e->terms[i]);
        }
    }
    return score;
}

static deft_status share_words(deft__explaining *x, const deft__expansion *e, double scale,
                               deft_account *account)
{
    const deft_index  *index = x->searcher->index;
    deft__field_reader fields;
    deft__shares       shares;
    reading            r = {
                   .image     = &index->image,
                   .expansion = e,
                   .analyzer  = x->searcher->hybrid.analyzer,
                   .scale     = scale,
    };
    deft__field_reader_init(&fields, x->explanation->allocator);
    deft__shares_init(&shares, x->explanation);
    deft_status status = deft__fields_visit(&fields, index->catalog, account->tool, read_text, &r);
    for (size_t i = 0; status == DEFT_OK && i < e->term_count; i++) {
        const uint32_t points = points_of(&index->image, &e->terms[i], account->tool.index);
        if (points > 0 && !share_out(&r, i, points, &shares)) {
            status = DEFT_OUT_OF_MEMORY;
        }
    }
    if (status == DEFT_OK && !deft__shares_finish(&shares, account)) {
        status = DEFT_OUT_OF_MEMORY;
    }
    deft__shares_clear(&shares);
    deft__field_reader_clear(&fields);
    return status;
}

// The tier of a tool that the text names, 0 when it does not.
static double tier_of(const deft_index *index, deft_view text, deft_tool_id tool)
{
    deft_tool_id exact[DEFT_QUERY_TERMS_MAX];
    const size_t count = deft__exact_tools(index, text, exact, DEFT_QUERY_TERMS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (exact[i].index == tool.index) {
            return (double)(DEFT__EXACT_TIER + (float)(count - i));
        }
    }
    return 0;
}

// Which expansion made the tool a hit; for one that is none, the one that says most of it.
static size_t expansion_of(const deft__explaining *x, const deft_account *account)
{
    if (x->expansion_count > 1 && account->place > 0) {
        return x->searcher->hit_needs[account->place - 1];
    }
    size_t   best       = 0;
    uint32_t best_score = 0;
    for (size_t i = 0; i < x->expansion_count; i++) {
        uint32_t       coverage = 0;
        const uint32_t score    = score_tool(&x->searcher->index->image, &x->expansions[i],
                                             account->tool.index, &coverage);
        if (score > best_score) {
            best       = i;
            best_score = score;
        }
    }
    return best;
}

static deft_outcome outcome_of(const deft__explaining *x, const deft_account *account,
                               uint64_t final)
{
    const deft_outcome gate = deft__searcher_gate(x->searcher, x->query, account->tool.index);
    if (account->place > 0) {
        return DEFT_OUTCOME_HIT;
    } else if (gate != DEFT_OUTCOME_HIT) {
        return gate;
    } else if (final == 0 && account->tier <= 0) {
        return DEFT_OUTCOME_NO_WORD;
    } else if (x->searcher->is_below_floor && x->expansion_count == 1) {
        return DEFT_OUTCOME_FLOOR;
    } else if (account->score < (double)x->query->score_min ||
               (x->expansion_count == 1 &&
                final * 100 < x->searcher->best_final * DEFT__MARGIN_PERCENT)) {
        return DEFT_OUTCOME_WEAK;
    } else {
        return DEFT_OUTCOME_PLACES;
    }
}

// Joins meaning to a score by words, as the search did. Returns the joined score; `scale` becomes what
// a point of the words is worth in it.
static uint64_t join_meaning(deft__explaining *x, const deft__candidate *candidate,
                             deft_account *account, double *scale)
{
    deft__hybrid *hybrid = &x->searcher->hybrid;
    for (size_t i = 0; i < hybrid->candidate_count; i++) {
        if (hybrid->candidates[i].tool == candidate->tool) {
            candidate = &hybrid->candidates[i]; // as the search saw it
        }
    }
    const deft__fused fused  = deft__hybrid_fuse(hybrid, candidate);
    const uint64_t    joined = deft__fused_final(fused);
    const double      whole  = deft__score_of(joined);
    const double      words  = (double)(fused.words > 0 ? fused.words : 0) / DEFT__COSINE_ONE;
    const double      kept   = candidate->words > 0 ? (words < whole ? words : whole) : 0;
    *scale                   = candidate->words > 0 ? kept / deft__score_of(candidate->words) : 0;
    account->meaning         = whole - kept;
    account->likeness        = (double)fused.likeness / DEFT__COSINE_ONE;
    return joined;
}

deft_status deft__account_hybrid(deft__explaining *x, deft_account *account)
{
    const deft__image     *image    = &x->searcher->index->image;
    const size_t           chosen   = expansion_of(x, account);
    const deft__expansion *e        = &x->expansions[chosen];
    uint32_t               coverage = 0;
    const uint32_t         score    = score_tool(image, e, account->tool.index, &coverage);
    const deft__lifts      lifts    = deft__lifts_of(image, e, account->tool.index, coverage);
    const bool             is_turn  = x->expansion_count > 1;
    uint64_t               found    = deft__final_of(score, lifts);
    double                 scale    = 1;
    account->tier                   = tier_of(x->searcher->index, x->texts[chosen], account->tool);
    if (x->searcher->hybrid.meaning.model != NULL && !is_turn && account->tier <= 0) {
        const deft__candidate candidate = {
            .tool     = account->tool.index,
            .score    = score,
            .coverage = coverage,
            .name     = (uint32_t)lifts.name,
            .words    = found,
        };
        found = join_meaning(x, &candidate, account, &scale);
    }
    deft__learned_weigh(&x->searcher->learned, image, e);
    const uint64_t final =
        deft__lifted(found, deft__learned_lift(&x->searcher->learned, account->tool.index));
    account->basis = account->tier > 0 ? DEFT_BASIS_EXACT : DEFT_BASIS_WORDS;
    if (is_turn) {
        account->basis = DEFT_BASIS_TURN;
        account->need  = x->texts[chosen];
    }
    if (account->place == 0) {
        account->score = account->tier > 0 ? account->tier : (double)(float)deft__score_of(final);
    }
    account->outcome = outcome_of(x, account, final);
    if (account->tier > 0) {
        return DEFT_OK; // the name decides, and words add nothing to it
    }
    account->use_lift      = deft__score_of(final - found);
    account->coverage      = (double)lifts.coverage / 1000;
    account->name_coverage = (double)lifts.name / 1000;
    account->coverage_lift = scale * deft__score_of(score * lifts.coverage_lift * 1000);
    account->name_lift =
        scale * deft__score_of(score * (1000 + lifts.coverage_lift) * lifts.name_lift);
    return share_words(x, e, scale, account);
}
