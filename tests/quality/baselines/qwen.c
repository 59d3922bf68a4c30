// Qwen Code: for each word of the query that is no stop word 12 points when the name (with its
// server before it, mcp__server__tool) is it or ends in it, 6 when the name has it, 2 when the
// description has it. delete, remove, cancel, stop and clear stand for one another; 6 more when
// another one of them is in the name. Equal scores go by name.
#include "quality/baselines/baseline.h"
#include "quality/baselines/counting.h"

#include <stdlib.h>
#include <utf8proc.h>

static const char stop_words[] =
    " a an and are at be can could did do does for from how i in is it "
    "me my of on or please should that the these this those to was "
    "were what which with would you ";

static const char *const actions[] = {"cancel", "clear", "delete", "remove", "stop"};

#define ACTION_COUNT (sizeof actions / sizeof actions[0])

static bool is_kept(utf8proc_int32_t c)
{
    const utf8proc_category_t category = utf8proc_category(c);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
           (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) || c == '_' ||
           c == '.' || c == '+' || c == '#' || c == '-';
}

// The word without what stands around it.
static deft_view trim(deft_view word)
{
    size_t start = word.size;
    size_t end   = 0;
    for (size_t at = 0; at < word.size;) {
        utf8proc_int32_t       c    = 0;
        const utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)word.data + at,
                                                       (utf8proc_ssize_t)(word.size - at), &c);
        const size_t           step = size > 0 ? (size_t)size : 1;
        if (size > 0 && is_kept(c)) {
            start = at < start ? at : start;
            end   = at + step;
        }
        at += step;
    }
    return start < end ? deft_view_slice(word, start, end - start) : deft_view_make(word.data, 0);
}

// Points of one word that stands for itself alone.
static void score_word(quality_counting *counting, deft_view word, double *scores)
{
    const quality_occurrences *found = corpus_find(counting->corpus, word);
    for (size_t j = 0; j < found->count; j++) {
        const uint32_t places = found->items[j].places;
        const double   name   = (places & ENDS_WIRE_NAME) != 0 ? 12
                                : (places & IN_WIRE_NAME) != 0 ? 6
                                                               : 0;
        scores[found->items[j].tool] += name + ((places & IN_DESCRIPTION) != 0 ? 2 : 0);
    }
}

// Points of a word that stands for others too: the best place of any, once.
static void score_action(quality_counting *counting, deft_view word, double *scores)
{
    uint32_t *places       = must_alloc(counting->corpus->count * sizeof *places);
    uint32_t *other_places = must_alloc(counting->corpus->count * sizeof *other_places);
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        const bool                 is_other = !deft_view_equals(word, actions[i]);
        const quality_occurrences *found = corpus_find(counting->corpus, deft_view_of(actions[i]));
        for (size_t j = 0; j < found->count; j++) {
            places[found->items[j].tool] |= found->items[j].places;
            other_places[found->items[j].tool] |= is_other ? found->items[j].places : 0;
        }
    }
    for (size_t i = 0; i < counting->corpus->count; i++) {
        const double name = (places[i] & ENDS_WIRE_NAME) != 0 ? 12
                            : (places[i] & IN_WIRE_NAME) != 0 ? 6
                                                              : 0;
        scores[i] += name + ((places[i] & IN_DESCRIPTION) != 0 ? 2 : 0) +
                     ((other_places[i] & IN_WIRE_NAME) != 0 ? 6 : 0);
    }
    free(places);
    free(other_places);
}

static bool is_action(deft_view word)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (deft_view_equals(word, actions[i])) {
            return true;
        }
    }
    return false;
}

static size_t rank(void *state, deft_view query, uint32_t *ranked, size_t ranked_max)
{
    quality_counting *counting = state;
    double           *scores   = corpus_scores(counting->corpus);
    words_reset(&counting->words);
    words_between(&counting->words, query, WHITE_SPACE);
    const size_t raw_count = counting->words.count;
    for (size_t i = 0; i < raw_count; i++) {
        deft_buffer_reset(&counting->scratch);
        deft_buffer_append(&counting->scratch, trim(words_at(&counting->words, i)));
        words_add(&counting->words, deft_buffer_view(&counting->scratch));
    }
    words_drop(&counting->words, raw_count, stop_words);
    for (size_t i = raw_count; i < counting->words.count; i++) {
        const deft_view word = words_at(&counting->words, i);
        if (is_action(word)) {
            score_action(counting, word, scores);
        } else if (word.size >= 2) {
            score_word(counting, word, scores);
        }
    }
    return corpus_top(counting->corpus, counting->corpus->by_wire_name, 0, ranked, ranked_max);
}

const quality_baseline baseline_qwen = {"Qwen Code", false, counting_open, rank, counting_close};
