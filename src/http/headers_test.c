// What single headers say.
#include "http/headers.h"

#include "http/syntax.h"
#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const struct {
    const char *value;
    bool        is_json;
} types[] = {
    {"application/json", true},
    {"Application/JSON", true},
    {"application/json; charset=utf-8", true},
    {"application/json;charset=\"UTF-8\"", true},
    {" application/json ; a=b;; charset=utf-8 ;", true},
    {"application/json; charset=iso-8859-1", false},
    {"application/json; charset", false},
    {"application/json nonsense", false},
    {"application/json; a=\"b", false},
    {"application/jsonl", false},
    {"application/", false},
    {"application", false},
    {"/json", false},
    {"text/plain", false},
    {"text/plain; a=application/json", false},
    {"application/json, text/plain", false},
    {"", false},
};

static void a_json_body_is_known_by_its_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(types); i++) {
        test_guard guard;
        case_name(types[i].value);
        assert_int_equal(deft__http_is_json(test_guard_copy(&guard, deft_view_of(types[i].value))),
                         types[i].is_json);
        test_guard_clear(&guard);
    }
}

static void media_types_have_parameters(void **state)
{
    (void)state;
    const deft_view value = deft_view_of("multipart/form-data; Boundary=\"a;b\"; x=1");
    deft_view       found;
    assert_true(deft__http_is_media_type(value, "multipart/form-data"));
    assert_true(deft__http_media_parameter(value, "boundary", &found));
    assert_view_equal(found, "\"a;b\"");
    assert_true(deft__http_media_parameter(value, "X", &found));
    assert_view_equal(found, "1");
    assert_false(deft__http_media_parameter(value, "y", &found));
    assert_false(deft__http_media_parameter(deft_view_of("nonsense; y=1"), "y", &found));
}

static const struct {
    const char *accept; // NULL: no such header
    bool        json;
    bool        events;
} accepts[] = {
    {NULL, true, true},
    {"application/json, text/event-stream", true, true},
    {"TEXT/Event-Stream,APPLICATION/json;q=0.5", true, true},
    {"text/event-stream", false, true},
    {"application/json", true, false},
    {"*/*", true, true},
    {"text/*", false, true},
    {"application/*;q=0.1", true, false},
    {"*/*;q=0", false, false},
    {"*/*, text/event-stream;q=0", true, false},
    {"text/*;q=0.000, text/event-stream", false, true},
    {"text/event-stream;q=0.0, */*;q=0.1", true, false},
    {"application/json;q=0, application/json;q=1", true, false},
    {"application/json;v=\"a,b\";q=1", true, false},
    {"application/jsonx, text/", false, false},
    {"nonsense", false, false},
    {"", false, false},
};

static void accept_says_what_a_client_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(accepts); i++) {
        const deft__http_header header = {deft_view_of("ACCEPT"), deft_view_of(accepts[i].accept)};
        const deft__http_head   head   = {.headers      = &header,
                                          .header_count = accepts[i].accept != NULL ? 1 : 0};
        case_name(accepts[i].accept != NULL ? accepts[i].accept : "no header");
        assert_int_equal(deft__http_accepts(&head, "application/json"), accepts[i].json);
        assert_int_equal(deft__http_accepts(&head, "text/event-stream"), accepts[i].events);
    }
    const deft__http_header two[] = {{deft_view_of("Accept"), deft_view_of("application/json")},
                                     {deft_view_of("Other"), deft_view_of("text/plain")},
                                     {deft_view_of("Accept"), deft_view_of("text/event-stream")}};
    const deft__http_head   head  = {.headers = two, .header_count = 3};
    assert_true(deft__http_accepts(&head, "application/json"));
    assert_true(deft__http_accepts(&head, "text/event-stream"));
    assert_false(deft__http_accepts(&head, "text/plain"));
}

static const deft_view names[] = {DEFT_VIEW_INIT("deft.example.com"),
                                  DEFT_VIEW_INIT("other.example.com:8443"),
                                  DEFT_VIEW_INIT("[fe80::1]"), DEFT_VIEW_INIT("not a host")};

static const struct {
    const char *host;
    bool        is_allowed;
    bool        is_allowed_remotely; // without loopback
} hosts[] = {
    {"localhost", true, false},
    {"LocalHost:8080", true, false},
    {"127.0.0.1:1", true, false},
    {"[::1]:1", true, false},
    {"127.0.0.2", false, false},
    {"localhost.evil.com", false, false},
    {"evil.com", false, false},
    {"localhost.", false, false},
    {"deft.example.com", true, true},
    {"DEFT.example.com:99", true, true},
    {"sub.deft.example.com", false, false},
    {"other.example.com:8443", true, true},
    {"other.example.com", false, false},
    {"other.example.com:8444", false, false},
    {"[fe80::1]:80", true, true},
    {"fe80", false, false},
};

static void only_known_hosts_are_served(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(hosts); i++) {
        deft__http_authority host;
        case_name(hosts[i].host);
        assert_true(deft__http_read_authority(deft_view_of(hosts[i].host), &host));
        assert_int_equal(deft__http_allows_host(&host, true, names, array_size(names)),
                         hosts[i].is_allowed);
        assert_int_equal(deft__http_allows_host(&host, false, names, array_size(names)),
                         hosts[i].is_allowed_remotely);
    }
    const deft__http_authority none = {.port = -1};
    assert_false(deft__http_allows_host(&none, true, names, array_size(names)));
}

static const deft_view origins[] = {DEFT_VIEW_INIT("https://app.example.com"),
                                    DEFT_VIEW_INIT("http://dev.example.com:3000"),
                                    DEFT_VIEW_INIT("nonsense")};

static const struct {
    const char *origin;
    bool        is_allowed;
} pages[] = {
    {"http://localhost", true},
    {"http://localhost:5173", true},
    {"https://127.0.0.1:1", true},
    {"http://[::1]:80", true},
    {"https://app.example.com", true},
    {"https://APP.example.com:443", true},
    {"http://app.example.com", false},
    {"https://app.example.com:444", false},
    {"http://dev.example.com:3000", true},
    {"http://dev.example.com", false},
    {"http://evil.com", false},
    {"http://localhost.evil.com", false},
    {"http://localhost@evil.com", false},
    {"http://evil.com/localhost", false},
    {"http://localhost/", false},
    {"null", false},
    {"nonsense", false},
    {"", false},
    {"file://", false},
    {"http://localhost http://evil.com", false},
};

static void only_known_pages_are_served(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(pages); i++) {
        const deft_view origin = deft_view_of(pages[i].origin);
        case_name(pages[i].origin);
        assert_int_equal(deft__http_allows_origin(origin, true, origins, array_size(origins)),
                         pages[i].is_allowed);
    }
    assert_false(deft__http_allows_origin(deft_view_of("http://localhost"), false, origins,
                                          array_size(origins)));
}

static const struct {
    const char *value;
    deft_status status;
    const char *token;
} bearers[] = {
    {"Bearer abc", DEFT_OK, "abc"},
    {"bEARER  \tabc.d-e_f~g+h/i== ", DEFT_OK, "abc.d-e_f~g+h/i=="},
    {"Basic abc", DEFT_NOT_FOUND, NULL},
    {"Bearers abc", DEFT_NOT_FOUND, NULL},
    {"Bear", DEFT_NOT_FOUND, NULL},
    {"", DEFT_NOT_FOUND, NULL},
    {"Bearer", DEFT_INVALID, NULL},
    {"Bearer ", DEFT_INVALID, NULL},
    {"Bearer =", DEFT_INVALID, NULL},
    {"Bearer a b", DEFT_INVALID, NULL},
    {"Bearer a=b", DEFT_INVALID, NULL},
    {"Bearer a,b", DEFT_INVALID, NULL},
    {"Bearer \"a\"", DEFT_INVALID, NULL},
    {"Bearer:abc", DEFT_INVALID, NULL},
    {"Bearer/abc", DEFT_INVALID, NULL},
    {"Bearer caf\xc3\xa9", DEFT_INVALID, NULL},
};

static void a_bearer_shows_one_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bearers); i++) {
        deft_view  token = deft_view_of("untouched");
        test_guard guard;
        case_name(bearers[i].value);
        assert_int_equal(
            deft__http_bearer(test_guard_copy(&guard, deft_view_of(bearers[i].value)), &token),
            bearers[i].status);
        assert_view_equal(token, bearers[i].token != NULL ? bearers[i].token : "untouched");
        test_guard_clear(&guard);
    }
}

static void the_headers_of_mcp_are_read_together(void **state)
{
    (void)state;
    deft__http_header list[] = {
        {deft_view_of("mcp-protocol-version"), deft_view_of("2026-07-28")},
        {deft_view_of("MCP-METHOD"), deft_view_of("tools/call")},
        {deft_view_of("Mcp-Name"), deft_view_of("")},
        {deft_view_of("MCP-Session-ID"), deft_view_of("!abc~")},
        {deft_view_of("Last-Event-Id"), deft_view_of("7")},
        {deft_view_of("Mcp-Param-Region"), deft_view_of("eu")},
        {deft_view_of("Mcp-Param-"), deft_view_of("none")},
        {deft_view_of("mcp-param-x"), deft_view_of("=?base64?eA==?=")},
    };
    deft__http_head        head = {.headers = list, .header_count = array_size(list)};
    deft__http_mcp_headers read = {0};
    deft_error             error;
    assert_ok(deft__http_read_mcp_headers(&head, &read, &error), error);
    assert_view_equal(read.protocol_version, "2026-07-28");
    assert_view_equal(read.method, "tools/call");
    assert_true(read.has_method && read.has_name);
    assert_int_equal(read.name.size, 0);
    assert_view_equal(read.session_id, "!abc~");
    assert_view_equal(read.last_event_id, "7");

    size_t    at = 0;
    deft_view name;
    deft_view value;
    assert_true(deft__http_mcp_parameter_next(&head, &at, &name, &value));
    assert_view_equal(name, "Region");
    assert_true(deft__http_mcp_parameter_next(&head, &at, &name, &value));
    assert_view_equal(name, "x");
    assert_view_equal(value, "=?base64?eA==?=");
    assert_false(deft__http_mcp_parameter_next(&head, &at, &name, &value));

    for (size_t i = 0; i < 5; i++) { // each of them twice
        deft__http_header twice[array_size(list)];
        memcpy(twice, list, sizeof list);
        twice[array_size(list) - 1] = list[i];
        head.headers                = twice;
        assert_int_equal(deft__http_read_mcp_headers(&head, &read, &error), DEFT_DUPLICATE);
        assert_non_null(strstr(error.message, "twice"));
    }
    head.headers  = list;
    list[3].value = deft_view_of("a b");
    assert_int_equal(deft__http_read_mcp_headers(&head, &read, &error), DEFT_INVALID);
    head.header_count = 0;
    assert_ok(deft__http_read_mcp_headers(&head, &read, &error), error);
    assert_false(read.has_method || read.has_name);
}

static const struct {
    const char *name;
    const char *text;
    const char *value; // as it travels
} values[] = {
    {"plain", "get_weather", "get_weather"},
    {"blanks inside", "us west 1", "us west 1"},
    {"nothing", "", ""},
    {"a blank in front", " us-west1", "=?base64?IHVzLXdlc3Qx?="},
    {"a blank behind", "a ", "=?base64?YSA=?="},
    {"beyond ASCII", "Hello, \xe4\xb8\x96\xe7\x95\x8c", "=?base64?SGVsbG8sIOS4lueVjA==?="},
    {"line ends", "a\r\nb", "=?base64?YQ0KYg==?="},
    {"a tab", "a\tb", "=?base64?YQli?="},
    {"DEL", "a\x7f", "=?base64?YX8=?="},
    {"what looks encoded", "=?base64?abc?=", "=?base64?PT9iYXNlNjQ/YWJjPz0=?="},
    {"the empty one that looks encoded",
     "=?base64?"
     "?=",
     "=?base64?PT9iYXNlNjQ/Pz0=?="},
    {"half of what looks encoded", "=?base64?abc", "=?base64?abc"},
    {"in another case", "=?BASE64?abc?=", "=?BASE64?abc?="},
};

static void values_travel_as_text_or_base64(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(values); i++) {
        deft_buffer out;
        deft_buffer room;
        deft_view   text;
        deft_error  error;
        case_name(values[i].name);
        deft_buffer_init(&out, NULL);
        deft_buffer_init(&room, NULL);
        deft__http_mcp_encode(&out, deft_view_of(values[i].text));
        assert_view_equal(deft_buffer_view(&out), values[i].value);
        assert_ok(deft__http_mcp_decode(deft_buffer_view(&out), &room, &text, &error), error);
        assert_view_equal(text, values[i].text);
        deft_buffer_clear(&room);
        deft_buffer_clear(&out);
    }
}

static void values_that_are_neither_are_refused(void **state)
{
    static const char *const bad[] = {"=?base64?abc?=",  "=?base64?YQ=?=", "=?base64?Y Q=?=",
                                      "=?base64?/w==?=", "caf\xc3\xa9",    "a\tb"};
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_buffer room;
        deft_view   text;
        deft_error  error;
        case_name(bad[i]);
        deft_buffer_init(&room, NULL);
        assert_int_equal(deft__http_mcp_decode(deft_view_of(bad[i]), &room, &text, &error),
                         DEFT_INVALID);
        assert_int_equal(room.size, 0);
        deft_buffer_clear(&room);
    }
    deft_buffer room;
    deft_view   text;
    deft_buffer_init(&room, NULL);
    assert_int_equal(deft__http_mcp_decode(deft_view_of(" \tx "), &room, &text, NULL), DEFT_OK);
    assert_view_equal(text, "x");
    deft_buffer_clear(&room);
}

static bool attempt_decode(const deft_allocator *allocator, void *context)
{
    deft_buffer room;
    deft_view   text;
    deft_error  error;
    (void)context;
    deft_buffer_init(&room, allocator);
    const deft_status status =
        deft__http_mcp_decode(deft_view_of("=?base64?YQ==?="), &room, &text, &error);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&room);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(attempt_decode, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_json_body_is_known_by_its_type),
        cmocka_unit_test(media_types_have_parameters),
        cmocka_unit_test(accept_says_what_a_client_takes),
        cmocka_unit_test(only_known_hosts_are_served),
        cmocka_unit_test(only_known_pages_are_served),
        cmocka_unit_test(a_bearer_shows_one_token),
        cmocka_unit_test(the_headers_of_mcp_are_read_together),
        cmocka_unit_test(values_travel_as_text_or_base64),
        cmocka_unit_test(values_that_are_neither_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
