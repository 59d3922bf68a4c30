// words.h - the ways in which the baselines cut texts into words.
#ifndef DEFT_TESTS_QUALITY_WORDS_H
#define DEFT_TESTS_QUALITY_WORDS_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <libstemmer.h>
#include <stdint.h>

typedef struct quality_words {
    struct {
        uint32_t offset;
        uint32_t size;
    } * items;
    size_t      count;
    size_t      capacity;
    deft_buffer text;
} quality_words;

void      words_init(quality_words *words);
void      words_clear(quality_words *words);
void      words_reset(quality_words *words); // no words, memory kept
deft_view words_at(const quality_words *words, size_t index);
void      words_add(quality_words *words, deft_view word);

// Each appends the words of `text`, in lower case.
void words_ascii(quality_words *words, deft_view text);            // [A-Za-z0-9]+
void words_ascii_underscore(quality_words *words, deft_view text); // [A-Za-z0-9_]+
void words_between(quality_words *words, deft_view text,
                   const char *set); // what stands between these
void words_identifiers(quality_words *words,
                       deft_view      text); // [A-Za-z0-9]+, cut where case or kind changes

// Words as UAX #29 has them, near enough: letters and digits and what joins them (an underscore;
// an apostrophe, a dot, a colon between letters; a dot, a comma between digits); ideographs and
// hiragana one by one.
void words_unicode(quality_words *words, deft_view text);

// From the word at `from` on: drops those in `list` (separated by single spaces, with one at either
// end); puts stems in place of words.
void words_drop(quality_words *words, size_t from, const char *list);
void words_stem(quality_words *words, struct sb_stemmer *stemmer);

struct sb_stemmer *must_stemmer(const char *algorithm);

// Appends the text in lower case; without the accents of its letters.
void lower(deft_buffer *out, deft_view text);
void strip_accents(deft_buffer *out, deft_view text);

// Stop words of NLTK for English, for words_drop.
extern const char nltk_stop_words[];

#endif
