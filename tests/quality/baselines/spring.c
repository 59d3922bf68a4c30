// Spring AI's searchers.
//
// Lucene: name and description with the standard analyser (UAX #29, lower case); the words of the
// query in the description (boost 1) and in the name (2), and all of them in a row in either (1 and
// 4); Lucene's BM25 (k1 1.2, b 0.75, lengths in one byte); scores below 0.25 are no hits.
//
// Regex, its default: the words of the query without stop words as one pattern of at most 200
// characters; 2 points for every place in the name where it fits and 1 in the description, and a
// bonus for fitting early, 1 / (1 + 0.1 * position), half of it in the description.
#include "quality/baselines/bag.h"
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

#include <math.h>
#include <stdlib.h>

// --- Lucene. -------------------------------------------------------------------------------------

typedef struct lucene_field {
    quality_bag    bag;
    quality_words *sequences; // of each tool, for phrases
    double         boost;
    double         phrase_boost;
} lucene_field;

typedef struct lucene_state {
    quality_corpus *corpus;
    lucene_field    fields[2]; // description, name
    quality_words   words;
} lucene_state;

// Lucene keeps a length in one byte: exact up to 24, then four leading bits of the rest.
static double coarse_length(double length)
{
    if (length < 24) {
        return length;
    }
    unsigned rest  = (unsigned)length - 24;
    unsigned shift = 0;
    while (rest >> shift >= 16) {
        shift++;
    }
    return (double)(((rest >> shift) << shift) + 24);
}

static void *lucene_open(quality_corpus *corpus)
{
    lucene_state *self           = must_alloc(sizeof *self);
    self->corpus                 = corpus;
    self->fields[0].boost        = 1;
    self->fields[0].phrase_boost = 1;
    self->fields[1].boost        = 2;
    self->fields[1].phrase_boost = 4;
    words_init(&self->words);
    for (size_t f = 0; f < 2; f++) {
        lucene_field *field = &self->fields[f];
        bag_init(&field->bag, corpus->count);
        field->sequences = must_alloc(corpus->count * sizeof *field->sequences);
        for (uint32_t i = 0; i < corpus->count; i++) {
            const deft_tool *tool = corpus->tools[i].tool;
            words_init(&field->sequences[i]);
            words_unicode(&field->sequences[i], f == 0 ? tool->description : tool->name);
            bag_add(&field->bag, i, &field->sequences[i]);
        }
        bag_finish(&field->bag);
    }
    return self;
}

static void lucene_close(void *state)
{
    lucene_state *self = state;
    for (size_t f = 0; f < 2; f++) {
        for (size_t i = 0; i < self->corpus->count; i++) {
            words_clear(&self->fields[f].sequences[i]);
        }
        free(self->fields[f].sequences);
        bag_clear(&self->fields[f].bag);
    }
    words_clear(&self->words);
    free(self);
}

static double lucene_weight(const lucene_field *field, uint32_t tool, double idf, double frequency)
{
    const double length = coarse_length(field->bag.lengths[tool]);
    return idf * frequency / (frequency + 1.2 * (0.25 + 0.75 * length / field->bag.average));
}

// How often all words of the query stand in a row in the tool's text.
static size_t phrase_frequency(const quality_words *text, const quality_words *query)
{
    size_t frequency = 0;
    for (size_t at = 0; at + query->count <= text->count; at++) {
        size_t same = 0;
        while (same < query->count &&
               deft_view_equal(words_at(text, at + same), words_at(query, same))) {
            same++;
        }
        frequency += same == query->count;
    }
    return frequency;
}

static void score_field(lucene_state *self, const lucene_field *field, double *scores)
{
    const bag_term *rarest   = NULL;
    double          idf_sum  = 0;
    bool            is_known = self->words.count > 0;
    for (size_t i = 0; i < self->words.count; i++) {
        const bag_term *term = bag_find(&field->bag, words_at(&self->words, i));
        if (term == NULL) {
            is_known = false;
            continue;
        }
        const double idf = bag_idf(&field->bag, term, IDF_POSITIVE);
        idf_sum += idf;
        rarest = rarest == NULL || term->count < rarest->count ? term : rarest;
        for (size_t j = 0; j < term->count; j++) {
            scores[term->postings[j].tool] +=
                field->boost * lucene_weight(field, term->postings[j].tool, idf,
                                             (double)term->postings[j].frequency);
        }
    }
    for (size_t j = 0; is_known && j < rarest->count; j++) {
        const uint32_t tool      = rarest->postings[j].tool;
        const size_t   frequency = phrase_frequency(&field->sequences[tool], &self->words);
        if (frequency > 0) {
            scores[tool] +=
                field->phrase_boost * lucene_weight(field, tool, idf_sum, (double)frequency);
        }
    }
}

static size_t lucene_rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    lucene_state *self   = state;
    double       *scores = corpus_scores(self->corpus);
    words_reset(&self->words);
    words_unicode(&self->words, query);
    score_field(self, &self->fields[0], scores);
    score_field(self, &self->fields[1], scores);
    return corpus_top(self->corpus, NULL, 0.25, ranked, ranked_max);
}

const quality_baseline baseline_spring_lucene = {"Spring AI, Lucene", false, lucene_open,
                                                 lucene_rank, lucene_close};

// --- Regex. --------------------------------------------------------------------------------------

#define PATTERN_SIZE_MAX 200u

static const char regex_stop_words[] =
    " a an the is are was were be been being have has had do does did will would could should may "
    "might must shall can need dare ought used to of in for on with at by from as into through "
    "during before after above below between and or but if because until while although this that "
    "these those what which who whom whose i me my we our you your he him his she her it its they "
    "them their all any both each every some no not only just also very too so ";

// Takes words away from the end until the pattern is short enough.
static void fit_pattern(quality_words *words)
{
    size_t size = strlen("(?i)()");
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        const deft_view word = words_at(words, i);
        size += word.size + (i > 0);
        for (size_t j = 0; j < word.size; j++) {
            size += strchr("\\.*+?^${}[]|()", word.data[j]) != NULL; // a backslash before it
        }
        if (size <= PATTERN_SIZE_MAX || i == 0) {
            kept = i + 1;
        }
    }
    words->count = kept;
}

static void drop_repeated(quality_words *words, bool is_short_dropped)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        const deft_view word    = words_at(words, i);
        bool            is_kept = !is_short_dropped || word.size >= 2;
        for (size_t j = 0; j < kept; j++) {
            is_kept = is_kept && !deft_view_equal(words_at(words, j), word);
        }
        if (is_kept) {
            words->items[kept++] = words->items[i];
        }
    }
    words->count = kept;
}

// Which pairs of bytes some word starts with; a word of one byte starts with any pair that has it.
typedef struct start_pairs {
    uint64_t bits[65536 / 64];
} start_pairs;

static void set_pair(start_pairs *pairs, unsigned char first, unsigned char second)
{
    const size_t pair = (size_t)first << 8 | second;
    pairs->bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

static void read_pairs(start_pairs *pairs, const quality_words *words)
{
    memset(pairs, 0, sizeof *pairs);
    for (size_t i = 0; i < words->count; i++) {
        const deft_view word = words_at(words, i);
        for (unsigned second = 0; second < 256 && word.size == 1; second++) {
            set_pair(pairs, (unsigned char)word.data[0], (unsigned char)second);
        }
        if (word.size > 1) {
            set_pair(pairs, (unsigned char)word.data[0], (unsigned char)word.data[1]);
        }
    }
}

static bool may_start(const start_pairs *pairs, deft_view text, size_t at)
{
    const size_t pair = (size_t)(unsigned char)text.data[at] << 8 |
                        (at + 1 < text.size ? (unsigned char)text.data[at + 1] : 0);
    return (pairs->bits[pair / 64] >> pair % 64 & 1) != 0;
}

// Places where the first fitting word of the pattern fits, left to right, none overlapping.
static size_t count_matches(deft_view text, const quality_words *words, const start_pairs *pairs,
                            size_t *first)
{
    size_t count = 0;
    for (size_t at = 0; at < text.size;) {
        size_t step = 1;
        for (size_t i = 0; may_start(pairs, text, at) && i < words->count; i++) {
            if (deft_view_starts_with(deft_view_slice(text, at, SIZE_MAX), words_at(words, i))) {
                *first = count == 0 ? at : *first;
                count++;
                step = words_at(words, i).size;
                break;
            }
        }
        at += step;
    }
    return count;
}

static size_t regex_rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    start_pairs       pairs;
    quality_counting *self   = state;
    double           *scores = corpus_scores(self->corpus);
    words_reset(&self->words);
    words_between(&self->words, query, WHITE_SPACE ",;:.!?()[]{}\"'");
    words_drop(&self->words, 0, regex_stop_words);
    drop_repeated(&self->words, true);
    if (self->words.count == 0) {
        words_between(&self->words, query, WHITE_SPACE ",;:.!?()[]{}\"'");
        drop_repeated(&self->words, false);
    }
    fit_pattern(&self->words);
    read_pairs(&pairs, &self->words);
    for (size_t i = 0; i < self->corpus->count; i++) {
        const corpus_tool *tool  = &self->corpus->tools[i];
        size_t             first = 0;
        size_t             count = count_matches(tool->name, &self->words, &pairs, &first);
        scores[i] += count > 0 ? 2 * (double)count + 1 / (1 + 0.1 * (double)first) : 0;
        count = count_matches(tool->description, &self->words, &pairs, &first);
        scores[i] += count > 0 ? (double)count + 0.5 / (1 + 0.1 * (double)first) : 0;
    }
    return corpus_top(self->corpus, NULL, 0, ranked, ranked_max);
}

const quality_baseline baseline_spring_regex = {"Spring AI, regex", false, counting_open,
                                                regex_rank, counting_close};
