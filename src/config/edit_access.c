// Adds a token to http.tokens in the text of a configuration file, or takes one out; every other byte
// stays as it is.
#include "base/fail.h"
#include "config/jsonc.h"
#include "config/read.h"
#include "config/text_edit.h"
#include "deft/config.h"
#include "json/writer.h"

// --- One entry. ---

static void write_patterns(deft__json_writer *json, const char *name, const deft_view *patterns,
                           size_t count)
{
    if (count > 0) {
        deft_buffer_append_text(json->out, ", ");
        json->needs_comma = false;
        deft__json_name(json, name);
        deft_buffer_append_byte(json->out, ' ');
        deft__json_begin_array(json);
        for (size_t i = 0; i < count; i++) {
            deft__json_write_string(json, patterns[i]);
        }
        deft__json_end_array(json);
    }
}

static void write_limit(deft__json_writer *json, const char *name, uint32_t limit)
{
    if (limit > 0) {
        deft_buffer_append_text(json->out, ", ");
        json->needs_comma = false;
        deft__json_name(json, name);
        deft_buffer_append_byte(json->out, ' ');
        deft__json_write_uint64(json, limit);
    }
}

// On one line: a list of tokens reads best with one a line.
static void write_token(const deft_token_config *token, deft_view expires, deft_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "name");
    deft_buffer_append_byte(out, ' ');
    deft__json_write_string(&json, token->name);
    deft_buffer_append_text(out, ", \"sha256\": \"");
    for (size_t i = 0; i < sizeof token->sha256; i++) {
        deft_buffer_append_byte(out, digits[token->sha256[i] >> 4]);
        deft_buffer_append_byte(out, digits[token->sha256[i] & 15]);
    }
    deft_buffer_append_byte(out, '"');
    write_patterns(&json, "servers", token->servers, token->server_count);
    write_patterns(&json, "tools", token->tools, token->tool_count);
    write_patterns(&json, "deny", token->denied, token->denied_count);
    write_limit(&json, "callsPerMinute", token->calls_per_minute);
    write_limit(&json, "concurrentCalls", token->concurrent_calls);
    write_limit(&json, "sessions", token->sessions);
    if (expires.size > 0) {
        deft_buffer_append_text(out, ", ");
        json.needs_comma = false;
        deft__json_name(&json, "expires");
        deft_buffer_append_byte(out, ' ');
        deft__json_write_string(&json, expires);
    }
    json.needs_comma = true;
    deft__json_end_object(&json);
}

// --- Where it goes. ---

// `"tokens": [ENTRY]`, each level on lines of its own where the file has lines. `indent` is that of
// the member itself.
static void write_list(deft_view entry, deft_view indent, const char *step, bool is_multi_line,
                       deft_buffer *out)
{
    deft_buffer_append_text(out, "\"tokens\": [");
    if (is_multi_line) {
        deft_buffer_append_byte(out, '\n');
        deft_buffer_append(out, indent);
        deft_buffer_append_text(out, step);
    }
    deft_buffer_append(out, entry);
    if (is_multi_line) {
        deft_buffer_append_byte(out, '\n');
        deft_buffer_append(out, indent);
    }
    deft_buffer_append_byte(out, ']');
}

static void write_http(deft_view entry, deft_view indent, const char *step, bool is_multi_line,
                       deft_buffer *out)
{
    deft_buffer inner;
    deft_buffer_init(&inner, out->allocator);
    deft_buffer_append(&inner, indent);
    deft_buffer_append_text(&inner, step);
    deft_buffer_append_text(out, "\"http\": {");
    if (is_multi_line) {
        deft_buffer_append_byte(out, '\n');
        deft_buffer_append(out, deft_buffer_view(&inner));
    }
    write_list(entry, deft_buffer_view(&inner), step, is_multi_line, out);
    if (is_multi_line) {
        deft_buffer_append_byte(out, '\n');
        deft_buffer_append(out, indent);
    }
    deft_buffer_append_byte(out, '}');
    if (inner.status != DEFT_OK) {
        out->status = inner.status;
    }
    deft_buffer_clear(&inner);
}

// The indent of an object's members, into `out`.
static void append_member_indent(const deft__text_layout *layout, deft_buffer *out)
{
    deft_buffer_append(out, layout->indent.size > 0 ? layout->indent : layout->base);
    deft_buffer_append_text(out, layout->indent.size > 0 ? "" : layout->step);
}

static void insert(const deft__text_edit *edit, deft_view entry, deft_buffer *out)
{
    const deft__json_value root   = deft__json_root(&edit->document);
    const deft__json_value http   = deft__json_member(root, "http");
    const deft__json_value tokens = deft__json_member(http, "tokens");
    deft_buffer            member;
    deft_buffer            indent;
    deft_buffer_init(&member, out->allocator);
    deft_buffer_init(&indent, out->allocator);
    const bool              has_http   = deft__json_is(http, DEFT__JSON_OBJECT);
    const bool              has_tokens = deft__json_is(tokens, DEFT__JSON_ARRAY);
    const deft__json_value  object     = has_tokens ? tokens : has_http ? http : root;
    const deft__text_layout layout     = deft__text_layout_find(edit, object);
    const bool              is_multi   = layout.is_multi_line || layout.is_empty;
    append_member_indent(&layout, &indent);
    if (has_tokens) {
        deft_buffer_append(&member, entry);
    } else if (has_http) {
        write_list(entry, deft_buffer_view(&indent), layout.step, is_multi, &member);
    } else {
        write_http(entry, deft_buffer_view(&indent), layout.step, is_multi, &member);
    }
    deft__text_edit_insert(edit, &layout, deft_buffer_view(&member), out);
    if (member.status != DEFT_OK || indent.status != DEFT_OK) {
        out->status = DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_clear(&indent);
    deft_buffer_clear(&member);
}

static deft_status check_text(deft_view text, deft_error *error)
{
    if (text.size > DEFT__CONFIG_SIZE_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "%zu bytes, with a limit of %u", text.size,
                          DEFT__CONFIG_SIZE_MAX);
    }
    if (deft__toml_is_likely(text)) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "this is TOML, which is only read; settings are kept in a JSON file");
    }
    return DEFT_OK;
}

static deft__json_value find_token(const deft__text_edit *edit, deft_view name,
                                   deft__json_value *before, bool *is_last)
{
    const deft__json_value root = deft__json_root(&edit->document);
    deft__json_iterator    i =
        deft__json_iterate(deft__json_member(deft__json_member(root, "http"), "tokens"));
    deft__json_value found = {0};
    *before                = found;
    *is_last               = false;
    while (deft__json_next(&i)) {
        if (found.document != NULL) {
            *is_last = false;
            break;
        }
        if (deft__json_string_equals(deft__json_member(i.value, "name"), name)) {
            found    = i.value;
            *is_last = true;
        } else {
            *before = i.value;
        }
    }
    return found;
}

deft_status deft_config_add_token(deft_view text, const deft_token_config *token, deft_view expires,
                                  deft_buffer *out, deft_error *error)
{
    deft__text_edit  edit     = {.allocator = out->allocator, .error = error};
    bool             is_blank = false;
    bool             is_last;
    deft__json_value before;
    deft_buffer      entry;
    deft_status      status = check_text(text, error);
    deft_buffer_init(&entry, out->allocator);
    write_token(token, expires, &entry);
    if (status == DEFT_OK) {
        status = deft__text_edit_open(&edit, text, &is_blank);
    }
    if (status == DEFT_OK && !is_blank &&
        find_token(&edit, token->name, &before, &is_last).document != NULL) {
        status = deft__fail(error, DEFT_CONFLICT, 0,
                            "there is a token '%.*s' already; remove it first, or choose another "
                            "name",
                            (int)token->name.size, token->name.data);
    }
    if (status == DEFT_OK && is_blank) {
        deft_buffer_append(out, text);
        if (text.size > 0 && !deft__is_line_end(text.data[text.size - 1])) {
            deft_buffer_append_byte(out, '\n');
        }
        deft_buffer_append_text(out, "{\n  ");
        write_http(deft_buffer_view(&entry), deft_view_of("  "), "  ", true, out);
        deft_buffer_append_text(out, "\n}\n");
    } else if (status == DEFT_OK) {
        insert(&edit, deft_buffer_view(&entry), out);
    }
    if (status == DEFT_OK && (out->status != DEFT_OK || entry.status != DEFT_OK)) {
        status = deft__fail_memory(error);
    }
    deft_buffer_clear(&entry);
    deft__text_edit_clear(&edit);
    return status;
}

// --- Taking one out. ---

// What goes with an entry: its comma, and the rest of its lines where nothing else is on them.
static void find_range(const deft__text_edit *edit, deft__json_value entry, size_t *from,
                       size_t *to)
{
    const char *text = edit->text.data;
    size_t      end  = deft__text_edit_end_of(entry);
    size_t      next = deft__jsonc_skip(text, edit->text.size, end);
    *from            = deft__json_offset(entry);
    *to              = next < edit->text.size && text[next] == ',' ? next + 1 : end;
    size_t start     = *from;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) {
        start--;
    }
    size_t rest = *to;
    while (rest < edit->text.size && (text[rest] == ' ' || text[rest] == '\t')) {
        rest++;
    }
    if (rest + 1 < edit->text.size && text[rest] == '/' && text[rest + 1] == '/') {
        while (rest < edit->text.size && !deft__is_line_end(text[rest])) {
            rest++; // what is said of it
        }
    }
    const bool is_whole = start > 0 && deft__is_line_end(text[start - 1]) &&
                          rest < edit->text.size && deft__is_line_end(text[rest]);
    if (is_whole) {
        *from =
            start - 1 - (start > 1 && text[start - 1] == '\n' && text[start - 2] == '\r' ? 1 : 0);
        *to = rest;
    } else if (*to > end) {
        *to = rest; // the blank behind its comma
    }
}

deft_status deft_config_remove_token(deft_view text, deft_view name, deft_buffer *out,
                                     deft_error *error)
{
    deft__text_edit edit     = {.allocator = out->allocator, .error = error};
    bool            is_blank = false;
    deft_status     status   = check_text(text, error);
    if (status == DEFT_OK) {
        status = deft__text_edit_open(&edit, text, &is_blank);
    }
    if (status == DEFT_OK) {
        deft__json_value       before = {0};
        bool                   is_last;
        const deft__json_value entry =
            is_blank ? before : find_token(&edit, name, &before, &is_last);
        if (entry.document == NULL) {
            deft__quoted quoted;
            status = deft__fail(error, DEFT_NOT_FOUND, 0, "there is no token '%s' here",
                                deft__quote(&quoted, name));
        } else {
            size_t from;
            size_t to;
            find_range(&edit, entry, &from, &to);
            size_t kept = from;
            if (is_last && before.document != NULL) {
                // The comma that is now the last.
                kept = deft__jsonc_skip(text.data, text.size, deft__text_edit_end_of(before));
            }
            deft_buffer_append(out, deft_view_slice(text, 0, kept));
            deft_buffer_append(out,
                               deft_view_slice(text, kept + 1, from > kept ? from - kept - 1 : 0));
            deft_buffer_append(out, deft_view_slice(text, to, text.size));
            status = out->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
        }
    }
    deft__text_edit_clear(&edit);
    return status;
}
