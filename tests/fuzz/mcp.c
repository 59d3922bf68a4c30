// Any line from a peer. What is read and written again reads the same; what goes from one era to
// the other keeps the bytes of every member that is not about the eras; a definition that was
// adapted once is fit.
#include "fuzz/fuzz.h"
#include "mcp/adapt.h"
#include "mcp/meta.h"
#include "mcp/mirror.h"

#include <string.h>

static const deft__mcp_caching caching = {.is_cacheable = true, .ttl_ms = 60000};

static bool has_byte(deft_view text, char byte)
{
    return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

// --- Messages. -----------------------------------------------------------------------------------

// The method ends in NUL for the writer, so one that has a NUL inside cannot be written.
static void write_call(deft_buffer *out, const deft__mcp_message *message)
{
    deft_buffer method;
    deft_buffer_init(&method, NULL);
    deft_buffer_append(&method, message->method);
    deft_buffer_append_byte(&method, '\0');
    if (message->kind == DEFT__MCP_REQUEST) {
        deft__mcp_write_request(out, message->id, method.data, deft__json_raw(message->params));
    } else {
        deft__mcp_write_notification(out, method.data, deft__json_raw(message->params));
    }
    deft_buffer_clear(&method);
}

static void write_message(deft_buffer *out, const deft__mcp_message *message)
{
    if (message->kind == DEFT__MCP_RESULT) {
        deft__mcp_write_result(out, message->id, deft__json_raw(message->result));
    } else if (message->kind == DEFT__MCP_ERROR) {
        deft__mcp_write_error(out, message->id, message->error_code, message->error_message,
                              deft__json_raw(deft__json_member(message->error, "data")));
    } else {
        write_call(out, message);
    }
    check(out->status == DEFT_OK);
}

static void check_rewritten(const deft__mcp_message *message)
{
    deft__mcp_reader  reader;
    deft__mcp_message again;
    deft_buffer       once;
    deft_buffer       twice;
    deft__mcp_reader_init(&reader, NULL);
    deft_buffer_init(&once, NULL);
    deft_buffer_init(&twice, NULL);

    write_message(&once, message);
    check(!has_byte(deft_buffer_view(&once), '\n') && !has_byte(deft_buffer_view(&once), '\r'));
    check(deft__mcp_reader_take(&reader, deft_buffer_view(&once), NULL) == DEFT_OK);
    check(deft__mcp_reader_next(&reader, &again, NULL) == DEFT_OK);
    check(again.kind == message->kind);
    check(deft_view_equal(again.id, message->id));
    check(deft_view_equal(again.method, message->method));
    check(deft_view_equal(again.error_message, message->error_message));
    check(again.error_code == message->error_code);
    check(deft__json_count(again.params) == deft__json_count(message->params));
    check(deft__json_count(again.result) == deft__json_count(message->result));
    check(deft__json_count(again.meta) == deft__json_count(message->meta));
    check(deft_view_equal(deft__mcp_progress_token(&again), deft__mcp_progress_token(message)));
    write_message(&twice, &again);
    check(deft_view_equal(deft_buffer_view(&once), deft_buffer_view(&twice)));

    deft_buffer_clear(&twice);
    deft_buffer_clear(&once);
    deft__mcp_reader_clear(&reader);
}

// --- What requests say of themselves. ------------------------------------------------------------

static void check_envelope(deft__mcp_reader *reader, const deft__mcp_message *message)
{
    deft__mcp_envelope envelope;
    deft_error         error = DEFT_ERROR_INIT;
    deft_buffer        method;
    deft_buffer_init(&method, NULL);
    deft_buffer_append(&method, message->method);
    const deft_status status = deft__mcp_read_envelope(reader, message, &envelope, &error);
    check(status == DEFT_OK || status == DEFT_INVALID);
    check(status != DEFT_OK || deft__mcp_is_modern(message));
    check(status == DEFT_OK || error.message[0] != '\0');
    if (status == DEFT_OK) {
        check(deft__json_string_equals(deft__json_member(message->meta, DEFT__MCP_META_VERSION),
                                       envelope.version));
        (void)deft__mcp_client_capabilities(envelope.capabilities);
    }
    check(deft_view_equal(deft_buffer_view(&method), message->method)); // it did not move
    deft_buffer_clear(&method);
}

// What travels on travels on unchanged.
static void check_forwarded(deft__json_value meta)
{
    deft_buffer once;
    deft_buffer twice;
    deft__json  document;
    deft_buffer_init(&once, NULL);
    deft_buffer_init(&twice, NULL);
    deft__json_init(&document, NULL);
    deft_buffer_append_byte(&once, '{');
    deft__mcp_write_forwarded_meta(&once, meta);
    deft_buffer_append_byte(&once, '}');
    check(deft__json_parse(&document, deft_buffer_view(&once), NULL, NULL) == DEFT_OK);
    deft_buffer_append_byte(&twice, '{');
    deft__mcp_write_forwarded_meta(&twice, deft__json_root(&document));
    deft_buffer_append_byte(&twice, '}');
    check(deft_view_equal(deft_buffer_view(&once), deft_buffer_view(&twice)));
    deft__json_clear(&document);
    deft_buffer_clear(&twice);
    deft_buffer_clear(&once);
}

// --- Between the eras. ---------------------------------------------------------------------------

static bool is_one_of(deft__json_value name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (deft__json_string_equals(name, deft_view_of(*names))) {
            return true;
        }
    }
    return false;
}

// Appends names and values of all members but some, byte for byte.
static void append_others(deft_buffer *out, deft__json_value object, const char *const *names)
{
    deft__json_iterator i = deft__json_iterate(object);
    while (i.is_object && deft__json_next(&i)) {
        if (!is_one_of(i.name, names)) {
            deft_buffer_append(out, deft__json_raw(i.name));
            deft_buffer_append_byte(out, ':');
            deft_buffer_append(out, deft__json_raw(i.value));
            deft_buffer_append_byte(out, '\n');
        }
    }
}

// All of a result that is not about the eras.
static void append_essence(deft_buffer *out, deft__json_value result)
{
    static const char *const of_eras[] = {"resultType", "ttlMs", "cacheScope", "_meta", NULL};
    static const char *const of_meta[] = {DEFT__MCP_META_SERVER_INFO, NULL};
    append_others(out, result, of_eras);
    deft__json_iterator i = deft__json_iterate(result);
    while (i.is_object && deft__json_next(&i)) {
        if (deft__json_string_equals(i.name, deft_view_of("_meta"))) {
            append_others(out, i.value, of_meta);
        }
    }
}

static void check_essence(deft__json_value result, deft_view essence)
{
    deft_buffer mine;
    deft_buffer_init(&mine, NULL);
    append_essence(&mine, result);
    check(deft_view_equal(deft_buffer_view(&mine), essence));
    deft_buffer_clear(&mine);
}

static void adapt(deft__json_value result, deft__mcp_era to, bool is_call, deft_buffer *out,
                  deft__json *document)
{
    deft__mcp_write_result_for(out, result, to, &caching, deft_view_of("{\"name\":\"deft\"}"),
                               is_call);
    check(out->status == DEFT_OK);
    check(deft__json_parse(document, deft_buffer_view(out), NULL, NULL) == DEFT_OK);
    check(deft__json_is(deft__json_root(document), DEFT__JSON_OBJECT));
}

static void check_eras(deft__json_value result)
{
    deft__json  modern;
    deft__json  legacy;
    deft_buffer essence;
    deft_buffer modern_text;
    deft_buffer legacy_text;
    deft__json_init(&modern, NULL);
    deft__json_init(&legacy, NULL);
    deft_buffer_init(&essence, NULL);
    deft_buffer_init(&modern_text, NULL);
    deft_buffer_init(&legacy_text, NULL);

    append_essence(&essence, result);
    adapt(result, DEFT__MCP_ERA_MODERN, false, &modern_text, &modern);
    check(
        !deft__json_is(deft__json_member(deft__json_root(&modern), "resultType"), DEFT__JSON_NONE));
    check_essence(deft__json_root(&modern), deft_buffer_view(&essence));
    adapt(deft__json_root(&modern), DEFT__MCP_ERA_LEGACY, false, &legacy_text, &legacy);
    check(
        deft__json_is(deft__json_member(deft__json_root(&legacy), "resultType"), DEFT__JSON_NONE));
    check_essence(deft__json_root(&legacy), deft_buffer_view(&essence));

    deft_buffer_reset(&legacy_text);
    adapt(result, DEFT__MCP_ERA_LEGACY, true, &legacy_text, &legacy);
    const deft__json_kind structured =
        deft__json_kind_of(deft__json_member(deft__json_root(&legacy), "structuredContent"));
    check(structured == DEFT__JSON_NONE || structured == DEFT__JSON_OBJECT);

    deft_buffer_clear(&legacy_text);
    deft_buffer_clear(&modern_text);
    deft_buffer_clear(&essence);
    deft__json_clear(&legacy);
    deft__json_clear(&modern);
}

static void check_definition(deft_view definition, deft__mcp_era to)
{
    static const char *const of_eras[] = {"execution", "inputSchema", "outputSchema", NULL};
    deft_buffer              once;
    deft_buffer              twice;
    deft_buffer              others;
    deft_buffer              others_after;
    deft__json               document;
    deft_buffer_init(&once, NULL);
    deft_buffer_init(&twice, NULL);
    deft_buffer_init(&others, NULL);
    deft_buffer_init(&others_after, NULL);
    deft__json_init(&document, NULL);

    check(deft__json_parse(&document, definition, NULL, NULL) == DEFT_OK);
    append_others(&others, deft__json_root(&document), of_eras);
    check(deft__mcp_write_definition_for(&once, definition, to, NULL) == DEFT_OK);
    check(deft__json_parse(&document, deft_buffer_view(&once), NULL, NULL) == DEFT_OK);
    append_others(&others_after, deft__json_root(&document), of_eras);
    check(deft_view_equal(deft_buffer_view(&others), deft_buffer_view(&others_after)));
    check(deft__mcp_write_definition_for(&twice, deft_buffer_view(&once), to, NULL) == DEFT_OK);
    check(deft_view_equal(deft_buffer_view(&once), deft_buffer_view(&twice)));

    deft__json_clear(&document);
    deft_buffer_clear(&others_after);
    deft_buffer_clear(&others);
    deft_buffer_clear(&twice);
    deft_buffer_clear(&once);
}

// Headers of parameters: names that are safe to send, and none left where the definition is for agents.
static void check_mirrors(deft__json_value definition)
{
    const deft__mcp_mirror *mirrors = NULL;
    size_t                  count   = 0;
    deft__arena             arena;
    deft_buffer             text;
    deft__json              document;
    deft__arena_init(&arena, NULL);
    deft_buffer_init(&text, NULL);
    deft__json_init(&document, NULL);
    if (deft__mcp_read_mirrors(definition, &arena, &mirrors, &count, NULL) == DEFT_OK) {
        check(count <= DEFT__MCP_MIRRORS_MAX);
        for (size_t i = 0; i < count; i++) {
            check(mirrors[i].header.size > 0 && !has_byte(mirrors[i].header, '\n') &&
                  !has_byte(mirrors[i].header, ':') && mirrors[i].name_count > 0);
            (void)deft__mcp_mirror_value(&mirrors[i], definition, &text);
        }
    }
    deft_buffer_reset(&text);
    check(deft__mcp_write_definition_for(&text, deft__json_raw(definition), DEFT__MCP_ERA_MODERN,
                                         NULL) == DEFT_OK);
    check(deft__json_parse(&document, deft_buffer_view(&text), NULL, NULL) == DEFT_OK);
    (void)deft__mcp_read_mirrors(deft__json_root(&document), &arena, &mirrors, &count, NULL);
    check(count == 0);
    deft__json_clear(&document);
    deft_buffer_clear(&text);
    deft__arena_clear(&arena);
}

// Any object may be a definition, or a result.
static void check_object(deft__json_value object)
{
    check_eras(object);
    check_definition(deft__json_raw(object), DEFT__MCP_ERA_LEGACY);
    check_definition(deft__json_raw(object), DEFT__MCP_ERA_MODERN);
    check_mirrors(object);
    (void)deft__mcp_server_capabilities(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view   line  = deft_view_make((const char *)data, size);
    deft_error        error = DEFT_ERROR_INIT;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft__mcp_reader_init(&reader, NULL);

    deft_status status = deft__mcp_reader_take(&reader, line, &error);
    check(status == DEFT_OK || error.message[0] != '\0');
    while (status == DEFT_OK || status == DEFT_INVALID) {
        status = deft__mcp_reader_next(&reader, &message, &error);
        if (status == DEFT_OK) {
            check_envelope(&reader, &message);
            check_forwarded(message.meta);
            (void)deft__mcp_needed_capability(message.method, message.params);
            if (!has_byte(message.method, '\0')) {
                check_rewritten(&message);
            }
        } else {
            check(status == DEFT_NOT_FOUND || error.message[0] != '\0');
        }
    }
    const deft__json_value root = deft__json_root(&reader.document);
    if (deft__json_is(root, DEFT__JSON_OBJECT)) {
        check_object(root);
    }
    const deft__json_value result = deft__json_member(root, "result");
    if (deft__json_is(result, DEFT__JSON_OBJECT)) {
        check_object(result);
    }
    deft__mcp_reader_clear(&reader);
    return 0;
}
