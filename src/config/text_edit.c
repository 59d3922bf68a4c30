#include "config/text_edit.h"

#include "base/fail.h"
#include "base/memory.h"
#include "config/jsonc.h"
#include "config/read.h"

void deft__text_edit_clear(deft__text_edit *edit)
{
    deft__json_clear(&edit->document);
    deft__free(edit->allocator, edit->plain, edit->text.size + 1);
    edit->plain = NULL;
}

static size_t line_of(deft_view text, size_t offset)
{
    size_t line   = 0;
    size_t column = 0;
    deft__json_place(text, offset, &line, &column);
    return line;
}

// Parses `text`. `is_blank`: there is nothing in it but white space and comments.
deft_status deft__text_edit_open(deft__text_edit *edit, deft_view text, bool *is_blank)
{
    const deft__json_limits limits = {.size_max   = DEFT__CONFIG_SIZE_MAX,
                                      .depth_max  = DEFT__CONFIG_DEPTH_MAX,
                                      .tokens_max = DEFT__CONFIG_TOKENS_MAX};
    edit->text                     = text;
    edit->plain                    = deft__resize(edit->allocator, NULL, 0, text.size + 1);
    deft__json_init(&edit->document, edit->allocator);
    if (edit->plain == NULL) {
        return deft__fail_memory(edit->error);
    }
    if (text.size > 0) {
        memcpy(edit->plain, text.data, text.size);
    }

    deft_error  error  = DEFT_ERROR_INIT;
    deft_status status = deft__jsonc_blank(edit->plain, text.size, &error);
    *is_blank = status == DEFT_OK && deft__jsonc_skip(edit->plain, text.size, 0) == text.size;
    if (status == DEFT_OK && !*is_blank) {
        status = deft__json_parse(&edit->document, deft_view_make(edit->plain, text.size), &limits,
                                  &error);
    }
    if (status != DEFT_OK) {
        return deft__fail(edit->error, status, error.offset, "line %zu: %s",
                          line_of(text, error.offset), error.message);
    }
    const deft__json_value root = deft__json_root(&edit->document);
    if (!*is_blank && !deft__json_is(root, DEFT__JSON_OBJECT)) {
        return deft__fail(edit->error, DEFT_INVALID, 0, "the file holds %s; accepted: an object",
                          deft__json_kind_name(deft__json_kind_of(root)));
    }
    return DEFT_OK;
}

// A range of the text and what goes in its place.
void deft__text_edit_splice(const deft__text_edit *edit, size_t from, size_t to, deft_view with,
                            deft_buffer *out)
{
    deft_buffer_append(out, deft_view_slice(edit->text, 0, from));
    deft_buffer_append(out, with);
    deft_buffer_append(out, deft_view_slice(edit->text, to, edit->text.size));
}

size_t deft__text_edit_end_of(deft__json_value value)
{
    return deft__json_offset(value) + deft__json_raw(value).size;
}

bool deft__is_line_end(char byte)
{
    return byte == '\n' || byte == '\r';
}

static bool is_blank_byte(char byte)
{
    return byte == ' ' || byte == '\t' || deft__is_line_end(byte);
}

// The white space that starts the line of `offset`. `is_first` tells whether nothing else stands
// between it and the offset.
static deft_view indent_at(const deft__text_edit *edit, size_t offset, bool *is_first)
{
    size_t start = offset;
    while (start > 0 && !deft__is_line_end(edit->text.data[start - 1])) {
        start--;
    }
    size_t end = start;
    while (end < offset && (edit->text.data[end] == ' ' || edit->text.data[end] == '\t')) {
        end++;
    }
    *is_first = end == offset;
    return deft_view_slice(edit->text, start, end - start);
}

deft__text_layout deft__text_layout_find(const deft__text_edit *edit, deft__json_value object)
{
    const size_t      open       = deft__json_offset(object);
    size_t            first_name = open;
    size_t            last_name  = open;
    bool              is_first   = false;
    deft__text_layout layout = {.close = deft__text_edit_end_of(object) - 1, .last_end = open + 1};

    layout.base           = indent_at(edit, open, &is_first);
    layout.step           = layout.base.size > 0 && layout.base.data[0] == '\t' ? "\t" : "  ";
    deft__json_iterator i = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        last_name          = deft__json_offset(i.is_object ? i.name : i.value);
        first_name         = layout.has_members ? first_name : last_name;
        layout.last_end    = deft__text_edit_end_of(i.value);
        layout.has_members = true;
    }
    // The last member tells how members are indented, or the first where the last is not on a
    // line of its own.
    deft_view indent = indent_at(edit, last_name, &is_first);
    if (!is_first) {
        indent = indent_at(edit, first_name, &is_first);
    }
    layout.indent      = is_first && layout.has_members ? indent : layout.indent;
    layout.content_end = layout.close;
    while (is_blank_byte(edit->text.data[layout.content_end - 1])) {
        layout.content_end--;
    }
    layout.is_empty = layout.content_end == open + 1;
    for (size_t at = open; at < layout.close; at++) {
        layout.is_multi_line = layout.is_multi_line || deft__is_line_end(edit->text.data[at]);
    }
    return layout;
}

void deft__text_layout_indent(const deft__text_layout *layout, deft_buffer *out)
{
    deft_buffer_append_byte(out, '\n');
    if (layout->indent.size > 0) {
        deft_buffer_append(out, layout->indent);
    } else {
        deft_buffer_append(out, layout->base);
        deft_buffer_append_text(out, layout->step);
    }
}

// Adds `member` ("name": value) at the end of an object.
void deft__text_edit_insert(const deft__text_edit *edit, const deft__text_layout *layout,
                            deft_view member, deft_buffer *out)
{
    const size_t next      = deft__jsonc_skip(edit->text.data, edit->text.size, layout->last_end);
    const bool   has_comma = edit->text.data[next] == ',';

    deft_buffer_append(out, deft_view_slice(edit->text, 0, layout->last_end));
    if (layout->has_members && !has_comma) {
        deft_buffer_append_byte(out, ',');
    }
    deft_buffer_append(
        out, deft_view_slice(edit->text, layout->last_end, layout->content_end - layout->last_end));
    if (layout->is_multi_line || layout->is_empty) {
        deft__text_layout_indent(layout, out);
    } else {
        deft_buffer_append_byte(out, ' ');
    }
    deft_buffer_append(out, member);
    if (layout->is_empty) {
        deft_buffer_append_byte(out, '\n');
        deft_buffer_append(out, layout->base);
        deft_buffer_append(out, deft_view_slice(edit->text, layout->close, edit->text.size));
    } else {
        deft_buffer_append(out, deft_view_slice(edit->text, layout->content_end, edit->text.size));
    }
}
