// analyzer.h - text to terms. The same analysis runs over definitions when an index is built and
// over queries when it is searched, so both sides agree on what a word is. An analyzer is working
// memory: it belongs to one thread.
#ifndef DEFT_ANALYZER_H
#define DEFT_ANALYZER_H

#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_analyzer deft_analyzer;

// One word of a text: lower case, without accents. Identifiers give their parts and, when they
// were split inside (GitHub, sha256), themselves as a whole after the parts.
typedef struct deft_term {
    deft_view word;
    uint32_t  position; // counts parts from 0; a whole has the position of its first part
    bool      is_whole; // an identifier whose parts came before it
} deft_term;

// Longest word that is kept; the rest of a longer one is dropped.
#define DEFT_WORD_SIZE_MAX 64u

// `language` names a Snowball stemmer ("english", "german", ...); empty means english, "none" no
// stemming. New: free with deft_analyzer_free(). DEFT_NOT_FOUND for an unknown language.
DEFT_API deft_analyzer *deft_analyzer_new(deft_view language, const deft_allocator *allocator,
                                          deft_error *error);
DEFT_API void           deft_analyzer_free(deft_analyzer *analyzer); // NULL is fine

// The language as it was given, "english" for an empty one. Borrowed from the analyzer.
DEFT_API deft_view deft_analyzer_language(const deft_analyzer *analyzer);

// Longest name of a language.
#define DEFT_LANGUAGE_SIZE_MAX 31u

// Splits `text` (any bytes) into at most `terms_max` terms. Chinese, Japanese and Korean, which
// write no spaces, become overlapping pairs of characters. Borrowed: valid until the next run.
// NULL, with `count` 0, when there is no memory.
DEFT_API const deft_term *deft_analyzer_run(deft_analyzer *analyzer, deft_view text,
                                            size_t terms_max, size_t *count);

// The stem of a word as deft_analyzer_run gives it. Borrowed: valid until the next stem or run.
DEFT_API deft_view deft_analyzer_stem(deft_analyzer *analyzer, deft_view word);

#ifdef __cplusplus
}
#endif
#endif
