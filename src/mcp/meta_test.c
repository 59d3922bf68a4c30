// What requests say of themselves: the envelope of a modern request, progress, and what travels on.
#include "mcp/meta.h"

#include "mcp/era.h"
#include "support/allocator.h"
#include "support/test.h"

#define VERSION      "\"io.modelcontextprotocol/protocolVersion\":"
#define CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":"
#define CLIENT_INFO  "\"io.modelcontextprotocol/clientInfo\":"
#define LOG_LEVEL    "\"io.modelcontextprotocol/logLevel\":"
#define OTHER        "\"io.modelcontextprotocol/other\":"

typedef struct request {
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft_buffer       line;
} request;

// Reads a request that has this `_meta`.
static void ask_as(request *asked, const char *method, const char *meta)
{
    deft_error error = DEFT_ERROR_INIT;
    deft__mcp_reader_init(&asked->reader, NULL);
    deft_buffer_init(&asked->line, NULL);
    deft_buffer_append_text(&asked->line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"");
    deft_buffer_append_text(&asked->line, method);
    deft_buffer_append_text(&asked->line, "\",\"params\":{\"_meta\":");
    deft_buffer_append_text(&asked->line, meta);
    deft_buffer_append_text(&asked->line, "}}");
    assert_ok(deft__mcp_reader_take(&asked->reader, deft_buffer_view(&asked->line), &error), error);
    assert_ok(deft__mcp_reader_next(&asked->reader, &asked->message, &error), error);
}

static void ask(request *asked, const char *meta)
{
    ask_as(asked, "tools/list", meta);
}

static void asked_clear(request *asked)
{
    deft__mcp_reader_clear(&asked->reader);
    deft_buffer_clear(&asked->line);
}

static void a_version_in_meta_makes_a_request_modern(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *meta;
        bool        is_modern;
    } cases[] = {
        {"a version", "{" VERSION "\"2026-07-28\"}", true},
        {"a malformed version is a claim all the same", "{" VERSION "7}", true},
        {"no version", "{" CAPABILITIES "{}}", false},
        {"a name without the prefix", "{\"protocolVersion\":\"2026-07-28\"}", false},
        {"no object", "[]", false},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        request asked;
        case_name(cases[i].name);
        ask(&asked, cases[i].meta);
        assert_int_equal(deft__mcp_is_modern(&asked.message), cases[i].is_modern);
        asked_clear(&asked);
    }
}

static void an_envelope_is_read(void **state)
{
    (void)state;
    request            asked;
    deft__mcp_envelope envelope;
    deft_error         error = DEFT_ERROR_INIT;

    ask(&asked, "{" VERSION "\"2026-07-28\"," CAPABILITIES "{}}");
    assert_ok(deft__mcp_read_envelope(&asked.reader, &asked.message, &envelope, &error), error);
    assert_view_equal(envelope.version, "2026-07-28");
    assert_view_equal(deft__json_raw(envelope.capabilities), "{}");
    assert_true(deft__json_is(envelope.client_info, DEFT__JSON_NONE));
    assert_view_equal(envelope.log_level, "");
    asked_clear(&asked);

    ask(&asked,
        "{" VERSION "\"2026-07-28\"," CAPABILITIES "{\"roots\":{}}," CLIENT_INFO "{\"name\":\"c\"}"
        "," LOG_LEVEL "\"info\"}");
    assert_ok(deft__mcp_read_envelope(&asked.reader, &asked.message, &envelope, &error), error);
    assert_view_equal(deft__json_raw(envelope.capabilities), "{\"roots\":{}}");
    assert_view_equal(deft__json_raw(envelope.client_info), "{\"name\":\"c\"}");
    assert_view_equal(envelope.log_level, "info");
    asked_clear(&asked);
}

// All that is decoded stays valid together, however often the envelope is read.
static void escapes_everywhere(void **state)
{
    (void)state;
    request            asked;
    deft__mcp_envelope envelope;
    deft_error         error = DEFT_ERROR_INIT;
    ask_as(&asked, "tools\\/c\\u0061ll",
           "{" VERSION "\"2026\\u002d07-28\"," CAPABILITIES "{}," LOG_LEVEL "\"\\u0069nfo\"}");
    for (int i = 0; i < 20; i++) {
        assert_ok(deft__mcp_read_envelope(&asked.reader, &asked.message, &envelope, &error), error);
        assert_view_equal(asked.message.method, "tools/call");
        assert_view_equal(envelope.version, "2026-07-28");
        assert_view_equal(envelope.log_level, "info");
    }
    asked_clear(&asked);
}

static void what_is_wrong_with_an_envelope(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *meta;
        const char *message;
    } cases[] = {
        {"no version", "{" CAPABILITIES "{}}",
         "_meta has no 'io.modelcontextprotocol/protocolVersion'"},
        {"a version that is no text", "{" VERSION "1}",
         "'io.modelcontextprotocol/protocolVersion' in _meta must be a string, not a number"},
        {"no capabilities", "{" VERSION "\"2026-07-28\"}",
         "_meta has no 'io.modelcontextprotocol/clientCapabilities'"},
        {"capabilities of null", "{" VERSION "\"2026-07-28\"," CAPABILITIES "null}",
         "'io.modelcontextprotocol/clientCapabilities' in _meta must be an object, not null"},
        {"an info that is text",
         "{" VERSION "\"2026-07-28\"," CAPABILITIES "{}," CLIENT_INFO "\"me\"}",
         "'io.modelcontextprotocol/clientInfo' in _meta must be an object, not a string"},
        {"a level that is a number",
         "{" VERSION "\"2026-07-28\"," CAPABILITIES "{}," LOG_LEVEL "3}",
         "'io.modelcontextprotocol/logLevel' in _meta must be a string, not a number"},
        {"a level that does not exist",
         "{" VERSION "\"2026-07-28\"," CAPABILITIES "{}," LOG_LEVEL "\"warn\"}",
         "is not one of debug, info, notice, warning"},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        request            asked;
        deft__mcp_envelope envelope;
        deft_error         error = DEFT_ERROR_INIT;
        case_name(cases[i].name);
        ask(&asked, cases[i].meta);
        assert_int_equal(deft__mcp_read_envelope(&asked.reader, &asked.message, &envelope, &error),
                         DEFT_INVALID);
        assert_non_null(strstr(error.message, cases[i].message));
        asked_clear(&asked);
    }
}

static void progress_tokens_keep_their_type(void **state)
{
    (void)state;
    static const struct {
        const char *meta;
        const char *token;
    } cases[] = {
        {"{\"progressToken\":\"a\\n\"}", "\"a\\n\""},
        {"{\"progressToken\":17}", "17"},
        {"{\"progressToken\":1.50}", "1.50"},
        {"{\"progressToken\":null}", ""},
        {"{\"progressToken\":{}}", ""},
        {"{}", ""},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        request asked;
        case_name(cases[i].meta);
        ask(&asked, cases[i].meta);
        assert_view_equal(deft__mcp_progress_token(&asked.message), cases[i].token);
        asked_clear(&asked);
    }
}

static void what_travels_on(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *meta;
        const char *forwarded;
    } cases[] = {
        {"nothing of nothing", "{}", ""},
        {"a trace", "{\"traceparent\":\"00-1\",\"x\": [1, 2]}",
         "\"traceparent\":\"00-1\",\"x\":[1, 2]"},
        {"not what is between two neighbours",
         "{\"progressToken\":1," VERSION "\"2026-07-28\"," OTHER "{}}", ""},
        {"what is left in the middle", "{\"progressToken\":1,\"a\":1,\"progressToken\":2}",
         "\"a\":1"},
        {"escapes hide nothing",
         "{\"io\\u002emodelcontextprotocol\\/x\":1,\"progress\\u0054oken\":2,\"a\\u0062\":3}",
         "\"a\\u0062\":3"},
        {"the prefix alone is not the prefix", "{\"io.modelcontextprotocol\":1}",
         "\"io.modelcontextprotocol\":1"},
        {"line ends are taken out", "{\"a\":[1,\n2]}", "\"a\":[1,2]"},
        {"no object", "7", ""},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        request     asked;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        case_name(cases[i].name);
        ask(&asked, cases[i].meta);
        deft__mcp_write_forwarded_meta(&out, asked.message.meta);
        assert_view_equal(deft_buffer_view(&out), cases[i].forwarded);
        deft_buffer_clear(&out);
        asked_clear(&asked);
    }
}

static void our_own_envelope(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__mcp_write_envelope(&out, deft_view_of("2026-07-28"), deft_view_of("{\"roots\":{}}"),
                             deft_view_of("{\"name\":\"deft\"}"), deft_view_of("debug"));
    assert_view_equal(deft_buffer_view(&out),
                      VERSION "\"2026-07-28\"," CAPABILITIES "{\"roots\":{}}," CLIENT_INFO
                              "{\"name\":\"deft\"}," LOG_LEVEL "\"debug\"");
    deft_buffer_reset(&out);
    deft__mcp_write_envelope(&out, deft_view_of("2026-07-28"), deft_view_of(""), deft_view_of(""),
                             deft_view_of(""));
    assert_view_equal(deft_buffer_view(&out), VERSION "\"2026-07-28\"," CAPABILITIES "{}");
    deft_buffer_clear(&out);
}

static bool read_and_write_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    const deft_view line = deft_view_of(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{\"_meta\":{" VERSION
        "\"2026\\u002d07-28\"," CAPABILITIES "{},\"\\u0061\":1}}}");
    deft__mcp_reader   reader;
    deft__mcp_message  message;
    deft__mcp_envelope envelope;
    deft_error         error = DEFT_ERROR_INIT;
    deft_buffer        out;
    deft__mcp_reader_init(&reader, allocator);
    deft_buffer_init(&out, allocator);
    deft_status status = deft__mcp_reader_take(&reader, line, &error);
    if (status == DEFT_OK) {
        status = deft__mcp_reader_next(&reader, &message, &error);
    }
    if (status == DEFT_OK) {
        status = deft__mcp_read_envelope(&reader, &message, &envelope, &error);
        deft__mcp_write_forwarded_meta(&out, message.meta);
    }
    deft__mcp_write_envelope(&out, deft_view_of("2026-07-28"), deft_view_of("{}"),
                             deft_view_of("{\"name\":\"a name of some length\"}"),
                             deft_view_of(""));
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    const bool is_ok = status == DEFT_OK && out.status == DEFT_OK;
    deft_buffer_clear(&out);
    deft__mcp_reader_clear(&reader);
    return is_ok;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(read_and_write_with, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_in_meta_makes_a_request_modern),
        cmocka_unit_test(an_envelope_is_read),
        cmocka_unit_test(escapes_everywhere),
        cmocka_unit_test(what_is_wrong_with_an_envelope),
        cmocka_unit_test(progress_tokens_keep_their_type),
        cmocka_unit_test(what_travels_on),
        cmocka_unit_test(our_own_envelope),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
