// schema.h - whether a call's arguments fit the tool's schema, told before the call is made, so that
// a model gets one clear sentence in place of a server's stack trace. Only what is surely wrong is
// told: the server is the judge, so what is not understood here (an unknown keyword, a reference out
// of the document, a limit that was reached) counts as fitting.
//
// JSON Schema 2020-12, and older drafts where they differ in writing only. Understood are type, enum,
// const, required, properties, additionalProperties, patternProperties, items, prefixItems, the
// limits of numbers, texts and arrays, pattern, anyOf, oneOf (as anyOf), allOf, not, and $ref inside
// the document. Nothing is ever fetched.
#ifndef DEFT_SCHEMA_H
#define DEFT_SCHEMA_H

#include "deft/allocator.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/export.h"
#include "deft/view.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deft_schema_report deft_schema_report;

// Zero in a field means the default.
typedef struct deft_schema_options {
    size_t   problems_max; // told; default 8
    size_t   size_max;     // bytes of a schema, a larger one fits everything; default 1 MiB
    uint64_t steps_max;    // comparisons in all; default 500,000
    uint32_t depth_max;    // of schemas inside one another, references followed; default 64
} deft_schema_options;

#define DEFT_SCHEMA_OPTIONS_INIT                                                                   \
    {                                                                                              \
        0, 0, 0, 0                                                                                 \
    }

#define DEFT_SCHEMA_PROBLEMS_MAX 8u
#define DEFT_SCHEMA_SIZE_MAX     (1024u * 1024)
#define DEFT_SCHEMA_STEPS_MAX    500000u
#define DEFT_SCHEMA_DEPTH_MAX    64u

// One thing that is wrong. Text from outside is cleaned: one line, nothing hidden.
typedef struct deft_schema_problem {
    deft_view path;    // "labels[2].name"; empty: the arguments as a whole
    deft_view message; // "is a number; accepted: a string"
    deft_view nearest; // the name or value that may have been meant; may be empty
} deft_schema_problem;

// Checks `arguments` against `schema`, both as JSON. An empty schema, or one that is no JSON, fits
// everything. `options` may be NULL. New: free with deft_schema_report_free(). NULL on failure:
// DEFT_INVALID or DEFT_LIMIT, the arguments are no JSON; DEFT_OUT_OF_MEMORY.
DEFT_API deft_schema_report *deft_schema_check(deft_view schema, deft_view arguments,
                                               const deft_schema_options *options,
                                               const deft_allocator *allocator, deft_error *error);
DEFT_API void                deft_schema_report_free(deft_schema_report *report); // NULL is fine

// What is wrong, in the order of the schema; none: the arguments fit. Borrowed from the report.
DEFT_API const deft_schema_problem *deft_schema_report_problems(const deft_schema_report *report,
                                                                size_t                   *count);

// Whether all of it was checked; false: a limit was reached, and the rest counts as fitting.
DEFT_API bool deft_schema_report_is_whole(const deft_schema_report *report);

// The problems as sentences for a model: "'title' is required and was not given. 'count' is ...".
DEFT_API deft_status deft_schema_report_write(const deft_schema_report *report, deft_buffer *out);

// Sets right what models do wrong without doubt or harm, among the top members of an object: a
// text where the schema takes none and what the text holds fits ("5" for 5, "true" for true, "[1]"
// for [1]), and null for something that may be left out and cannot be null (left out). Appends the
// arguments to `out` and the names of what was changed to `names`, separated by ", ", and counts
// them; nothing is appended where nothing was. On failure nothing is appended either: as above.
DEFT_API deft_status deft_schema_repair(deft_view schema, deft_view arguments, deft_buffer *out,
                                        deft_buffer *names, size_t *count, deft_error *error);

#ifdef __cplusplus
}
#endif
#endif
