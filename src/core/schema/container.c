// What is inside arrays and objects: items, members that must be there, members that nobody knows.
#include "core/schema/checker.h"

#include "base/nearest.h"

// Names that a message lists.
static const size_t shown_max = 12;

// --- Arrays. -------------------------------------------------------------------------------------

static deft__fit check_count(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place)
{
    const deft__json_value least  = keywords->at[DEFT__KEYWORD_MIN_ITEMS];
    const deft__json_value most   = keywords->at[DEFT__KEYWORD_MAX_ITEMS];
    const size_t           count  = deft__json_count(value);
    uint64_t               number = 0;
    const bool             is_short =
        least.document != NULL && deft__json_uint64(least, &number) == DEFT_OK && count < number;
    const bool is_long =
        most.document != NULL && deft__json_uint64(most, &number) == DEFT_OK && count > number;
    deft_buffer *out = is_short || is_long ? deft__problem_begin(checker) : NULL;
    if (out != NULL) {
        deft_buffer_append_text(out, "has ");
        deft_buffer_append_u64(out, count);
        deft_buffer_append_text(out, count == 1 ? " item; accepted: " : " items; accepted: ");
        deft_buffer_append_text(out, is_short ? "at least " : "at most ");
        deft__append_value(out, is_short ? least : most);
        deft__problem_end(checker, place, deft_view_make(NULL, 0));
    }
    return is_short || is_long ? DEFT__FIT_NO : DEFT__FIT_YES;
}

// Older drafts write the first items as an array called `items` and the rest as `additionalItems`.
deft__fit deft__check_array(deft__checker *checker, const deft__keywords *keywords,
                            deft__json_value value, const deft__schema_place *place)
{
    const bool is_old = deft__json_is(keywords->at[DEFT__KEYWORD_ITEMS], DEFT__JSON_ARRAY);
    const deft__json_value firsts =
        keywords->at[is_old ? DEFT__KEYWORD_ITEMS : DEFT__KEYWORD_PREFIX_ITEMS];
    const deft__json_value rest =
        keywords->at[is_old ? DEFT__KEYWORD_ADDITIONAL_ITEMS : DEFT__KEYWORD_ITEMS];

    deft__fit           fit   = check_count(checker, keywords, value, place);
    deft__json_iterator first = deft__json_iterate(firsts);
    deft__json_iterator item  = deft__json_iterate(value);
    if (firsts.document == NULL && rest.document == NULL) {
        return fit;
    }
    for (size_t index = 0; deft__json_next(&item); index++) {
        const deft__schema_place here   = {.parent = place, .index = index};
        const deft__json_value   schema = deft__json_next(&first) ? first.value : rest;
        if (schema.document != NULL) {
            fit = deft__fit_and(fit, deft__check(checker, schema, item.value, &here));
        }
        if ((fit == DEFT__FIT_NO && checker->mute > 0) || checker->steps_left == 0 ||
            checker->status != DEFT_OK) {
            break;
        }
    }
    return fit;
}

// --- Objects. ------------------------------------------------------------------------------------

// Looks a name of one document up in an object of the other. Steps are taken for the search, and for
// long names.
static deft__json_value find_member(deft__checker *checker, deft__json_value object,
                                    deft__json_value name, deft_buffer *scratch)
{
    const deft__json_value nothing = {.document = NULL};
    if (!deft__checker_step(checker,
                            deft__json_count(object) * (1 + deft__json_raw(name).size / 64))) {
        return nothing;
    }
    const deft_view text = deft__checker_decode(checker, name, scratch);
    return checker->status == DEFT_OK ? deft__json_member_view(object, text) : nothing;
}

static bool is_there(deft__json_value value)
{
    return !deft__json_is(value, DEFT__JSON_NONE);
}

// The name in `object` nearest to `name`, leaving out what `known` (may be of kind NONE) has.
static deft_view nearest_name(deft__checker *checker, deft__json_value object,
                              deft__json_value known, deft_view name)
{
    deft_view           nearest  = {NULL, 0};
    size_t              distance = deft__schema_slips_max(name) + 1;
    deft__json_iterator i        = deft__json_iterate(object);
    while (deft__json_next(&i) && deft__checker_step(checker, 16)) {
        const deft_view raw  = deft__json_raw(i.name);
        const deft_view text = deft_view_slice(raw, 1, raw.size - 2); // slips have no escapes
        const size_t    this_distance = deft__edit_distance(name, text, distance);
        if (this_distance < distance && !is_there(deft__json_member_view(known, text))) {
            distance = this_distance;
            nearest  = text;
        }
    }
    return nearest;
}

// One that must be there and is not. A member that nobody knows and whose name is near may be it.
static void tell_missing(deft__checker *checker, const deft__keywords *keywords,
                         deft__json_value object, deft_view name, const deft__schema_place *place)
{
    const deft__schema_place here = {.parent = place, .wanted = name};
    deft_buffer             *out  = deft__problem_begin(checker);
    if (out == NULL) {
        return;
    }
    const deft_view given =
        nearest_name(checker, object, keywords->at[DEFT__KEYWORD_PROPERTIES], name);
    deft_buffer_append_text(out, "is required and was not given");
    if (given.size > 0) {
        deft_buffer_append_text(out, "; ");
        deft__append_name(out, given);
        deft_buffer_append_text(out, " was given, did you mean ");
        deft__append_name(out, name);
        deft_buffer_append_byte(out, '?');
    }
    deft__problem_end(checker, &here, given);
}

static deft__fit check_required(deft__checker *checker, const deft__keywords *keywords,
                                deft__json_value object, const deft__schema_place *place)
{
    const deft__json_value required = keywords->at[DEFT__KEYWORD_REQUIRED];
    deft__fit              fit      = DEFT__FIT_YES;
    deft__json_iterator    i        = deft__json_iterate(required);
    if (!deft__json_is(required, DEFT__JSON_ARRAY)) {
        return DEFT__FIT_YES; // draft 3's true belongs to the object around it
    }
    while (deft__json_next(&i)) {
        if (!deft__json_is(i.value, DEFT__JSON_STRING)) {
            continue;
        }
        const deft__json_value member = find_member(checker, object, i.value, &checker->other);
        if (checker->steps_left == 0 || checker->status != DEFT_OK) {
            return deft__fit_and(fit, DEFT__FIT_UNSURE);
        }
        if (!is_there(member)) {
            fit                  = DEFT__FIT_NO;
            const deft_view name = deft__checker_decode(checker, i.value, &checker->other);
            tell_missing(checker, keywords, object, name, place);
        }
    }
    return fit;
}

// A member that the schema has no place for.
static void tell_unknown(deft__checker *checker, const deft__keywords *keywords,
                         deft__json_value object, deft__json_value name,
                         const deft__schema_place *place)
{
    const deft__json_value properties = keywords->at[DEFT__KEYWORD_PROPERTIES];
    deft_buffer           *out        = deft__problem_begin(checker);
    if (out == NULL) {
        return;
    }
    const deft_view text    = deft__checker_decode(checker, name, &checker->other);
    const deft_view nearest = nearest_name(checker, properties, object, text);
    deft_buffer_append_text(out, "is not known here; ");
    if (nearest.size > 0) {
        deft_buffer_append_text(out, "did you mean ");
        deft__append_name(out, nearest);
        deft_buffer_append_byte(out, '?');
    } else if (deft__json_count(properties) == 0) {
        deft_buffer_append_text(out, "nothing is accepted");
    } else {
        deft__json_iterator i     = deft__json_iterate(properties);
        size_t              shown = 0;
        deft_buffer_append_text(out, "accepted: ");
        while (shown < shown_max && deft__json_next(&i)) {
            const deft_view raw = deft__json_raw(i.name);
            deft_buffer_append_text(out, shown++ > 0 ? ", " : "");
            deft__append_name(out, deft_view_slice(raw, 1, raw.size - 2));
        }
        deft_buffer_append_text(out, deft__json_count(properties) > shown_max ? ", ..." : "");
    }
    deft__problem_end(checker, place, nearest);
}

// Schemas for names by pattern. `is_known`: one of them fits the name, or may.
static deft__fit check_by_pattern(deft__checker *checker, const deft__keywords *keywords,
                                  deft__json_iterator at, const deft__schema_place *place,
                                  bool *is_known)
{
    deft__fit           fit = DEFT__FIT_YES;
    deft__json_iterator i   = deft__json_iterate(keywords->at[DEFT__KEYWORD_PATTERN_PROPERTIES]);
    while (i.is_object && deft__json_next(&i)) {
        const deft_view text = deft__checker_decode(checker, at.name, &checker->text);
        if (checker->status != DEFT_OK) {
            return DEFT__FIT_UNSURE;
        }
        const deft__fit match = deft__check_pattern(checker, i.name, text);
        *is_known             = *is_known || match != DEFT__FIT_NO;
        if (match == DEFT__FIT_YES) {
            fit = deft__fit_and(fit, deft__check(checker, i.value, at.value, place));
        } else if (match == DEFT__FIT_UNSURE) {
            fit = deft__fit_and(fit, DEFT__FIT_UNSURE);
        }
    }
    return fit;
}

static deft__fit check_member(deft__checker *checker, const deft__keywords *keywords,
                              deft__json_value object, deft__json_iterator at,
                              const deft__schema_place *parent)
{
    const deft__schema_place here       = {.parent = parent, .name = at.name};
    const deft__json_value   additional = keywords->at[DEFT__KEYWORD_ADDITIONAL_PROPERTIES];
    const deft__json_value   own =
        find_member(checker, keywords->at[DEFT__KEYWORD_PROPERTIES], at.name, &checker->text);
    bool is_known = is_there(own);
    if (checker->steps_left == 0 || checker->status != DEFT_OK) {
        return DEFT__FIT_UNSURE;
    }
    deft__fit fit = is_known ? deft__check(checker, own, at.value, &here) : DEFT__FIT_YES;
    fit           = deft__fit_and(fit, check_by_pattern(checker, keywords, at, &here, &is_known));
    if (is_known || additional.document == NULL) {
        return fit;
    } else if (deft__json_is(additional, DEFT__JSON_FALSE)) {
        tell_unknown(checker, keywords, object, at.name, &here);
        return DEFT__FIT_NO;
    } else {
        return deft__fit_and(fit, deft__check(checker, additional, at.value, &here));
    }
}

deft__fit deft__check_object(deft__checker *checker, const deft__keywords *keywords,
                             deft__json_value value, const deft__schema_place *place)
{
    deft__fit fit = check_required(checker, keywords, value, place);
    if (!deft__keywords_has(keywords, DEFT__KEYWORD_PROPERTIES) &&
        !deft__keywords_has(keywords, DEFT__KEYWORD_PATTERN_PROPERTIES) &&
        !deft__keywords_has(keywords, DEFT__KEYWORD_ADDITIONAL_PROPERTIES)) {
        return fit;
    }
    deft__json_iterator i = deft__json_iterate(value);
    while ((fit != DEFT__FIT_NO || checker->mute == 0) && checker->steps_left > 0 &&
           checker->status == DEFT_OK && deft__json_next(&i)) {
        fit = deft__fit_and(fit, check_member(checker, keywords, value, i, place));
    }
    return checker->steps_left > 0 ? fit : deft__fit_and(fit, DEFT__FIT_UNSURE);
}
