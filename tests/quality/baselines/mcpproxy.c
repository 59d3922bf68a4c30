// mcpproxy-go (bleve 2.6): the best of five or six clauses over a tool's fields, scored with
// bleve's tf-idf:
//
//     sqrt(tf) / sqrt(length of the field) * idf^2 * boost,    idf = 1 + ln(N / (df + 1))
//
// times the share of the words that are there, times the share of the clauses that hold. Clauses:
// the query is the name (boost 5) or server:name (4), the name begins with it (3), the name has it
// (2.5, only when the query has an underscore); its words are in all fields together (1) or in the
// text made of name, server:name, description and schema (1.5). Words are those of UAX #29, so
// create_issue is one, without English stop words, not stemmed. Equal scores go by server:name.
#include "quality/baselines/bag.h"
#include "quality/baselines/baseline.h"

#include <math.h>
#include <stdlib.h>

static const char stop_words[] = // bleve's for English
    " i me my myself we our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves what which who whom this "
    "that these those am is are was were be been being have has had having do does did doing would "
    "should could ought i'm you're he's she's it's we're they're i've you've we've they've i'd "
    "you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't "
    "weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shan't shouldn't can't "
    "cannot couldn't mustn't let's that's who's what's here's there's when's where's why's how's a "
    "an the and but if or because as until while of at by for with about against between into "
    "through during before after above below to from up down in out on off over under again "
    "further then once here there when where why how all any both each few more most other some "
    "such no nor not only own same so than too very ";

typedef struct mcpproxy_state {
    deft__arena     arena;
    deft_view      *full_names; // server:name
    quality_corpus *corpus;
    quality_bag     all;        // every field
    quality_bag     searchable; // the text made of several
    quality_words   words;
    double         *clause;  // scores of one clause
    double         *counts;  // words of the clause that each tool has
    size_t         *clauses; // that hold for each tool
} mcpproxy_state;

// Words of the standard analyser.
static void add_text(quality_words *words, deft_view text)
{
    const size_t from = words->count;
    words_unicode(words, text);
    words_drop(words, from, stop_words);
}

static deft_view full_name(deft_buffer *out, const corpus_tool *tool)
{
    deft_buffer_reset(out);
    deft_buffer_append(out, tool->server->name);
    deft_buffer_append_byte(out, ':');
    deft_buffer_append(out, tool->tool->name);
    return deft_buffer_view(out);
}

static void *open(quality_corpus *corpus)
{
    mcpproxy_state *self = must_alloc(sizeof *self);
    deft_buffer     name;
    self->corpus     = corpus;
    self->clause     = must_alloc(corpus->count * sizeof *self->clause);
    self->counts     = must_alloc(corpus->count * sizeof *self->counts);
    self->clauses    = must_alloc(corpus->count * sizeof *self->clauses);
    self->full_names = must_alloc(corpus->count * sizeof *self->full_names);
    deft__arena_init(&self->arena, NULL);
    deft_buffer_init(&name, NULL);
    words_init(&self->words);
    bag_init(&self->all, corpus->count);
    bag_init(&self->searchable, corpus->count);
    for (uint32_t i = 0; i < corpus->count; i++) {
        const corpus_tool *tool = &corpus->tools[i];
        words_reset(&self->words);
        add_text(&self->words, tool->tool->name);
        if (!deft__arena_copy(&self->arena, full_name(&name, tool), &self->full_names[i])) {
            must(NULL);
        }
        add_text(&self->words, self->full_names[i]);
        add_text(&self->words, tool->tool->description);
        add_text(&self->words, tool->tool->input_schema);
        bag_add(&self->searchable, i, &self->words);
        // All fields: that text, its parts once more, and the names as they are.
        bag_add(&self->all, i, &self->words);
        words_reset(&self->words);
        add_text(&self->words, tool->tool->description);
        add_text(&self->words, tool->tool->input_schema);
        words_add(&self->words, tool->tool->name);
        words_add(&self->words, self->full_names[i]);
        if (tool->server->name.size > 0) {
            words_add(&self->words, tool->server->name);
        }
        bag_add(&self->all, i, &self->words);
    }
    bag_finish(&self->all);
    bag_finish(&self->searchable);
    deft_buffer_clear(&name);
    return self;
}

static void close(void *state)
{
    mcpproxy_state *self = state;
    bag_clear(&self->all);
    bag_clear(&self->searchable);
    words_clear(&self->words);
    free(self->full_names);
    deft__arena_clear(&self->arena);
    free(self->clause);
    free(self->counts);
    free(self->clauses);
    free(self);
}

static double idf(size_t tool_count, size_t df)
{
    return 1 + log((double)tool_count / ((double)df + 1));
}

// The clause "its words are in this field".
static void score_words(mcpproxy_state *self, const quality_bag *bag, double boost, double *scores)
{
    const size_t tool_count = self->corpus->count;
    const double word_count = (double)self->words.count;
    memset(self->clause, 0, tool_count * sizeof *self->clause);
    memset(self->counts, 0, tool_count * sizeof *self->counts);
    for (size_t i = 0; i < self->words.count; i++) {
        const bag_term *term = bag_find(bag, words_at(&self->words, i));
        for (size_t j = 0; term != NULL && j < term->count; j++) {
            const bag_posting posting = term->postings[j];
            const double      rarity  = idf(tool_count, term->count);
            self->clause[posting.tool] += sqrt((double)posting.frequency) /
                                          sqrt(bag->lengths[posting.tool]) * rarity * rarity *
                                          boost;
            self->counts[posting.tool] += 1;
        }
    }
    for (size_t i = 0; i < tool_count; i++) {
        if (self->counts[i] > 0) {
            scores[i] += self->clause[i] * self->counts[i] / word_count;
            self->clauses[i]++;
        }
    }
}

// The clauses about names. A name is a field of one word, in as many tools as are called so.
static void score_names(mcpproxy_state *self, deft_view query, bool has_underscore, double *scores)
{
    const size_t tool_count = self->corpus->count;
    size_t       same = 0, begun = 0, part = 0;
    for (size_t i = 0; i < tool_count; i++) {
        const deft_view own = self->corpus->tools[i].tool->name;
        same += deft_view_equal(own, query);
        begun += deft_view_starts_with(own, query);
        part += has_underscore && view_has(own, query);
    }
    for (size_t i = 0; i < tool_count; i++) {
        const deft_view own = self->corpus->tools[i].tool->name;
        if (deft_view_equal(own, query)) {
            scores[i] += idf(tool_count, same) * idf(tool_count, same) * 5;
            self->clauses[i]++;
        }
        if (deft_view_equal(self->full_names[i], query)) {
            scores[i] += idf(tool_count, 1) * idf(tool_count, 1) * 4;
            self->clauses[i]++;
        }
        // One of several names that fit: their share.
        if (deft_view_starts_with(own, query)) {
            scores[i] += idf(tool_count, 1) * idf(tool_count, 1) * 3 / (double)begun;
            self->clauses[i]++;
        }
        if (has_underscore && view_has(own, query)) {
            scores[i] += idf(tool_count, 1) * idf(tool_count, 1) * 2.5 / (double)part;
            self->clauses[i]++;
        }
    }
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    mcpproxy_state *self           = state;
    double         *scores         = corpus_scores(self->corpus);
    const bool      has_underscore = query.size > 0 && memchr(query.data, '_', query.size) != NULL;
    memset(self->clauses, 0, self->corpus->count * sizeof *self->clauses);
    words_reset(&self->words);
    add_text(&self->words, query);
    score_words(self, &self->all, 1, scores);
    score_words(self, &self->searchable, 1.5, scores);
    if (query.size > 0) {
        score_names(self, query, has_underscore, scores);
    }
    for (size_t i = 0; i < self->corpus->count; i++) {
        scores[i] *= (double)self->clauses[i] / (has_underscore ? 6 : 5);
    }
    return corpus_top(self->corpus, self->corpus->by_path, 0, ranked, ranked_max);
}

const quality_baseline baseline_mcpproxy = {"mcpproxy-go", false, open, rank, close};
