// Reading is one parse into a tape that the reader keeps, and one walk over the members of each
// message: at most six names matter. Once the tape has grown to the size of the usual message,
// nothing is allocated; a method or an error's message is decoded only where it has escapes.
#include "mcp/message.h"

#include "base/fail.h"
#include "json/writer.h"

// Tokens of one line: 128 MiB of tape. A text of 64 MiB reaches it only with a token for every
// eight bytes; definitions and results have one for every fifteen or so.
#define TOKENS_MAX (8u * 1024 * 1024)

// What a reader keeps from one line to the next. A larger line gets its memory, and gives it back
// with the next small one, so a single giant does not stay in memory for the life of a connection.
#define KEPT_TOKENS_MAX  (64u * 1024) // 1 MiB of tape
#define KEPT_SCRATCH_MAX (64u * 1024) // bytes

// The members that say what a message is; kind NONE where absent.
typedef struct message_parts {
    deft__json_value jsonrpc;
    deft__json_value id;
    deft__json_value method;
    deft__json_value params;
    deft__json_value result;
    deft__json_value error;
} message_parts;

void deft__mcp_reader_init(deft__mcp_reader *reader, const deft_allocator *allocator)
{
    *reader = (deft__mcp_reader){.is_done = true};
    deft__json_init(&reader->document, allocator);
    deft_buffer_init(&reader->scratch, allocator);
}

void deft__mcp_reader_clear(deft__mcp_reader *reader)
{
    const deft_allocator *allocator = reader->document.allocator;
    deft__json_clear(&reader->document);
    deft_buffer_clear(&reader->scratch);
    deft__mcp_reader_init(reader, allocator);
}

static void give_back_what_a_giant_took(deft__mcp_reader *reader, size_t line_size)
{
    // A line of this size needs fewer tokens than it has bytes.
    if (reader->document.capacity > KEPT_TOKENS_MAX && line_size <= KEPT_TOKENS_MAX) {
        deft__json_clear(&reader->document);
    }
    if (reader->scratch.capacity > KEPT_SCRATCH_MAX) {
        deft_buffer_clear(&reader->scratch);
    }
}

deft_status deft__mcp_reader_take(deft__mcp_reader *reader, deft_view line, deft_error *error)
{
    const deft__json_limits limits = {.tokens_max = TOKENS_MAX};
    give_back_what_a_giant_took(reader, line.size);
    reader->is_batch = false;
    reader->is_done  = true; // unless the line turns out well

    deft_error        problem = DEFT_ERROR_INIT;
    const deft_status status  = deft__json_parse(&reader->document, line, &limits, &problem);
    if (status == DEFT_INVALID) {
        return deft__fail(error, status, problem.offset, "the message is not JSON: %s, at byte %zu",
                          problem.message, problem.offset);
    } else if (status != DEFT_OK) {
        return deft__fail(error, status, problem.offset, "%s", problem.message);
    }
    const deft__json_value root = deft__json_root(&reader->document);
    if (deft__json_is(root, DEFT__JSON_ARRAY)) {
        reader->is_batch = true;
        reader->batch    = deft__json_iterate(root);
        if (deft__json_count(root) == 0) {
            return deft__fail(error, DEFT_INVALID, deft__json_offset(root),
                              "an array of messages is empty");
        }
    }
    reader->is_done = false;
    return DEFT_OK;
}

static message_parts collect_parts(deft__json_value object)
{
    message_parts       parts = {0};
    deft__json_iterator i     = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        if (deft__json_string_equals(i.name, deft_view_of("jsonrpc"))) {
            parts.jsonrpc = i.value;
        } else if (deft__json_string_equals(i.name, deft_view_of("id"))) {
            parts.id = i.value;
        } else if (deft__json_string_equals(i.name, deft_view_of("method"))) {
            parts.method = i.value;
        } else if (deft__json_string_equals(i.name, deft_view_of("params"))) {
            parts.params = i.value;
        } else if (deft__json_string_equals(i.name, deft_view_of("result"))) {
            parts.result = i.value;
        } else if (deft__json_string_equals(i.name, deft_view_of("error"))) {
            parts.error = i.value;
        }
    }
    return parts;
}

// Absent, or null: some peers write every field of a struct.
static bool is_nothing(deft__json_value value)
{
    const deft__json_kind kind = deft__json_kind_of(value);
    return kind == DEFT__JSON_NONE || kind == DEFT__JSON_NULL;
}

// A string, or a whole number of any length: it is never converted, only given back.
static bool is_id(deft__json_value value)
{
    int64_t number = 0;
    return deft__json_is(value, DEFT__JSON_STRING) ||
           (deft__json_is(value, DEFT__JSON_NUMBER) &&
            deft__json_int64(value, &number) != DEFT_INVALID);
}

// What the message is, or is meant to be where something about it is wrong.
static deft__mcp_kind kind_of(const message_parts *parts)
{
    if (!deft__json_is(parts->method, DEFT__JSON_NONE)) {
        return deft__json_is(parts->id, DEFT__JSON_NONE) ? DEFT__MCP_NOTIFICATION
                                                         : DEFT__MCP_REQUEST;
    } else if (!is_nothing(parts->error)) {
        return DEFT__MCP_ERROR;
    } else if (!deft__json_is(parts->result, DEFT__JSON_NONE)) {
        return DEFT__MCP_RESULT;
    } else {
        return DEFT__MCP_REQUEST;
    }
}

static deft__json_value object_or_none(deft__json_value value)
{
    return deft__json_is(value, DEFT__JSON_OBJECT) ? value : (deft__json_value){0};
}

static deft_status fail_kind(deft_error *error, deft__json_value value, const char *name,
                             const char *wanted)
{
    return deft__fail(error, DEFT_INVALID, deft__json_offset(value), "'%s' must be %s, not %s",
                      name, wanted, deft__json_kind_name(deft__json_kind_of(value)));
}

static deft_status read_call(deft__mcp_reader *reader, const message_parts *parts,
                             deft__json_value whole, deft__mcp_message *message, deft_error *error)
{
    if (!is_nothing(parts->result) || !is_nothing(parts->error)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(parts->method),
                          "a message has both a method and a result or an error");
    } else if (!deft__json_is(parts->method, DEFT__JSON_STRING)) {
        return fail_kind(error, parts->method, "method", "a string");
    } else if (!is_nothing(parts->params) && !deft__json_is(parts->params, DEFT__JSON_OBJECT)) {
        return fail_kind(error, parts->params, "params", "an object");
    }

    // Where the method is decoded, there is room for all that can be decoded from this message
    // later (see deft__mcp_read_envelope), so that the method does not move.
    const deft_view raw = deft__json_raw(parts->method);
    if (memchr(raw.data, '\\', raw.size) != NULL &&
        !deft_buffer_reserve(&reader->scratch, deft__json_raw(whole).size)) {
        return deft__fail_memory(error);
    }
    message->method   = deft__json_string(parts->method, &reader->scratch);
    reader->kept_size = reader->scratch.size;
    message->params   = object_or_none(parts->params);
    message->meta     = object_or_none(deft__json_member(message->params, "_meta"));
    return DEFT_OK;
}

static deft_status read_result(const message_parts *parts, deft__mcp_message *message,
                               deft_error *error)
{
    if (message->id.size == 0) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(parts->result),
                          "a result has no 'id'");
    } else if (!is_nothing(parts->result) && !deft__json_is(parts->result, DEFT__JSON_OBJECT)) {
        return fail_kind(error, parts->result, "result", "an object");
    }
    message->result = object_or_none(parts->result);
    message->meta   = object_or_none(deft__json_member(message->result, "_meta"));
    return DEFT_OK;
}

static deft_status read_error(deft__mcp_reader *reader, const message_parts *parts,
                              deft__mcp_message *message, deft_error *error)
{
    if (!is_nothing(parts->result)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(parts->error),
                          "a message has both a result and an error");
    } else if (!deft__json_is(parts->error, DEFT__JSON_OBJECT)) {
        return fail_kind(error, parts->error, "error", "an object");
    }
    const deft__json_value code = deft__json_member(parts->error, "code");
    const deft__json_value text = deft__json_member(parts->error, "message");
    if (deft__json_int64(code, &message->error_code) != DEFT_OK) {
        return fail_kind(error, code, "error.code", "an integer of 64 bits");
    } else if (!deft__json_is(text, DEFT__JSON_STRING)) {
        return fail_kind(error, text, "error.message", "a string");
    }
    message->error         = parts->error;
    message->error_message = deft__json_string(text, &reader->scratch);
    return reader->scratch.status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
}

static deft_status read_message(deft__mcp_reader *reader, deft__json_value value,
                                deft__mcp_message *message, deft_error *error)
{
    *message = (deft__mcp_message){.kind = DEFT__MCP_REQUEST};
    deft_buffer_reset(&reader->scratch);
    reader->kept_size = 0;
    if (!deft__json_is(value, DEFT__JSON_OBJECT)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "a message must be an object, not %s",
                          deft__json_kind_name(deft__json_kind_of(value)));
    }

    const message_parts parts = collect_parts(value);
    message->kind             = kind_of(&parts);
    message->id               = is_id(parts.id) ? deft__json_raw(parts.id) : deft_view_of(NULL);
    // An error may say that the id could not be read: it then has none, or null.
    const bool may_lack_id = deft__json_is(parts.id, DEFT__JSON_NONE) ||
                             (message->kind == DEFT__MCP_ERROR && is_nothing(parts.id));

    if (!deft__json_string_equals(parts.jsonrpc, deft_view_of("2.0"))) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "a message must have \"jsonrpc\":\"2.0\"");
    } else if (message->id.size == 0 && !may_lack_id) {
        return fail_kind(error, parts.id, "id", "a string or an integer");
    } else if (!deft__json_is(parts.method, DEFT__JSON_NONE)) {
        return read_call(reader, &parts, value, message, error);
    } else if (message->kind == DEFT__MCP_ERROR) {
        return read_error(reader, &parts, message, error);
    } else if (message->kind == DEFT__MCP_RESULT) {
        return read_result(&parts, message, error);
    } else {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "a message has no 'method', 'result' or 'error'");
    }
}

deft_status deft__mcp_reader_next(deft__mcp_reader *reader, deft__mcp_message *message,
                                  deft_error *error)
{
    if (reader->is_done) {
        return DEFT_NOT_FOUND;
    }
    if (!reader->is_batch) {
        reader->is_done = true;
        return read_message(reader, deft__json_root(&reader->document), message, error);
    }
    if (!deft__json_next(&reader->batch)) {
        reader->is_done = true;
        return DEFT_NOT_FOUND;
    }
    return read_message(reader, reader->batch.value, message, error);
}

deft__json_value deft__mcp_param(const deft__mcp_message *message, const char *name)
{
    return deft__json_member(message->params, name);
}

// `{"jsonrpc":"2.0"` and the id, where there is one.
static void begin_message(deft__json_writer *writer, deft_buffer *out, deft_view id)
{
    deft__json_writer_init(writer, out);
    deft_buffer_append_text(out, "{\"jsonrpc\":\"2.0\"");
    writer->needs_comma = true;
    if (id.size > 0) {
        deft__json_name(writer, "id");
        deft__json_write_raw(writer, id);
    }
}

static void write_member(deft__json_writer *writer, const char *name, deft_view raw)
{
    if (raw.size > 0) {
        deft__json_name(writer, name);
        deft__json_write_raw_line(writer, raw);
    }
}

void deft__mcp_write_request(deft_buffer *out, deft_view id, const char *method, deft_view params)
{
    deft__json_writer writer;
    begin_message(&writer, out, id);
    deft__json_name(&writer, "method");
    deft__json_write_text(&writer, method);
    write_member(&writer, "params", params);
    deft__json_end_object(&writer);
}

void deft__mcp_write_notification(deft_buffer *out, const char *method, deft_view params)
{
    deft__mcp_write_request(out, deft_view_of(NULL), method, params);
}

void deft__mcp_write_result(deft_buffer *out, deft_view id, deft_view result)
{
    deft__json_writer writer;
    begin_message(&writer, out, id);
    write_member(&writer, "result", result.size > 0 ? result : deft_view_of("{}"));
    deft__json_end_object(&writer);
}

void deft__mcp_write_error(deft_buffer *out, deft_view id, int64_t code, deft_view message,
                           deft_view data)
{
    deft__json_writer writer;
    begin_message(&writer, out, id);
    deft__json_name(&writer, "error");
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "code");
    deft__json_write_int64(&writer, code);
    deft__json_name(&writer, "message");
    deft__json_write_string(&writer, message);
    write_member(&writer, "data", data);
    deft__json_end_object(&writer);
    deft__json_end_object(&writer);
}
