// pattern.h - a regular expression from outside. It may be broken or, on some text, take forever:
// PCRE2 counts its steps, and a text that needs too many ends in DEFT_LIMIT.
#ifndef DEFT_CORE_PATTERN_PATTERN_H
#define DEFT_CORE_PATTERN_PATTERN_H

#include "deft/allocator.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__pattern_options {
    uint32_t steps_max; // for one text
    uint32_t depth_max;
    uint32_t heap_kibi_max;
    bool     is_caseless;
    bool     is_not_empty; // a match of no characters is none, and no text has one
    bool     is_ecma;      // \u0041 and \x41 as JavaScript writes them
} deft__pattern_options;

// What PCRE2 needs; the fields are its own.
typedef struct deft__pattern {
    void    *general;
    void    *code;
    void    *limits;
    void    *data;
    uint32_t match_options;
} deft__pattern;

// DEFT_INVALID: it is no pattern; offset and message say where and why. Clear it in any case.
deft_status deft__pattern_init(deft__pattern *pattern, deft_view text,
                               const deft__pattern_options *options,
                               const deft_allocator *allocator, deft_error *error);
void        deft__pattern_clear(deft__pattern *pattern); // zeroed is fine

// Whether it is somewhere in `text`. DEFT_LIMIT: that is too costly to find out.
deft_status deft__pattern_match(const deft__pattern *pattern, deft_view text, bool *is_match,
                                deft_error *error);

#endif
