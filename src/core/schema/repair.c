#include "core/schema/checker.h"

#include "base/fail.h"

// One member of the arguments, and what becomes of it.
typedef struct repair {
    deft__checker   *checker;
    deft__json_value properties;
    deft__json_value required;
    deft__json       candidate; // what a text holds
    deft_buffer      text;      // that text
} repair;

static bool is_required(const repair *self, deft_view name)
{
    deft__json_iterator i = deft__json_iterate(self->required);
    bool is_required      = !deft__checker_step(self->checker, deft__json_count(self->required));
    while (!is_required && deft__json_next(&i)) {
        is_required = deft__json_string_equals(i.value, name);
    }
    return is_required;
}

// Python's words, which models mix up with JSON's.
static deft_view as_json(deft_view text)
{
    if (deft_view_equals(text, "True")) {
        return deft_view_of("true");
    } else if (deft_view_equals(text, "False")) {
        return deft_view_of("false");
    } else {
        return text;
    }
}

// Whether the text holds something that fits in its place; it is then in the candidate.
static bool holds_fitting(repair *self, deft__json_value schema, deft__json_value value)
{
    const deft__json_limits limits = {.depth_max = DEFT_SCHEMA_DEPTH_MAX};
    deft_buffer_reset(&self->text);
    const deft_view text = as_json(deft__json_string(value, &self->text));
    if (self->text.status != DEFT_OK) {
        self->checker->status = DEFT_OUT_OF_MEMORY;
        return false;
    }
    const deft_status status = deft__json_parse(&self->candidate, text, &limits, NULL);
    if (status == DEFT_OUT_OF_MEMORY) {
        self->checker->status = DEFT_OUT_OF_MEMORY;
    }
    const deft__json_value held = deft__json_root(&self->candidate);
    return status == DEFT_OK && !deft__json_is(held, DEFT__JSON_STRING) &&
           !deft__json_is(held, DEFT__JSON_NULL) &&
           deft__check_quietly(self->checker, schema, held) != DEFT__FIT_NO;
}

static void append_member(deft_buffer *out, deft__json_value name, deft_view value)
{
    deft_buffer_append_text(out, out->size > 1 ? "," : "");
    deft_buffer_append(out, deft__json_raw(name));
    deft_buffer_append_byte(out, ':');
    deft_buffer_append(out, value);
}

// Whether the value of a member surely does not fit, and is of a kind that can be set right.
static bool is_suspect(repair *self, deft__json_value schema, deft__json_value value)
{
    return schema.document != NULL &&
           (deft__json_is(value, DEFT__JSON_NULL) || deft__json_is(value, DEFT__JSON_STRING)) &&
           deft__check_quietly(self->checker, schema, value) == DEFT__FIT_NO;
}

// Writes one member as it should be. True: it is not as it was.
static bool repair_member(repair *self, deft__json_iterator at, deft_buffer *out)
{
    deft__json_value schema     = {.document = NULL};
    bool             is_changed = false;
    deft_buffer      scratch;
    deft_buffer_init(&scratch, out->allocator);
    const deft_view name = deft__json_string(at.name, &scratch);
    if (scratch.status != DEFT_OK) {
        self->checker->status = DEFT_OUT_OF_MEMORY;
    } else if (deft__checker_step(self->checker, deft__json_count(self->properties))) {
        schema = deft__json_member_view(self->properties, name);
    }
    if (!is_suspect(self, schema, at.value)) {
        append_member(out, at.name, deft__json_raw(at.value));
    } else if (deft__json_is(at.value, DEFT__JSON_NULL) && !is_required(self, name)) {
        is_changed = true; // left out
    } else if (deft__json_is(at.value, DEFT__JSON_STRING) &&
               holds_fitting(self, schema, at.value)) {
        append_member(out, at.name, deft__json_raw(deft__json_root(&self->candidate)));
        is_changed = true;
    } else {
        append_member(out, at.name, deft__json_raw(at.value));
    }
    deft_buffer_clear(&scratch);
    return is_changed;
}

static void append_changed(deft_buffer *names, deft__json_value name, bool is_first)
{
    const deft_view raw = deft__json_raw(name);
    deft_buffer_append_text(names, is_first ? "" : ", ");
    deft__append_name(names, deft_view_slice(raw, 1, raw.size - 2));
}

static deft_status repair_all(repair *self, deft__json_value object, deft_buffer *out,
                              deft_buffer *names, size_t *count)
{
    deft_buffer text;
    deft_buffer changed;
    size_t      found = 0;
    deft_buffer_init(&text, out->allocator);
    deft_buffer_init(&changed, out->allocator);
    deft_buffer_append_byte(&text, '{');
    deft__json_iterator i = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        if (repair_member(self, i, &text)) {
            append_changed(&changed, i.name, found++ == 0);
        }
    }
    deft_buffer_append_byte(&text, '}');

    bool is_good =
        self->checker->status == DEFT_OK && text.status == DEFT_OK && changed.status == DEFT_OK;
    if (is_good && found > 0) {
        const size_t before = out->size;
        deft_buffer_append(out, deft_buffer_view(&text));
        is_good = out->status == DEFT_OK;
        if (is_good) {
            deft_buffer_append(names, deft_buffer_view(&changed));
            is_good = names->status == DEFT_OK;
        }
        if (!is_good) {
            deft_buffer_truncate(out, before);
        }
    }
    deft_buffer_clear(&changed);
    deft_buffer_clear(&text);
    if (is_good) {
        *count = found;
    }
    return is_good ? DEFT_OK : DEFT_OUT_OF_MEMORY;
}

// `root` is the schema, `object` the arguments.
static deft_status repair_values(deft__json_value root, deft__json_value object, deft_buffer *out,
                                 deft_buffer *names, size_t *count)
{
    const deft_schema_options options = DEFT_SCHEMA_OPTIONS_INIT;
    deft_schema_report       *report  = deft__schema_report_new(&options, out->allocator);
    if (report == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft__checker checker;
    deft__checker_init(&checker, root, &options, report);
    repair self = {.checker    = &checker,
                   .properties = deft__json_member(root, "properties"),
                   .required   = deft__json_member(root, "required")};
    deft__json_init(&self.candidate, out->allocator);
    deft_buffer_init(&self.text, out->allocator);
    const deft_status status = repair_all(&self, object, out, names, count);
    deft_buffer_clear(&self.text);
    deft__json_clear(&self.candidate);
    deft__checker_clear(&checker);
    deft_schema_report_free(report);
    return status;
}

deft_status deft_schema_repair(deft_view schema, deft_view arguments, deft_buffer *out,
                               deft_buffer *names, size_t *count, deft_error *error)
{
    const deft_schema_options options = DEFT_SCHEMA_OPTIONS_INIT;
    deft__json                documents[2];
    deft__json_init(&documents[0], out->allocator);
    deft__json_init(&documents[1], out->allocator);
    deft_status parsed = deft__schema_parse(&documents[0], schema, &options);
    deft_status status = parsed == DEFT_OUT_OF_MEMORY
                             ? deft__fail_memory(error)
                             : deft__json_parse(&documents[1], arguments, NULL, error);
    size_t      found  = 0;
    if (status == DEFT_OK && parsed == DEFT_OK &&
        deft__json_is(deft__json_root(&documents[1]), DEFT__JSON_OBJECT)) {
        status = repair_values(deft__json_root(&documents[0]), deft__json_root(&documents[1]), out,
                               names, &found);
        if (status != DEFT_OK) {
            deft__fail_memory(error);
        }
    }
    deft__json_clear(&documents[1]);
    deft__json_clear(&documents[0]);
    if (status == DEFT_OK) {
        *count = found;
    }
    return status;
}
