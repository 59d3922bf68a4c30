// JSON-RPC as peers really write it: what is read as which message, what is refused, what is
// written.
#include "mcp/message.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char    *name;
    const char    *line;
    deft__mcp_kind kind;
    const char    *id;
    const char    *method;
    const char    *params; // raw; "" for none
} calls[] = {
    {"a request", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", DEFT__MCP_REQUEST, "1",
     "ping", ""},
    {"a notification", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
     DEFT__MCP_NOTIFICATION, "", "notifications/initialized", ""},
    {"params keep their bytes",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{ \"n\": 1.50e3 }}",
     DEFT__MCP_REQUEST, "1", "a", "{ \"n\": 1.50e3 }"},
    {"an id of text keeps its quotes and escapes",
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0041\\\"\",\"method\":\"a\"}", DEFT__MCP_REQUEST,
     "\"a\\u0041\\\"\"", "a", ""},
    {"an id may be empty text", "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"a\"}",
     DEFT__MCP_REQUEST, "\"\"", "a", ""},
    {"a huge id keeps its digits",
     "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"a\"}",
     DEFT__MCP_REQUEST, "123456789012345678901234567890", "a", ""},
    {"an id below zero", "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"a\"}", DEFT__MCP_REQUEST,
     "-7", "a", ""},
    {"a whole number is whole however it is written",
     "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"a\"}", DEFT__MCP_REQUEST, "1.0", "a", ""},
    {"members in any order", "{\"params\":{},\"method\":\"a\",\"id\":1,\"jsonrpc\":\"2.0\"}",
     DEFT__MCP_REQUEST, "1", "a", "{}"},
    {"white space around everything",
     " {\t\"jsonrpc\" : \"2.0\" , \"id\" : 1 ,\"method\" : \"a\" } ", DEFT__MCP_REQUEST, "1", "a",
     ""},
    {"unknown members are passed over",
     "{\"jsonrpc\":\"2.0\",\"x\":[{}],\"id\":1,\"method\":\"a\"}", DEFT__MCP_REQUEST, "1", "a", ""},
    {"escapes in a method are decoded",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\\/\\u006cist\"}", DEFT__MCP_REQUEST, "1",
     "tools/list", ""},
    {"escapes in member names are decoded",
     "{\"jsonrpc\":\"2.0\",\"\\u0069d\":1,\"m\\u0065thod\":\"a\"}", DEFT__MCP_REQUEST, "1", "a",
     ""},
    {"half a surrogate in a method is U+FFFD",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\ud800b\"}", DEFT__MCP_REQUEST, "1",
     "a\xEF\xBF\xBD"
     "b",
     ""},
    {"of two members with one name the last counts",
     "{\"jsonrpc\":\"1\",\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\",\"method\":\"b\"}",
     DEFT__MCP_REQUEST, "2", "b", ""},
    {"params of null are none", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":null}",
     DEFT__MCP_REQUEST, "1", "a", ""},
    {"a method may be empty", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", DEFT__MCP_REQUEST,
     "1", "", ""},
};

static void read_one(deft__mcp_reader *reader, deft_view line, deft__mcp_message *message)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__mcp_reader_take(reader, line, &error), error);
    assert_ok(deft__mcp_reader_next(reader, message, &error), error);
}

static void requests_and_notifications(void **state)
{
    (void)state;
    deft__mcp_reader reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(calls); i++) {
        deft__mcp_message message;
        test_guard        guard;
        case_name(calls[i].name);
        read_one(&reader, test_guard_copy(&guard, deft_view_of(calls[i].line)), &message);
        assert_int_equal(message.kind, calls[i].kind);
        assert_view_equal(message.id, calls[i].id);
        assert_view_equal(message.method, calls[i].method);
        assert_view_equal(deft__json_raw(message.params), calls[i].params);
        assert_int_equal(deft__mcp_reader_next(&reader, &message, NULL), DEFT_NOT_FOUND);
        test_guard_clear(&guard);
    }
    deft__mcp_reader_clear(&reader);
}

static const struct {
    const char *name;
    const char *line;
    const char *id;
    const char *result; // raw
} results[] = {
    {"a result", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\": 1}}", "1", "{\"a\": 1}"},
    {"a result of null is an empty one", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", "1", ""},
    {"an error of null beside a result",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":null}", "1", "{}"},
};

static void answers(void **state)
{
    (void)state;
    deft__mcp_reader reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(results); i++) {
        deft__mcp_message message;
        case_name(results[i].name);
        read_one(&reader, deft_view_of(results[i].line), &message);
        assert_int_equal(message.kind, DEFT__MCP_RESULT);
        assert_view_equal(message.id, results[i].id);
        assert_view_equal(deft__json_raw(message.result), results[i].result);
    }
    deft__mcp_reader_clear(&reader);
}

static const struct {
    const char *name;
    const char *line;
    const char *id;
    int64_t     code;
    const char *message;
} errors[] = {
    {"an error",
     "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"no \\\"a\\\"\"}}",
     "\"x\"", -32601, "no \"a\""},
    {"an error without an id",
     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}", "", -32700, "m"},
    {"an error whose id is null",
     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"m\",\"data\":1},\"id\":null}",
     "", -32000, "m"},
    {"a result of null beside an error",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null,\"error\":{\"code\":1,\"message\":\"\"}}", "1",
     1, ""},
};

static void errors_of_peers(void **state)
{
    (void)state;
    deft__mcp_reader reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(errors); i++) {
        deft__mcp_message message;
        case_name(errors[i].name);
        read_one(&reader, deft_view_of(errors[i].line), &message);
        assert_int_equal(message.kind, DEFT__MCP_ERROR);
        assert_view_equal(message.id, errors[i].id);
        assert_int_equal(message.error_code, errors[i].code);
        assert_view_equal(message.error_message, errors[i].message);
        assert_true(deft__json_is(message.error, DEFT__JSON_OBJECT));
    }
    deft__mcp_reader_clear(&reader);
}

static const struct {
    const char    *name;
    const char    *line;
    const char    *id; // what can be answered to
    deft__mcp_kind kind;
    const char    *message; // a part of the error
} no_messages[] = {
    {"a number", "42", "", DEFT__MCP_REQUEST, "must be an object, not a number"},
    {"text", "\"hello\"", "", DEFT__MCP_REQUEST, "must be an object, not a string"},
    {"an empty object", "{}", "", DEFT__MCP_REQUEST, "jsonrpc"},
    {"jsonrpc is missing", "{\"id\":1,\"method\":\"a\"}", "1", DEFT__MCP_REQUEST, "jsonrpc"},
    {"jsonrpc is a number", "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", "1", DEFT__MCP_REQUEST,
     "jsonrpc"},
    {"jsonrpc is another version", "{\"jsonrpc\":\"1.0\",\"id\":\"q\",\"method\":\"a\"}", "\"q\"",
     DEFT__MCP_REQUEST, "jsonrpc"},
    {"an id of null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "", DEFT__MCP_REQUEST,
     "'id' must be a string or an integer, not null"},
    {"an id with a fraction", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", "",
     DEFT__MCP_REQUEST, "'id' must be"},
    {"an id that is true", "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", "",
     DEFT__MCP_REQUEST, "'id' must be"},
    {"an id that is an object", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", "",
     DEFT__MCP_REQUEST, "'id' must be"},
    {"an id that is an array", "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}", "",
     DEFT__MCP_REQUEST, "'id' must be"},
    {"a method that is a number", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", "1",
     DEFT__MCP_REQUEST, "'method' must be a string, not a number"},
    {"a method of null", "{\"jsonrpc\":\"2.0\",\"method\":null}", "", DEFT__MCP_NOTIFICATION,
     "'method' must be a string, not null"},
    {"params that are an array", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}",
     "1", DEFT__MCP_REQUEST, "'params' must be an object, not an array"},
    {"neither a question nor an answer", "{\"jsonrpc\":\"2.0\",\"id\":1}", "1", DEFT__MCP_REQUEST,
     "no 'method', 'result' or 'error'"},
    {"a question and an answer", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"result\":{}}",
     "1", DEFT__MCP_REQUEST, "both a method"},
    {"a question and an error",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"error\":{\"code\":1,\"message\":\"\"}}", "1",
     DEFT__MCP_REQUEST, "both a method"},
    {"a result and an error",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}", "1",
     DEFT__MCP_ERROR, "both a result and an error"},
    {"a result without an id", "{\"jsonrpc\":\"2.0\",\"result\":{}}", "", DEFT__MCP_RESULT,
     "no 'id'"},
    {"a result whose id is null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}", "",
     DEFT__MCP_RESULT, "'id' must be"},
    {"a result that is text", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"ok\"}", "1",
     DEFT__MCP_RESULT, "'result' must be an object"},
    {"an error that is text", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no\"}", "1",
     DEFT__MCP_ERROR, "'error' must be an object"},
    {"an error without a code", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"m\"}}", "1",
     DEFT__MCP_ERROR, "'error.code' must be"},
    {"an error with a code that is no integer",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"m\"}}", "1",
     DEFT__MCP_ERROR, "'error.code' must be"},
    {"an error with a code beyond 64 bits",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":9223372036854775808,\"message\":\"m\"}}",
     "1", DEFT__MCP_ERROR, "'error.code' must be"},
    {"an error without a message", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}", "1",
     DEFT__MCP_ERROR, "'error.message' must be a string"},
    {"an error whose id is true",
     "{\"jsonrpc\":\"2.0\",\"id\":true,\"error\":{\"code\":1,\"message\":\"\"}}", "",
     DEFT__MCP_ERROR, "'id' must be"},
};

static void json_that_is_no_message(void **state)
{
    (void)state;
    deft__mcp_reader reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(no_messages); i++) {
        deft__mcp_message message;
        deft_error        error = DEFT_ERROR_INIT;
        case_name(no_messages[i].name);
        assert_ok(deft__mcp_reader_take(&reader, deft_view_of(no_messages[i].line), &error), error);
        assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_INVALID);
        assert_view_equal(message.id, no_messages[i].id);
        assert_int_equal(message.kind, no_messages[i].kind);
        assert_non_null(strstr(error.message, no_messages[i].message));
        assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_NOT_FOUND);
    }
    deft__mcp_reader_clear(&reader);
}

static void what_is_not_json(void **state)
{
    (void)state;
    static const char *const lines[] = {"",   " ",     "hello", "{\"jsonrpc\":\"2.0\"",
                                        "[]", " [ ] ", "{} {}", "{\"a\":\"\xFF\"}"};
    deft__mcp_reader         reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(lines); i++) {
        deft__mcp_message message;
        deft_error        error = DEFT_ERROR_INIT;
        case_name(lines[i]);
        assert_int_equal(deft__mcp_reader_take(&reader, deft_view_of(lines[i]), &error),
                         DEFT_INVALID);
        assert_int_not_equal(error.message[0], '\0');
        assert_int_equal(reader.is_batch, strchr(lines[i], '[') != NULL);
        assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_NOT_FOUND);
    }
    deft__mcp_reader_clear(&reader);
}

static void a_batch_is_read_one_by_one(void **state)
{
    (void)state;
    const deft_view   line = deft_view_of("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},"
                                            "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}],7,"
                                            "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]");
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft_error        error = DEFT_ERROR_INIT;
    deft__mcp_reader_init(&reader, NULL);

    assert_ok(deft__mcp_reader_take(&reader, line, &error), error);
    assert_true(reader.is_batch);
    assert_ok(deft__mcp_reader_next(&reader, &message, &error), error);
    assert_view_equal(message.method, "a");
    assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_INVALID); // nested
    assert_view_equal(message.id, "");
    assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_INVALID);
    assert_ok(deft__mcp_reader_next(&reader, &message, &error), error);
    assert_int_equal(message.kind, DEFT__MCP_RESULT);
    assert_view_equal(message.id, "3");
    assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_NOT_FOUND);
    assert_int_equal(deft__mcp_reader_next(&reader, &message, &error), DEFT_NOT_FOUND);

    assert_ok(deft__mcp_reader_take(&reader, deft_view_of("{}"), &error), error);
    assert_false(reader.is_batch);
    deft__mcp_reader_clear(&reader);
}

static void parameters_and_meta(void **state)
{
    (void)state;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft__mcp_reader_init(&reader, NULL);

    read_one(&reader,
             deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\","
                          "\"params\":{\"name\":\"x\",\"_meta\":{\"k\":1}}}"),
             &message);
    assert_view_equal(deft__json_raw(deft__mcp_param(&message, "name")), "\"x\"");
    assert_view_equal(deft__json_raw(message.meta), "{\"k\":1}");
    assert_true(deft__json_is(deft__mcp_param(&message, "other"), DEFT__JSON_NONE));

    read_one(&reader,
             deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"_meta\":{\"k\":2}}}"),
             &message);
    assert_view_equal(deft__json_raw(message.meta), "{\"k\":2}");
    assert_true(deft__json_is(deft__mcp_param(&message, "name"), DEFT__JSON_NONE));

    read_one(&reader,
             deft_view_of("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"_meta\":7}}"),
             &message);
    assert_true(deft__json_is(message.meta, DEFT__JSON_NONE));
    deft__mcp_reader_clear(&reader);
}

static void messages_are_written_as_one_line(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);

    deft__mcp_write_request(&out, deft_view_of("\"a\""), "tools/call",
                            deft_view_of("{\"a\":\n [1.0,\r\n2]}"));
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\","
                      "\"params\":{\"a\": [1.0,2]}}");
    deft_buffer_reset(&out);
    deft__mcp_write_request(&out, deft_view_of("1"), "ping", deft_view_of(""));
    assert_view_equal(deft_buffer_view(&out), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");

    deft_buffer_reset(&out);
    deft__mcp_write_notification(&out, "notifications/progress", deft_view_of("{\"progress\":1}"));
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                      "\"params\":{\"progress\":1}}");

    deft_buffer_reset(&out);
    deft__mcp_write_result(&out, deft_view_of("12345678901234567890"), deft_view_of("{\"x\":1e1}"));
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"result\":{\"x\":1e1}}");
    deft_buffer_reset(&out);
    deft__mcp_write_result(&out, deft_view_of("1"), deft_view_of(""));
    assert_view_equal(deft_buffer_view(&out), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

    deft_buffer_reset(&out);
    deft__mcp_write_error(&out, deft_view_of("1"), DEFT__MCP_INVALID_PARAMS,
                          deft_view_of("no \"x\""), deft_view_of("{\"uri\":\n\"a\"}"));
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
                      "\"message\":\"no \\\"x\\\"\",\"data\":{\"uri\":\"a\"}}}");
    deft_buffer_reset(&out);
    deft__mcp_write_error(&out, deft_view_of(""), DEFT__MCP_PARSE_ERROR, deft_view_of("bad"),
                          deft_view_of(""));
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"bad\"}}");
    deft_buffer_clear(&out);
}

// One of each kind, with escapes where they cost memory.
static const char *const samples[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\\/call\",\"params\":{\"_meta\":{\"k\":1}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[]}}",
    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"a\\nb\"}},{}]",
};

static bool read_all_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft_buffer       out;
    bool              is_ok = true;
    deft__mcp_reader_init(&reader, allocator);
    deft_buffer_init(&out, allocator);
    for (size_t i = 0; i < array_size(samples); i++) {
        deft_error  error  = DEFT_ERROR_INIT;
        deft_status status = deft__mcp_reader_take(&reader, deft_view_of(samples[i]), &error);
        while (status == DEFT_OK || status == DEFT_INVALID) {
            status = deft__mcp_reader_next(&reader, &message, &error);
        }
        assert_true(status == DEFT_NOT_FOUND || error.status == DEFT_OUT_OF_MEMORY);
        is_ok &= status == DEFT_NOT_FOUND;
    }
    deft__mcp_write_request(&out, deft_view_of("1"), "a", deft_view_of("{}"));
    deft__mcp_write_notification(&out, "a", deft_view_of("{}"));
    deft__mcp_write_result(&out, deft_view_of("1"), deft_view_of("{}"));
    deft__mcp_write_error(&out, deft_view_of("1"), 1, deft_view_of("m"), deft_view_of("{}"));
    is_ok &= out.status == DEFT_OK;
    deft_buffer_clear(&out);
    deft__mcp_reader_clear(&reader);
    return is_ok;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(read_all_with, NULL) > 3);
}

// The path of every relayed call.
static void a_warm_reader_asks_for_no_memory(void **state)
{
    (void)state;
    test_allocator    allocator;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    size_t            requests = 0;
    test_allocator_init(&allocator);
    deft__mcp_reader_init(&reader, &allocator.allocator);
    for (size_t round = 0; round < 3; round++) {
        requests = round == 1 ? allocator.requests : requests;
        for (size_t i = 0; i < array_size(samples); i++) {
            assert_int_equal(deft__mcp_reader_take(&reader, deft_view_of(samples[i]), NULL),
                             DEFT_OK);
            while (deft__mcp_reader_next(&reader, &message, NULL) != DEFT_NOT_FOUND) {
            }
        }
    }
    assert_int_equal(allocator.requests, requests);
    deft__mcp_reader_clear(&reader);
    assert_int_equal(allocator.blocks, 0);
}

static void a_giant_does_not_stay(void **state)
{
    (void)state;
    test_allocator    allocator;
    deft__mcp_reader  reader;
    deft__mcp_message message;
    deft_buffer       giant;
    deft_error        error = DEFT_ERROR_INIT;
    test_allocator_init(&allocator);
    deft__mcp_reader_init(&reader, &allocator.allocator);
    deft_buffer_init(&giant, NULL);
    deft_buffer_append_text(&giant, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"");
    for (size_t i = 0; i < 200000; i++) {
        deft_buffer_append_text(&giant, "\\n");
    }
    deft_buffer_append_text(&giant, "\",\"params\":{\"a\":[0");
    for (size_t i = 0; i < 200000; i++) {
        deft_buffer_append_text(&giant, ",0");
    }
    deft_buffer_append_text(&giant, "]}}");

    read_one(&reader, deft_buffer_view(&giant), &message);
    assert_int_equal(message.method.size, 200000);
    assert_true(allocator.bytes > 200000 * 16);
    assert_ok(deft__mcp_reader_take(&reader, deft_view_of("{}"), &error), error);
    assert_true(allocator.bytes < 10000);
    deft_buffer_clear(&giant);
    deft__mcp_reader_clear(&reader);
}

static void limits_are_answers(void **state)
{
    (void)state;
    deft__mcp_reader reader;
    deft_buffer      line;
    deft_error       error = DEFT_ERROR_INIT;
    deft__mcp_reader_init(&reader, NULL);
    deft_buffer_init(&line, NULL);
    for (size_t i = 0; i < 129; i++) {
        deft_buffer_append_byte(&line, '[');
    }
    assert_int_equal(deft__mcp_reader_take(&reader, deft_buffer_view(&line), &error), DEFT_LIMIT);
    deft_buffer_clear(&line);
    deft__mcp_reader_clear(&reader);
}

// Every byte of a message changed, taken out, or the last one: never more than a refusal, and what
// is read lies inside the line.
static void one_byte_makes_no_harm(void **state)
{
    (void)state;
    static const char bytes[] = {'\0', '"', '\\', '{',  '}',    '[', ']',
                                 ',',  ':', '0',  '\n', '\x80', 'u'};
    deft__mcp_reader  reader;
    deft__mcp_reader_init(&reader, NULL);
    for (size_t i = 0; i < array_size(samples); i++) {
        const size_t size = strlen(samples[i]);
        for (size_t at = 0; at < size; at++) {
            for (size_t b = 0; b <= array_size(bytes) + 1; b++) {
                deft__mcp_message message;
                test_guard        guard;
                char              text[256];
                size_t            text_size = size;
                memcpy(text, samples[i], size);
                if (b < array_size(bytes)) {
                    text[at] = bytes[b];
                } else if (b == array_size(bytes)) {
                    text_size--;
                    memmove(text + at, text + at + 1, size - at - 1);
                } else {
                    text_size = at;
                }
                const deft_view line   = test_guard_copy(&guard, deft_view_make(text, text_size));
                deft_status     status = deft__mcp_reader_take(&reader, line, NULL);
                assert_true(status == DEFT_OK || status == DEFT_INVALID);
                while ((status = deft__mcp_reader_next(&reader, &message, NULL)) !=
                       DEFT_NOT_FOUND) {
                    assert_true(status == DEFT_OK || status == DEFT_INVALID);
                    assert_true(message.id.size == 0 ||
                                (message.id.data > line.data &&
                                 message.id.data + message.id.size < line.data + line.size));
                }
                test_guard_clear(&guard);
            }
        }
    }
    deft__mcp_reader_clear(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_and_notifications),
        cmocka_unit_test(answers),
        cmocka_unit_test(errors_of_peers),
        cmocka_unit_test(json_that_is_no_message),
        cmocka_unit_test(what_is_not_json),
        cmocka_unit_test(a_batch_is_read_one_by_one),
        cmocka_unit_test(parameters_and_meta),
        cmocka_unit_test(messages_are_written_as_one_line),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(a_warm_reader_asks_for_no_memory),
        cmocka_unit_test(a_giant_does_not_stay),
        cmocka_unit_test(limits_are_answers),
        cmocka_unit_test(one_byte_makes_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
