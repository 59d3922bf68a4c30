// Cloudflare codemode: path (weight 12), connector (8), method (10) and description (5), all cut at
// _ . / : - and where the case changes. A field that is the query counts 14 times its weight, that
// starts with it 9, that has it 6; for each word of the query 4 when the field has it as a word, 2
// when one begins with the other, 1 when it is part of the field. All words must be found where
// there are two or fewer, else six in ten, unless some field has the whole query. Bonuses for
// coverage, for the same first word and for an equal path or method. Equal scores go by path.
#include "quality/baselines/baseline.h"
#include "quality/baselines/words.h"

#include <math.h>
#include <stdlib.h>

enum {
    PATH,
    CONNECTOR,
    METHOD,
    DESCRIPTION,
    FIELD_COUNT
};

static const double weights[FIELD_COUNT] = {12, 8, 10, 5};

typedef struct cloudflare_field {
    deft_view  text;
    deft_view *words;
    size_t     word_count;
} cloudflare_field;

// What one word is worth in the tools that have it; the same for every query.
typedef struct word_worth {
    struct {
        uint32_t tool;
        float    points;
    } * items;
    size_t count;
    size_t capacity;
} word_worth;

typedef struct cloudflare_state {
    quality_corpus   *corpus;
    cloudflare_field *fields; // FIELD_COUNT for each tool
    deft__arena       arena;
    deft__map         known; // word to worth
    word_worth       *worths;
    size_t            worth_count;
    size_t            worth_capacity;
    quality_words     words;
    quality_words     fields_words; // while reading
    deft_buffer       scratch;
    uint32_t         *matched; // words of the query found in each tool
} cloudflare_state;

static bool is_small(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Cut, in lower case, without white space around it.
static deft_view normalize(deft_buffer *scratch, deft_view text)
{
    deft_buffer cut;
    deft_buffer_init(&cut, NULL);
    deft_buffer_reset(scratch);
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (strchr("_./:-", c) != NULL && c != '\0') {
            if (i == 0 || strchr("_./:-", text.data[i - 1]) == NULL) {
                deft_buffer_append_byte(&cut, ' ');
            }
        } else {
            if (i > 0 && is_small(text.data[i - 1]) && c >= 'A' && c <= 'Z') {
                deft_buffer_append_byte(&cut, ' ');
            }
            deft_buffer_append_byte(&cut, c);
        }
    }
    lower(scratch, deft_buffer_view(&cut));
    deft_buffer_clear(&cut);
    deft_view view = deft_buffer_view(scratch);
    while (view.size > 0 && strchr(" \t\n\r", view.data[0]) != NULL) {
        view = deft_view_slice(view, 1, SIZE_MAX);
    }
    while (view.size > 0 && strchr(" \t\n\r", view.data[view.size - 1]) != NULL) {
        view.size--;
    }
    return view;
}

static void read_field(cloudflare_state *self, cloudflare_field *field, deft_view text)
{
    quality_words *words = &self->fields_words;
    words_reset(words);
    if (!deft__arena_copy(&self->arena, normalize(&self->scratch, text), &field->text)) {
        must(NULL);
    }
    words_ascii(words, field->text);
    field->word_count = words->count;
    field->words      = must(deft__arena_array(&self->arena, words->count + 1, sizeof(deft_view)));
    for (size_t i = 0; i < words->count; i++) {
        if (!deft__arena_copy(&self->arena, words_at(words, i), &field->words[i])) {
            must(NULL);
        }
    }
}

static void *open(quality_corpus *corpus)
{
    cloudflare_state *self = must_alloc(sizeof *self);
    deft_buffer       path;
    self->corpus = corpus;
    deft__arena_init(&self->arena, NULL);
    deft__map_init(&self->known, 1, NULL);
    words_init(&self->words);
    words_init(&self->fields_words);
    deft_buffer_init(&self->scratch, NULL);
    deft_buffer_init(&path, NULL);
    self->fields  = must_alloc(corpus->count * FIELD_COUNT * sizeof *self->fields);
    self->matched = must_alloc(corpus->count * sizeof *self->matched);
    for (size_t i = 0; i < corpus->count; i++) {
        const corpus_tool *tool  = &corpus->tools[i];
        cloudflare_field  *field = &self->fields[i * FIELD_COUNT];
        deft_buffer_reset(&path);
        deft_buffer_append(&path, tool->server->name);
        deft_buffer_append_text(&path, tool->server->name.size > 0 ? "." : "");
        deft_buffer_append(&path, tool->tool->name);
        read_field(self, &field[PATH], deft_buffer_view(&path));
        read_field(self, &field[CONNECTOR], tool->server->name);
        read_field(self, &field[METHOD], tool->tool->name);
        read_field(self, &field[DESCRIPTION], tool->tool->description);
    }
    deft_buffer_clear(&path);
    return self;
}

static void close(void *state)
{
    cloudflare_state *self = state;
    for (size_t i = 0; i < self->worth_count; i++) {
        free(self->worths[i].items);
    }
    free(self->worths);
    free(self->fields);
    free(self->matched);
    words_clear(&self->words);
    words_clear(&self->fields_words);
    deft_buffer_clear(&self->scratch);
    deft__map_clear(&self->known);
    deft__arena_clear(&self->arena);
    free(self);
}

static double word_in_field(const cloudflare_field *field, deft_view word)
{
    bool is_begun = false;
    for (size_t i = 0; i < field->word_count; i++) {
        const deft_view other = field->words[i];
        if (other.data[0] != word.data[0]) {
            continue;
        } else if (deft_view_equal(other, word)) {
            return 4;
        } else if (deft_view_starts_with(other, word) || deft_view_starts_with(word, other)) {
            is_begun = true;
        }
    }
    if (is_begun) {
        return 2;
    }
    return view_has(field->text, word) ? 1 : 0;
}

static const word_worth *worth_of(cloudflare_state *self, deft_view word)
{
    uint32_t  place = 0;
    deft_view key   = {NULL, 0};
    if (deft__map_find(&self->known, word, &place)) {
        return &self->worths[place];
    }
    word_worth worth = {NULL, 0, 0};
    for (uint32_t i = 0; i < self->corpus->count; i++) {
        double points = 0;
        for (size_t f = 0; f < FIELD_COUNT; f++) {
            points += weights[f] * word_in_field(&self->fields[i * FIELD_COUNT + f], word);
        }
        if (points > 0) {
            worth.items = must_grow(worth.items, &worth.capacity, worth.count, sizeof *worth.items);
            worth.items[worth.count].tool     = i;
            worth.items[worth.count++].points = (float)points;
        }
    }
    self->worths =
        must_grow(self->worths, &self->worth_capacity, self->worth_count, sizeof *self->worths);
    if (!deft__arena_copy(&self->arena, word, &key) ||
        !deft__map_put(&self->known, key, (uint32_t)self->worth_count)) {
        must(NULL);
    }
    self->worths[self->worth_count++] = worth;
    return &self->worths[self->worth_count - 1];
}

static bool is_seen(const quality_words *words, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (deft_view_equal(words_at(words, i), words_at(words, index))) {
            return true;
        }
    }
    return false;
}

// Points for the whole query; whether some field has it.
static double whole_query(const cloudflare_field *fields, deft_view query, bool *has_phrase)
{
    double points = 0;
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        const deft_view text = fields[f].text;
        if (view_has(text, query)) {
            *has_phrase = true;
            points += weights[f] * (text.size == query.size              ? 14
                                    : deft_view_starts_with(text, query) ? 9
                                                                         : 6);
        }
    }
    return points;
}

// The score of a tool whose words were added up already.
static double finish(const cloudflare_state *self, size_t tool, deft_view query, double score)
{
    const cloudflare_field *fields     = &self->fields[tool * FIELD_COUNT];
    const size_t            word_count = self->words.count;
    bool                    has_phrase = false;
    const double            phrase     = whole_query(fields, query, &has_phrase);
    const double            coverage   = (double)self->matched[tool] / (double)word_count;
    if (self->matched[tool] == 0 || (coverage < (word_count <= 2 ? 1 : 0.6) && !has_phrase)) {
        return 0;
    }
    score += phrase;
    score += coverage >= 1 ? 25 : floor(coverage * 10 + 0.5);
    const deft_view first = words_at(&self->words, 0);
    if ((fields[PATH].word_count > 0 && deft_view_equal(fields[PATH].words[0], first)) ||
        (fields[METHOD].word_count > 0 && deft_view_equal(fields[METHOD].words[0], first))) {
        score += 8;
    }
    if (deft_view_equal(fields[PATH].text, query) || deft_view_equal(fields[METHOD].text, query)) {
        score += 20;
    }
    return score;
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    cloudflare_state *self   = state;
    double           *scores = corpus_scores(self->corpus);
    const deft_view   text   = normalize(&self->scratch, query);
    words_reset(&self->words);
    words_ascii(&self->words, text);
    if (self->words.count == 0) {
        return 0;
    }
    memset(self->matched, 0, self->corpus->count * sizeof *self->matched);
    for (size_t i = 0; i < self->words.count; i++) {
        const word_worth *worth  = worth_of(self, words_at(&self->words, i));
        const bool        is_new = !is_seen(&self->words, i);
        for (size_t j = 0; j < worth->count; j++) {
            scores[worth->items[j].tool] += (double)worth->items[j].points;
            self->matched[worth->items[j].tool] += is_new;
        }
    }
    for (size_t j = 0; j < self->corpus->count; j++) {
        scores[j] = finish(self, j, text, scores[j]);
    }
    return corpus_top(self->corpus, self->corpus->by_path, 0, ranked, ranked_max);
}

const quality_baseline baseline_cloudflare = {"Cloudflare", false, open, rank, close};
