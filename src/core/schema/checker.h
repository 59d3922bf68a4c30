// checker.h - one check of arguments against a schema, shared by the files of this folder.
//
// An answer has three values: it fits, it does not, or it cannot be told. They are ordered, so that
// "and" is the smaller and "or" the larger of two, and "not" turns the order around. Only what
// surely does not fit is a problem.
#ifndef DEFT_CORE_SCHEMA_CHECKER_H
#define DEFT_CORE_SCHEMA_CHECKER_H

#include "core/pattern/pattern.h"
#include "deft/schema.h"

#include "base/arena.h"
#include "json/reader.h"

typedef enum deft__fit {
    DEFT__FIT_NO,
    DEFT__FIT_UNSURE,
    DEFT__FIT_YES
} deft__fit;

static inline deft__fit deft__fit_and(deft__fit a, deft__fit b)
{
    return a < b ? a : b;
}

static inline deft__fit deft__fit_or(deft__fit a, deft__fit b)
{
    return a > b ? a : b;
}

// What of a schema object is understood.
typedef enum deft__keyword {
    DEFT__KEYWORD_REF,
    DEFT__KEYWORD_ID,
    DEFT__KEYWORD_TYPE,
    DEFT__KEYWORD_NULLABLE, // OpenAPI's
    DEFT__KEYWORD_ENUM,
    DEFT__KEYWORD_CONST,
    DEFT__KEYWORD_PROPERTIES,
    DEFT__KEYWORD_REQUIRED,
    DEFT__KEYWORD_ADDITIONAL_PROPERTIES,
    DEFT__KEYWORD_PATTERN_PROPERTIES,
    DEFT__KEYWORD_ITEMS,
    DEFT__KEYWORD_PREFIX_ITEMS,
    DEFT__KEYWORD_ADDITIONAL_ITEMS, // of older drafts
    DEFT__KEYWORD_MIN_ITEMS,
    DEFT__KEYWORD_MAX_ITEMS,
    DEFT__KEYWORD_MINIMUM,
    DEFT__KEYWORD_MAXIMUM,
    DEFT__KEYWORD_EXCLUSIVE_MINIMUM,
    DEFT__KEYWORD_EXCLUSIVE_MAXIMUM,
    DEFT__KEYWORD_MULTIPLE_OF,
    DEFT__KEYWORD_MIN_LENGTH,
    DEFT__KEYWORD_MAX_LENGTH,
    DEFT__KEYWORD_PATTERN,
    DEFT__KEYWORD_ANY_OF,
    DEFT__KEYWORD_ONE_OF,
    DEFT__KEYWORD_ALL_OF,
    DEFT__KEYWORD_NOT,
    DEFT__KEYWORD_COUNT
} deft__keyword;

typedef struct deft__keywords {
    deft__json_value at[DEFT__KEYWORD_COUNT];
    bool             has_unknown; // something that may restrict, we do not know how
} deft__keywords;

void deft__keywords_read(deft__keywords *keywords, deft__json_value schema);

static inline bool deft__keywords_has(const deft__keywords *keywords, deft__keyword keyword)
{
    return keywords->at[keyword].document != NULL;
}

// Where in the arguments something is; a chain up to them. NULL stands for the arguments themselves.
typedef struct deft__schema_place {
    const struct deft__schema_place *parent;
    deft__json_value                 name;   // of a member; kind NONE for an item
    deft_view                        wanted; // of a member that is not there
    size_t                           index;  // of an item
} deft__schema_place;

// A checker keeps its last pattern: the items of an array all ask for the same one.
typedef struct deft__schema_pattern {
    deft__pattern pattern;
    const char   *text; // where in the schema it is; NULL: none yet
    bool          is_usable;
} deft__schema_pattern;

typedef struct deft__checker {
    deft__json_value     root;       // the schema
    bool                 is_old;     // drafts up to 7: a $ref stands alone
    unsigned             base_count; // schemas around this one that call themselves something else
    uint64_t             steps_left;
    uint32_t             depth_left;
    unsigned             mute;   // above 0: nothing is told
    deft_status          status; // DEFT_OUT_OF_MEMORY: all answers are unsure then
    deft_buffer          text;   // decoded text of the arguments
    deft_buffer          other;  // decoded text of the schema
    deft_buffer          message;
    deft__schema_pattern pattern;
    deft_schema_report  *report;
} deft__checker;

struct deft_schema_report {
    const deft_allocator *allocator;
    deft__arena           arena; // what the problems point to
    deft_schema_problem  *problems;
    size_t                problem_count;
    size_t                problem_max;
    bool                  is_cut; // a limit was reached
};

// New: free with deft_schema_report_free(). NULL: no memory.
deft_schema_report *deft__schema_report_new(const deft_schema_options *options,
                                            const deft_allocator      *allocator);

// Parses a schema. On failure the document has no values, and a schema of kind NONE fits everything.
deft_status deft__schema_parse(deft__json *document, deft_view schema,
                               const deft_schema_options *options);

// `root` must stay in place until clear.
void deft__checker_init(deft__checker *checker, deft__json_value root,
                        const deft_schema_options *options, deft_schema_report *report);
void deft__checker_clear(deft__checker *checker);

// Takes steps; false: there are none left.
bool deft__checker_step(deft__checker *checker, size_t count);

// Whether `value` fits `schema`. What does not is told, unless the checker is muted.
deft__fit deft__check(deft__checker *checker, deft__json_value schema, deft__json_value value,
                      const deft__schema_place *place);

// The same with nothing told.
deft__fit deft__check_quietly(deft__checker *checker, deft__json_value schema,
                              deft__json_value value);

// Parts of it, by kind of value.
deft__fit deft__check_type(deft__checker *checker, const deft__keywords *keywords,
                           deft__json_value value, const deft__schema_place *place);
deft__fit deft__check_choice(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place);
deft__fit deft__check_number(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place);
deft__fit deft__check_string(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place);
deft__fit deft__check_array(deft__checker *checker, const deft__keywords *keywords,
                            deft__json_value value, const deft__schema_place *place);
deft__fit deft__check_object(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place);
// Whether `text` has the pattern, a string of the schema.
deft__fit deft__check_pattern(deft__checker *checker, deft__json_value pattern, deft_view text);

// Whether two values are the same.
deft__fit deft__schema_equal(deft__checker *checker, deft__json_value a, deft__json_value b,
                             uint32_t depth_left);

// A string's text into one of the checker's buffers; the empty view when there is no memory, which
// the checker then knows.
deft_view deft__checker_decode(deft__checker *checker, deft__json_value value, deft_buffer *into);

// How many edits still make a slip of a name or a word; none in one of two letters.
size_t deft__schema_slips_max(deft_view word);

// Begins a problem: append to what is returned, then end it. NULL: it is not to be told.
deft_buffer *deft__problem_begin(deft__checker *checker);
void deft__problem_end(deft__checker *checker, const deft__schema_place *place, deft_view nearest);

// Pieces of messages: a value of the arguments or the schema, cut; a name in quotes.
void deft__append_value(deft_buffer *out, deft__json_value value);
void deft__append_name(deft_buffer *out, deft_view name);

#endif
