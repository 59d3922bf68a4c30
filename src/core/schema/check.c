// How a value is held against a schema: keyword by keyword, schemas inside schemas, references.
#include "core/schema/checker.h"

#include "base/fail.h"

void deft__checker_init(deft__checker *checker, deft__json_value root,
                        const deft_schema_options *options, deft_schema_report *report)
{
    *checker = (deft__checker){
        .root       = root,
        .steps_left = options->steps_max > 0 ? options->steps_max : DEFT_SCHEMA_STEPS_MAX,
        .depth_left = options->depth_max > 0 ? options->depth_max : DEFT_SCHEMA_DEPTH_MAX,
        .report     = report,
    };
    deft_buffer_init(&checker->text, report->allocator);
    deft_buffer_init(&checker->other, report->allocator);
    deft_buffer_init(&checker->message, report->allocator);

    // "http://json-schema.org/draft-07/schema#"
    const deft_view dialect = deft__json_raw(deft__json_member(root, "$schema"));
    for (size_t i = 0; i + 7 <= dialect.size; i++) {
        checker->is_old = checker->is_old || memcmp(dialect.data + i, "draft-0", 7) == 0;
    }
}

void deft__checker_clear(deft__checker *checker)
{
    deft__pattern_clear(&checker->pattern.pattern);
    deft_buffer_clear(&checker->text);
    deft_buffer_clear(&checker->other);
    deft_buffer_clear(&checker->message);
}

bool deft__checker_step(deft__checker *checker, size_t count)
{
    if (count > checker->steps_left) {
        checker->steps_left     = 0;
        checker->report->is_cut = true;
        return false;
    }
    checker->steps_left -= count;
    return true;
}

deft_view deft__checker_decode(deft__checker *checker, deft__json_value value, deft_buffer *into)
{
    deft_buffer_reset(into);
    const deft_view text = deft__json_string(value, into);
    if (into->status != DEFT_OK) {
        checker->status = DEFT_OUT_OF_MEMORY;
        return deft_view_make(NULL, 0);
    }
    return text;
}

// --- References. ---------------------------------------------------------------------------------

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    } else if (byte >= 'a' && byte <= 'f') {
        return byte - 'a' + 10;
    } else if (byte >= 'A' && byte <= 'F') {
        return byte - 'A' + 10;
    } else {
        return -1;
    }
}

// One step of a JSON pointer in a URI's fragment, decoded: %XX, then ~1 for / and ~0 for ~.
static deft_view decode_step(deft_view step, deft_buffer *out)
{
    deft_buffer_reset(out);
    for (size_t i = 0; i < step.size; i++) {
        char byte = step.data[i];
        if (byte == '%' && i + 2 < step.size && hex_digit(step.data[i + 1]) >= 0 &&
            hex_digit(step.data[i + 2]) >= 0) {
            byte = (char)(16 * hex_digit(step.data[i + 1]) + hex_digit(step.data[i + 2]));
            i += 2;
        } else if (byte == '~' && i + 1 < step.size &&
                   (step.data[i + 1] == '0' || step.data[i + 1] == '1')) {
            byte = step.data[++i] == '0' ? '~' : '/';
        }
        deft_buffer_append_byte(out, byte);
    }
    return deft_buffer_view(out);
}

static deft__json_value item_at(deft__json_value array, deft_view text)
{
    deft__json_iterator i     = deft__json_iterate(array);
    size_t              index = 0;
    for (size_t at = 0; at < text.size && at < 9; at++) {
        index = text.data[at] >= '0' && text.data[at] <= '9'
                    ? 10 * index + (size_t)(text.data[at] - '0')
                    : SIZE_MAX / 20;
    }
    while (deft__json_next(&i)) {
        if (index-- == 0) {
            return i.value;
        }
    }
    return (deft__json_value){.document = NULL};
}

// What a reference inside the document points to; document NULL for any other.
static deft__json_value resolve(deft__checker *checker, deft__json_value reference)
{
    const deft__json_value nothing = {.document = NULL};
    const deft_view        text    = deft__checker_decode(checker, reference, &checker->other);
    deft__json_value       found   = checker->root;
    if (text.size == 0 || text.data[0] != '#' || checker->base_count > 0 ||
        (text.size > 1 && text.data[1] != '/')) {
        return nothing;
    }
    for (size_t start = 2; start <= text.size && text.size > 1;) {
        size_t end = start;
        while (end < text.size && text.data[end] != '/') {
            end++;
        }
        if (!deft__checker_step(checker, 1 + deft__json_count(found))) {
            return nothing;
        }
        const deft_view step =
            decode_step(deft_view_slice(text, start, end - start), &checker->text);
        if (checker->text.status != DEFT_OK) {
            checker->status = DEFT_OUT_OF_MEMORY;
            return nothing;
        }
        found = deft__json_is(found, DEFT__JSON_ARRAY) ? item_at(found, step)
                                                       : deft__json_member_view(found, step);
        if (deft__json_is(found, DEFT__JSON_NONE)) {
            return nothing;
        }
        start = end + 1;
    }
    return found;
}

static deft__fit check_reference(deft__checker *checker, deft__json_value reference,
                                 deft__json_value value, const deft__schema_place *place)
{
    const deft__json_value schema = resolve(checker, reference);
    return schema.document != NULL ? deft__check(checker, schema, value, place) : DEFT__FIT_UNSURE;
}

// --- Schemas inside schemas. ---------------------------------------------------------------------

deft__fit deft__check_quietly(deft__checker *checker, deft__json_value schema,
                              deft__json_value value)
{
    checker->mute++;
    const deft__fit fit = deft__check(checker, schema, value, NULL);
    checker->mute--;
    return fit;
}

static deft__fit check_all(deft__checker *checker, deft__json_value schemas, deft__json_value value,
                           const deft__schema_place *place)
{
    deft__fit           fit = DEFT__FIT_YES;
    deft__json_iterator i   = deft__json_iterate(schemas);
    while (deft__json_next(&i)) {
        fit = deft__fit_and(fit, deft__check(checker, i.value, value, place));
    }
    return fit;
}

// Whether the value is of the kind that an alternative is for, as its type says.
static bool is_for_kind(deft__checker *checker, deft__json_value schema, deft__json_value value)
{
    deft__keywords keywords;
    if (!deft__json_is(schema, DEFT__JSON_OBJECT)) {
        return false;
    }
    deft__keywords_read(&keywords, schema);
    if (deft__keywords_has(&keywords, DEFT__KEYWORD_REF)) {
        const deft__json_value target = resolve(checker, keywords.at[DEFT__KEYWORD_REF]);
        if (!deft__json_is(target, DEFT__JSON_OBJECT)) {
            return false;
        }
        deft__keywords_read(&keywords, target);
    }
    checker->mute++;
    const deft__fit fit = deft__check_type(checker, &keywords, value, NULL);
    checker->mute--;
    return fit != DEFT__FIT_NO;
}

// None of the alternatives fits. Where one alone is for this kind of value, what is wrong with that
// one says most.
static void tell_alternatives(deft__checker *checker, deft__json_value schemas,
                              deft__json_value value, const deft__schema_place *place)
{
    deft__json_value    likely = {.document = NULL};
    size_t              count  = 0;
    deft__json_iterator i      = deft__json_iterate(schemas);
    while (deft__json_next(&i) && deft__checker_step(checker, 1)) {
        if (is_for_kind(checker, i.value, value)) {
            likely = i.value;
            count++;
        }
    }
    const size_t before = checker->report->problem_count;
    if (count == 1) {
        (void)deft__check(checker, likely, value, place);
    }
    deft_buffer *out =
        checker->report->problem_count == before ? deft__problem_begin(checker) : NULL;
    if (out == NULL) {
        return;
    }
    deft_buffer_append_text(out, "is ");
    deft__append_value(out, value);
    deft_buffer_append_text(out, ", which fits none of what is accepted: ");
    i            = deft__json_iterate(schemas);
    size_t shown = 0;
    while (deft__json_next(&i) && shown < 6) {
        deft_buffer_append_text(out, shown++ > 0 ? ", " : "");
        deft__append_value(out, i.value);
    }
    deft__problem_end(checker, place, deft_view_make(NULL, 0));
}

// anyOf. oneOf counts alike: schemas whose alternatives overlap are common, and their servers do not
// mind.
static deft__fit check_any(deft__checker *checker, deft__json_value schemas, deft__json_value value,
                           const deft__schema_place *place)
{
    deft__fit           fit = DEFT__FIT_NO;
    deft__json_iterator i   = deft__json_iterate(schemas);
    if (!deft__json_is(schemas, DEFT__JSON_ARRAY) || deft__json_count(schemas) == 0) {
        return DEFT__FIT_UNSURE;
    }
    while (fit != DEFT__FIT_YES && deft__json_next(&i)) {
        fit = deft__fit_or(fit, deft__check_quietly(checker, i.value, value));
    }
    if (fit == DEFT__FIT_NO && checker->mute == 0) {
        tell_alternatives(checker, schemas, value, place);
    }
    return fit;
}

static deft__fit check_not(deft__checker *checker, deft__json_value schema, deft__json_value value,
                           const deft__schema_place *place)
{
    const deft__fit inner = deft__check_quietly(checker, schema, value);
    if (inner != DEFT__FIT_YES) {
        return inner == DEFT__FIT_NO ? DEFT__FIT_YES : DEFT__FIT_UNSURE;
    }
    deft_buffer *out = deft__problem_begin(checker);
    if (out != NULL) {
        deft_buffer_append_text(out, "is ");
        deft__append_value(out, value);
        deft_buffer_append_text(out, ", which is excluded by ");
        deft__append_value(out, schema);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return DEFT__FIT_NO;
}

static deft__fit check_combined(deft__checker *checker, const deft__keywords *keywords,
                                deft__json_value value, const deft__schema_place *place)
{
    deft__fit fit = DEFT__FIT_YES;
    if (deft__keywords_has(keywords, DEFT__KEYWORD_ALL_OF)) {
        fit = deft__fit_and(fit,
                            check_all(checker, keywords->at[DEFT__KEYWORD_ALL_OF], value, place));
    }
    if (deft__keywords_has(keywords, DEFT__KEYWORD_ANY_OF)) {
        fit = deft__fit_and(fit,
                            check_any(checker, keywords->at[DEFT__KEYWORD_ANY_OF], value, place));
    }
    if (deft__keywords_has(keywords, DEFT__KEYWORD_ONE_OF)) {
        fit = deft__fit_and(fit,
                            check_any(checker, keywords->at[DEFT__KEYWORD_ONE_OF], value, place));
    }
    if (deft__keywords_has(keywords, DEFT__KEYWORD_NOT)) {
        fit = deft__fit_and(fit, check_not(checker, keywords->at[DEFT__KEYWORD_NOT], value, place));
    }
    return fit;
}

// --- All of it. ----------------------------------------------------------------------------------

static deft__fit check_by_kind(deft__checker *checker, const deft__keywords *keywords,
                               deft__json_value value, const deft__schema_place *place)
{
    switch (deft__json_kind_of(value)) {
    case DEFT__JSON_NUMBER:
        return deft__check_number(checker, keywords, value, place);
    case DEFT__JSON_STRING:
        return deft__check_string(checker, keywords, value, place);
    case DEFT__JSON_ARRAY:
        return deft__check_array(checker, keywords, value, place);
    case DEFT__JSON_OBJECT:
        return deft__check_object(checker, keywords, value, place);
    case DEFT__JSON_NONE:
    case DEFT__JSON_NULL:
    case DEFT__JSON_FALSE:
    case DEFT__JSON_TRUE:
        break;
    }
    return DEFT__FIT_YES;
}

static deft__fit check_keywords(deft__checker *checker, const deft__keywords *keywords,
                                deft__json_value value, const deft__schema_place *place)
{
    deft__fit fit = keywords->has_unknown ? DEFT__FIT_UNSURE : DEFT__FIT_YES;
    if (deft__json_is(value, DEFT__JSON_NULL) &&
        deft__json_is(keywords->at[DEFT__KEYWORD_NULLABLE], DEFT__JSON_TRUE)) {
        return DEFT__FIT_UNSURE;
    }
    if (deft__keywords_has(keywords, DEFT__KEYWORD_REF)) {
        fit = deft__fit_and(
            fit, check_reference(checker, keywords->at[DEFT__KEYWORD_REF], value, place));
        if (checker->is_old || fit == DEFT__FIT_NO) {
            return fit;
        }
    }
    fit = deft__fit_and(fit, deft__check_type(checker, keywords, value, place));
    if (fit == DEFT__FIT_NO) {
        return fit; // the rest would only say the same again
    }
    fit = deft__fit_and(fit, deft__check_choice(checker, keywords, value, place));
    if (fit != DEFT__FIT_NO || checker->mute == 0) {
        fit = deft__fit_and(fit, check_by_kind(checker, keywords, value, place));
    }
    if (fit != DEFT__FIT_NO || checker->mute == 0) {
        fit = deft__fit_and(fit, check_combined(checker, keywords, value, place));
    }
    return fit;
}

deft__fit deft__check(deft__checker *checker, deft__json_value schema, deft__json_value value,
                      const deft__schema_place *place)
{
    if (checker->status != DEFT_OK || !deft__checker_step(checker, 1 + deft__json_count(schema))) {
        return DEFT__FIT_UNSURE;
    }
    if (deft__json_is(schema, DEFT__JSON_FALSE)) {
        deft_buffer *out = deft__problem_begin(checker);
        if (out != NULL) {
            deft_buffer_append_text(out, "is not accepted");
            deft__problem_end(checker, place, deft_view_make(NULL, 0));
        }
        return DEFT__FIT_NO;
    } else if (deft__json_is(schema, DEFT__JSON_TRUE)) {
        return DEFT__FIT_YES;
    } else if (!deft__json_is(schema, DEFT__JSON_OBJECT)) {
        return DEFT__FIT_UNSURE;
    }
    if (checker->depth_left == 0) {
        checker->report->is_cut = true;
        return DEFT__FIT_UNSURE;
    }
    deft__keywords keywords;
    deft__keywords_read(&keywords, schema);
    const bool has_base =
        deft__keywords_has(&keywords, DEFT__KEYWORD_ID) && schema.token != checker->root.token;
    checker->base_count += has_base ? 1 : 0;
    checker->depth_left--;
    deft__fit fit = check_keywords(checker, &keywords, value, place);
    checker->depth_left++;
    checker->base_count -= has_base ? 1 : 0;
    return checker->status == DEFT_OK ? fit : DEFT__FIT_UNSURE;
}

deft_status deft__schema_parse(deft__json *document, deft_view schema,
                               const deft_schema_options *options)
{
    const size_t size_max = options->size_max > 0 ? options->size_max : DEFT_SCHEMA_SIZE_MAX;
    if (schema.size > size_max) {
        return DEFT_LIMIT;
    }
    return deft__json_parse(document, schema, NULL, NULL);
}

static deft_schema_report *check_values(deft__json_value schema, deft__json_value arguments,
                                        const deft_schema_options *options,
                                        const deft_allocator *allocator, deft_error *error)
{
    deft_schema_report *report = deft__schema_report_new(options, allocator);
    if (report == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    deft__checker checker;
    deft__checker_init(&checker, schema, options, report);
    (void)deft__check(&checker, schema, arguments, NULL);
    const deft_status status = checker.status;
    deft__checker_clear(&checker);
    if (status != DEFT_OK) {
        deft_schema_report_free(report);
        deft__fail_memory(error);
        return NULL;
    }
    return report;
}

deft_schema_report *deft_schema_check(deft_view schema, deft_view arguments,
                                      const deft_schema_options *options,
                                      const deft_allocator *allocator, deft_error *error)
{
    const deft_schema_options defaults = DEFT_SCHEMA_OPTIONS_INIT;
    deft_schema_report       *report   = NULL;
    deft__json                documents[2];
    options = options != NULL ? options : &defaults;
    deft__json_init(&documents[0], allocator);
    deft__json_init(&documents[1], allocator);
    deft_status status = deft__schema_parse(&documents[0], schema, options);
    if (status == DEFT_OUT_OF_MEMORY) {
        deft__fail_memory(error);
    } else if (deft__json_parse(&documents[1], arguments, NULL, error) == DEFT_OK) {
        report = check_values(deft__json_root(&documents[0]), deft__json_root(&documents[1]),
                              options, allocator, error);
    }
    if (report != NULL && status == DEFT_LIMIT) {
        report->is_cut = true;
    }
    deft__json_clear(&documents[1]);
    deft__json_clear(&documents[0]);
    return report;
}
