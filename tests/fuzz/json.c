// Any bytes into the reader. What it takes must hang together: every slice inside the text, every
// count true, and every way of writing the document again must read as an equal one.
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "json/reader.h"
#include "json/writer.h"

typedef struct json_extent {
    size_t   tokens;
    unsigned depth;
} json_extent;

static bool is_inside(deft_view part, deft_view whole)
{
    return part.data >= whole.data && part.data + part.size <= whole.data + whole.size;
}

static void check_string(deft__json_value value)
{
    deft_buffer       scratch;
    deft_buffer       out;
    deft__json_writer writer;
    deft__json        again;
    deft_buffer_init(&scratch, NULL);
    deft_buffer_init(&out, NULL);
    deft__json_writer_init(&writer, &out);
    deft__json_init(&again, NULL);

    const deft_view text = deft__json_string(value, &scratch);
    check(scratch.status == DEFT_OK);
    check(text.data != NULL);
    check(text.size + 2 <= deft__json_raw(value).size);
    check(deft__utf8_valid_size(text) == text.size);
    check(deft__json_string_equals(value, text));
    check(text.size == 0 ||
          !deft__json_string_equals(value, deft_view_slice(text, 0, text.size - 1)));

    deft__json_write_string(&writer, text);
    check(deft__json_parse(&again, deft_buffer_view(&out), NULL, NULL) == DEFT_OK);
    check(deft__json_string_equals(deft__json_root(&again), text));

    deft__json_clear(&again);
    deft_buffer_clear(&out);
    deft_buffer_clear(&scratch);
}

static void check_number(deft__json_value value)
{
    int64_t           whole    = 0;
    uint64_t          positive = 0;
    double            real     = 0;
    const deft_status i64      = deft__json_int64(value, &whole);
    const deft_status u64      = deft__json_uint64(value, &positive);
    const deft_status f64      = deft__json_double(value, &real);
    check((i64 == DEFT_INVALID) == (u64 == DEFT_INVALID));
    check(f64 == DEFT_OK || f64 == DEFT_LIMIT);
    if (i64 == DEFT_OK) {
        check(f64 == DEFT_OK && real >= (double)whole && real <= (double)whole);
        check((u64 == DEFT_OK) == (whole >= 0));
    }
    if (u64 == DEFT_OK) {
        check(f64 == DEFT_OK && real >= (double)positive && real <= (double)positive);
        check(i64 == DEFT_LIMIT || positive == (uint64_t)whole);
    }
    if (f64 == DEFT_OK) {
        // What the writer makes of it reads back as the same number.
        deft_buffer       out;
        deft__json_writer writer;
        deft__json        again;
        double            real_again = 0;
        deft_buffer_init(&out, NULL);
        deft__json_writer_init(&writer, &out);
        deft__json_init(&again, NULL);
        deft__json_write_double(&writer, real);
        check(deft__json_parse(&again, deft_buffer_view(&out), NULL, NULL) == DEFT_OK);
        check(deft__json_double(deft__json_root(&again), &real_again) == DEFT_OK);
        check(memcmp(&real, &real_again, sizeof real) == 0);
        deft__json_clear(&again);
        deft_buffer_clear(&out);
    }
}

// Adds what is in `value` to `extent`. Recursive: the reader allows a depth of 128.
static void walk(deft__json_value value, unsigned depth, json_extent *extent)
{
    const deft_view raw = deft__json_raw(value);
    check(raw.size > 0 && is_inside(raw, value.document->text));
    check(deft__json_offset(value) == (size_t)(raw.data - value.document->text.data));
    extent->tokens++;

    const deft__json_kind kind = deft__json_kind_of(value);
    if (kind == DEFT__JSON_STRING) {
        check_string(value);
    } else if (kind == DEFT__JSON_NUMBER) {
        check_number(value);
    } else if (kind == DEFT__JSON_ARRAY || kind == DEFT__JSON_OBJECT) {
        size_t              count = 0;
        const char         *after = raw.data + 1;
        deft__json_iterator i     = deft__json_iterate(value);
        extent->depth             = depth + 1 > extent->depth ? depth + 1 : extent->depth;
        while (deft__json_next(&i)) {
            const deft_view inside = deft__json_raw(i.value);
            check(deft__json_is(i.name, DEFT__JSON_STRING) == (kind == DEFT__JSON_OBJECT));
            if (kind == DEFT__JSON_OBJECT) {
                const deft_view name = deft__json_raw(i.name);
                check(name.data >= after && is_inside(name, raw));
                after = name.data + name.size;
                check_string(i.name);
                extent->tokens++;
            }
            check(inside.data >= after && is_inside(inside, raw));
            after = inside.data + inside.size;
            walk(i.value, depth + 1, extent);
            count++;
        }
        check(count == deft__json_count(value));
    } else {
        check(kind != DEFT__JSON_NONE && deft__json_count(value) == 0);
    }
}

// A member is the last of its name; a duplicate is found exactly when some member is not.
static void check_members(deft__json_value object)
{
    bool                is_shadowed = false;
    deft_buffer         scratch;
    deft__json_iterator i = deft__json_iterate(object);
    deft_buffer_init(&scratch, NULL);
    while (deft__json_next(&i)) {
        deft_buffer_reset(&scratch);
        const deft_view        name  = deft__json_string(i.name, &scratch);
        const deft__json_value found = deft__json_member_view(object, name);
        check(found.document == i.value.document && found.token >= i.value.token);
        is_shadowed |= found.token != i.value.token;
    }
    deft__json_value second   = {0};
    deft_status      status   = DEFT_INVALID;
    const bool       is_twice = deft__json_find_duplicate(object, &second, &status);
    check(status == DEFT_OK);
    check(is_twice == is_shadowed);
    check(!is_twice || deft__json_is(second, DEFT__JSON_STRING));
    deft_buffer_clear(&scratch);
}

static void check_all_members(deft__json_value value)
{
    if (deft__json_is(value, DEFT__JSON_OBJECT)) {
        check_members(value);
    }
    deft__json_iterator i = deft__json_iterate(value);
    while (deft__json_next(&i)) {
        check_all_members(i.value);
    }
}

static void check_equal(deft__json_value a, deft__json_value b)
{
    const deft__json_kind kind = deft__json_kind_of(a);
    check(kind == deft__json_kind_of(b));
    check(deft__json_count(a) == deft__json_count(b));
    if (kind == DEFT__JSON_ARRAY || kind == DEFT__JSON_OBJECT) {
        deft__json_iterator i = deft__json_iterate(a);
        deft__json_iterator j = deft__json_iterate(b);
        while (deft__json_next(&i)) {
            check(deft__json_next(&j));
            check(deft_view_equal(deft__json_raw(i.name), deft__json_raw(j.name)));
            check_equal(i.value, j.value);
        }
    } else {
        check(deft_view_equal(deft__json_raw(a), deft__json_raw(b)));
    }
}

typedef void write_raw(deft__json_writer *writer, deft_view raw);

// Writes the value with `write`, expects an equal document and the same bytes from writing that
// one. The bytes are left in `out`.
static void check_rewritten(deft__json_value value, write_raw *write, deft_buffer *out)
{
    deft_buffer       twice;
    deft__json_writer writer;
    deft__json        again;
    deft_buffer_init(&twice, NULL);
    deft__json_init(&again, NULL);

    deft__json_writer_init(&writer, out);
    write(&writer, deft__json_raw(value));
    check(out->status == DEFT_OK);
    check(deft__json_parse(&again, deft_buffer_view(out), NULL, NULL) == DEFT_OK);
    check_equal(value, deft__json_root(&again));

    deft__json_writer_init(&writer, &twice);
    write(&writer, deft_buffer_view(out));
    check(deft_view_equal(deft_buffer_view(out), deft_buffer_view(&twice)));

    deft__json_clear(&again);
    deft_buffer_clear(&twice);
}

static bool has_byte(deft_view text, char byte)
{
    return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

// Each limit is met exactly, and missed by one.
static void check_limits(deft_view text, json_extent extent)
{
    deft__json document;
    deft__json_init(&document, NULL);
    deft__json_limits limits = {.size_max   = (uint32_t)text.size,
                                .depth_max  = extent.depth,
                                .tokens_max = (uint32_t)extent.tokens};
    check(deft__json_parse(&document, text, &limits, NULL) == DEFT_OK);
    if (extent.tokens > 1) {
        limits.tokens_max--;
        check(deft__json_parse(&document, text, &limits, NULL) == DEFT_LIMIT);
        limits.tokens_max++;
    }
    if (extent.depth > 1) {
        limits.depth_max--;
        check(deft__json_parse(&document, text, &limits, NULL) == DEFT_LIMIT);
        limits.depth_max++;
    }
    if (text.size > 1) {
        limits.size_max--;
        check(deft__json_parse(&document, text, &limits, NULL) == DEFT_LIMIT);
    }
    deft__json_clear(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view text  = deft_view_make((const char *)data, size);
    deft_error      error = DEFT_ERROR_INIT;
    deft__json      document;
    deft__json_init(&document, NULL);

    if (deft__json_parse(&document, text, NULL, &error) == DEFT_OK) {
        const deft__json_value root   = deft__json_root(&document);
        json_extent            extent = {0};
        deft_buffer            out;
        deft_buffer_init(&out, NULL);
        walk(root, 0, &extent);
        check_all_members(root);
        check_limits(text, extent);
        check_rewritten(root, deft__json_write_raw, &out);
        deft_buffer_reset(&out);
        check_rewritten(root, deft__json_write_raw_line, &out);
        check(!has_byte(deft_buffer_view(&out), '\n') && !has_byte(deft_buffer_view(&out), '\r'));
        deft_buffer_reset(&out);
        check_rewritten(root, deft__json_write_raw_compact, &out);
        deft_buffer_clear(&out);
    } else {
        size_t line   = 0;
        size_t column = 0;
        check(error.status == DEFT_INVALID || error.status == DEFT_LIMIT);
        check(error.offset <= size && error.message[0] != '\0');
        check(deft__json_is(deft__json_root(&document), DEFT__JSON_NONE));
        deft__json_place(text, error.offset, &line, &column);
        check(line >= 1 && column >= 1 && line + column <= size + 2);
    }
    deft__json_clear(&document);
    return 0;
}
