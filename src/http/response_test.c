// Answers as they go out, byte by byte.
#include "http/response.h"

#include "support/allocator.h"
#include "support/test.h"

static const deft__http_head modern = {.minor = 1, .is_kept_alive = true};

static void a_whole_answer(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__http_start(&out, 200, deft_view_of("Sun, 06 Nov 1994 08:49:37 GMT"));
    deft__http_header_text(&out, "Mcp-Session-Id", deft_view_of("abc"));
    deft__http_connection(&out, &modern, false);
    deft__http_body(&out, "application/json", deft_view_of("{}"), false);
    assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 200 OK\r\n"
                                              "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                              "Mcp-Session-Id: abc\r\n"
                                              "Content-Type: application/json\r\n"
                                              "Content-Length: 2\r\n\r\n{}");
    deft_buffer_reset(&out);
    deft__http_start(&out, 202, deft_view_of(""));
    deft__http_connection(&out, &modern, true);
    deft__http_body(&out, NULL, deft_view_of(""), false);
    assert_view_equal(deft_buffer_view(&out),
                      "HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    deft_buffer_reset(&out);
    deft__http_start(&out, 200, deft_view_of(""));
    deft__http_body(&out, NULL, deft_view_of("hello"), true);
    assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    deft_buffer_reset(&out);
    deft__http_start(&out, 204, deft_view_of(""));
    deft__http_no_body(&out);
    assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 204 No Content\r\n\r\n");
    deft_buffer_clear(&out);
}

static void the_connection_is_told_where_it_must_be(void **state)
{
    static const struct {
        int         minor;
        bool        is_kept_alive;
        bool        is_closing;
        const char *header;
    } cases[] = {
        {1, true, false, ""},
        {1, true, true, "Connection: close\r\n"},
        {1, false, false, "Connection: close\r\n"},
        {0, true, false, "Connection: keep-alive\r\n"},
        {0, false, false, "Connection: close\r\n"},
        {0, true, true, "Connection: close\r\n"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        const deft__http_head head = {.minor         = cases[i].minor,
                                      .is_kept_alive = cases[i].is_kept_alive};
        deft_buffer           out;
        deft_buffer_init(&out, NULL);
        deft__http_connection(&out, &head, cases[i].is_closing);
        assert_view_equal(deft_buffer_view(&out), cases[i].header);
        deft_buffer_clear(&out);
    }
}

static void streams_are_chunks_or_plain(void **state)
{
    (void)state;
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__http_start(&out, 200, deft_view_of(""));
    deft__http_events(&out, 1);
    deft__http_chunk(&out, deft_view_of("data: one\n\n"), 1);
    deft__http_chunk(&out, deft_view_of(""), 1);
    deft__http_chunk(&out, deft_view_of("0123456789abcdef0"), 1);
    deft__http_last_chunk(&out, 1);
    assert_view_equal(deft_buffer_view(&out),
                      "HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
                      "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "b\r\ndata: one\n\n\r\n11\r\n0123456789abcdef0\r\n0\r\n\r\n");
    deft_buffer_reset(&out);
    deft__http_start(&out, 200, deft_view_of(""));
    deft__http_chunked(&out, NULL, 0);
    deft__http_chunk(&out, deft_view_of("plain"), 0);
    deft__http_last_chunk(&out, 0);
    assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 200 OK\r\n\r\nplain");
    deft_buffer_reset(&out);
    deft__http_continue(&out);
    assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 100 Continue\r\n\r\n");
    deft_buffer_clear(&out);
}

static void a_refusal_says_why_and_closes(void **state)
{
    (void)state;
    const deft__http_refusal refusal = {431, "too much"};
    deft_buffer              out;
    deft_buffer_init(&out, NULL);
    deft__http_refuse(&out, &refusal, deft_view_of(""));
    assert_view_equal(
        deft_buffer_view(&out),
        "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 9\r\n\r\ntoo much\n");
    deft_buffer_clear(&out);
}

// Whatever a value holds, it is one line of the head or nothing at all.
static void no_value_begins_another_line(void **state)
{
    static const char *const bad[] = {
        "a\r\nSet-Cookie: b", "a\nb", "a\rb", "\r\n", "a\x01", "a\x7f"};
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__http_start(&out, 200, deft_view_of(""));
        deft__http_header_text(&out, "A", deft_view_of(bad[i]));
        deft__http_header_text(&out, "B", deft_view_of("fine"));
        assert_int_equal(out.status, DEFT_INVALID);
        assert_view_equal(deft_buffer_view(&out), "HTTP/1.1 200 OK\r\n");
        deft_buffer_clear(&out);
    }
    static const char *const names[] = {"", "A B", "A:", "A\r\n"};
    for (size_t i = 0; i < array_size(names); i++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__http_header_text(&out, names[i], deft_view_of("b"));
        assert_int_equal(out.status, DEFT_INVALID);
        deft_buffer_clear(&out);
    }
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__http_start(&out, 200, deft_view_of("now\r\nA: b"));
    assert_int_equal(out.status, DEFT_INVALID);
    deft_buffer_clear(&out);
}

static void dates_are_those_of_the_calendar(void **state)
{
    static const struct {
        int64_t     seconds;
        const char *date;
    } cases[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {951868799, "Tue, 29 Feb 2000 23:59:59 GMT"},
        {951868800, "Wed, 01 Mar 2000 00:00:00 GMT"},
        {1709164800, "Thu, 29 Feb 2024 00:00:00 GMT"},
        {1767225599, "Wed, 31 Dec 2025 23:59:59 GMT"},
        {1767225600, "Thu, 01 Jan 2026 00:00:00 GMT"},
        {4107542400, "Mon, 01 Mar 2100 00:00:00 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        char date[DEFT__HTTP_DATE_SIZE];
        deft__http_date(cases[i].seconds, date);
        assert_string_equal(date, cases[i].date);
    }
}

static void statuses_have_reasons(void **state)
{
    (void)state;
    assert_string_equal(deft__http_reason(404), "Not Found");
    assert_string_equal(deft__http_reason(505), "HTTP Version Not Supported");
    assert_string_equal(deft__http_reason(299), "Unknown");
}

static bool attempt_answer(const deft_allocator *allocator, void *context)
{
    deft_buffer out;
    (void)context;
    deft_buffer_init(&out, allocator);
    deft__http_start(&out, 200, deft_view_of("now"));
    deft__http_header_text(&out, "A", deft_view_of("b"));
    deft__http_events(&out, 1);
    deft__http_chunk(&out, deft_view_of("data"), 1);
    const deft_status status = out.status;
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&out);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(test_every_allocation_fails(attempt_answer, NULL), 1, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_answer),
        cmocka_unit_test(the_connection_is_told_where_it_must_be),
        cmocka_unit_test(streams_are_chunks_or_plain),
        cmocka_unit_test(a_refusal_says_why_and_closes),
        cmocka_unit_test(no_value_begins_another_line),
        cmocka_unit_test(dates_are_those_of_the_calendar),
        cmocka_unit_test(statuses_have_reasons),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
