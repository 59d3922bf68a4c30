// Events out of bytes, however they are cut, and back.
#include "http/sse.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#include <stdlib.h>

#define DATA_SIZE_MAX 20

// Feeds `bytes` in pieces of `step`. An event is [type|id|data], `!` one over the limit; at the end
// the id that is remembered after `#`, and the pause after `~`.
static void run(deft_view bytes, size_t step, deft_buffer *out)
{
    deft__sse_reader reader;
    deft__sse_reader_init(&reader, DATA_SIZE_MAX, NULL);
    for (size_t at = 0; at < bytes.size; at += step) {
        deft__sse_event event;
        deft_status     status;
        test_guard      guard;
        deft__sse_reader_feed(&reader, test_guard_copy(&guard, deft_view_slice(bytes, at, step)));
        while ((status = deft__sse_reader_next(&reader, &event)) != DEFT_NOT_FOUND) {
            if (status == DEFT_OK) {
                deft_buffer_append_byte(out, '[');
                deft_buffer_append(out, event.type);
                deft_buffer_append_byte(out, '|');
                deft_buffer_append(out, event.id);
                deft_buffer_append_byte(out, '|');
                deft_buffer_append(out, event.data);
                deft_buffer_append_byte(out, ']');
            } else {
                assert_int_equal(status, DEFT_LIMIT);
                deft_buffer_append_byte(out, '!');
            }
        }
        test_guard_clear(&guard);
    }
    if (deft__sse_reader_last_id(&reader).size > 0) {
        deft_buffer_append_byte(out, '#');
        deft_buffer_append(out, deft__sse_reader_last_id(&reader));
    }
    if (reader.retry_ms > 0) {
        deft_buffer_append_byte(out, '~');
        deft_buffer_append_u64(out, reader.retry_ms);
    }
    deft__sse_reader_clear(&reader);
}

static const struct {
    const char *name;
    const char *bytes;
    const char *events;
} cases[] = {
    {"nothing", "", ""},
    {"an event", "data: one\n\n", "[||one]"},
    {"line ends of all kinds", "data: one\r\n\r\ndata: two\r\rdata: three\n\n\r\n",
     "[||one][||two][||three]"},
    {"a CR and an LF are one line end", "data: a\r\ndata: b\r\n\r\n", "[||a\nb]"},
    {"an LF and a CR are two", "data: a\n\rdata: b\n\n", "[||a][||b]"},
    {"several lines of data", "data: a\ndata:\ndata: c\n\n", "[||a\n\nc]"},
    {"one blank is dropped", "data:a\n\ndata: b\n\ndata:  c\n\n", "[||a][||b][|| c]"},
    {"a type", "event: ping\ndata: a\n\ndata: b\n\n", "[ping||a][||b]"},
    {"the last type counts", "event: a\nevent: b\ndata: c\n\n", "[b||c]"},
    {"an id stays", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", "[|1|a][|1|b][|2|c]#2"},
    {"an id in the middle", "data: a\nid: 7\n\n", "[|7|a]#7"},
    {"the empty id forgets", "id: 1\ndata: a\n\nid\ndata: b\n\n", "[|1|a][||b]"},
    {"an id without data is remembered", "id: 5\ndata:\n\n", "#5"},
    {"an id alone is remembered", "id: 5\n\ndata: a\n\n", "[|5|a]#5"},
    {"an id of an event without end is not", "id: 1\ndata: a\n\nid: 2\ndata: b\n", "[|1|a]#1"},
    {"empty data is no event", "data:\n\ndata: \n\ndata\n\nevent: x\n\n", ""},
    {"two empty lines are an event", "data\ndata\n\n", "[||\n]"},
    {"a type without data is forgotten", "event: x\n\ndata: a\n\n", "[||a]"},
    {"comments", ": ok\n\n:\n:x\ndata: a\n: y\n\n", "[||a]"},
    {"unknown fields", "foo: bar\nDATA: x\ndatax: y\nverylongfieldname: z\ndata: a\n\n", "[||a]"},
    {"a blank before the colon is part of the name", "data : x\n\n", ""},
    {"a blank in front is part of the name", " data: x\n\n", ""},
    {"a pause", "retry: 1500\n\n", "~1500"},
    {"the last pause counts", "retry: 1\nretry:2\n", "~2"},
    {"pauses that are none",
     "retry: 5\nretry: 1s\nretry: -1\nretry:\nretry: \nretry\nretry: 1.5\nretry: 99999999999\n"
     "retry:  7\nretry: 4294967296\n\n",
     "~5"},
    {"the longest pause", "retry: 4294967295\n", "~4294967295"},
    {"a byte order mark",
     "\xEF\xBB\xBF"
     "data: a\n\n",
     "[||a]"},
    {"only one, and only at the start",
     "\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: a\n\n\xEF\xBB\xBF"
     "data: b\n\n",
     ""},
    {"the start of a mark is part of a name",
     "\xEF\xBB"
     "data: a\n\ndata: b\n\n",
     "[||b]"},
    {"half a mark and a line end", "\xEF\n\ndata: b\n\n", "[||b]"},
    {"characters of several bytes", "data: caf\xc3\xa9 \xe4\xb8\x96\n\n",
     "[||caf\xc3\xa9 \xe4\xb8\x96]"},
    {"an event without end is none", "data: a\n\ndata: b\n", "[||a]"},
    {"a colon in the value", "data: a: b:c\n\n", "[||a: b:c]"},
    {"as much data as is allowed", "data: 12345678901234567890\n\n", "[||12345678901234567890]"},
    {"a byte too much", "data: 123456789012345678901\n\ndata: a\n\n", "![||a]"},
    {"too much in two lines", "data: 1234567890\ndata: 1234567890\ndata: 1\n\ndata: a\n\n",
     "![||a]"},
    {"the id of what is too much is remembered",
     "id: 3\ndata: 123456789012345678901\nid: 4\n\ndata: a\n\n", "![|4|a]#4"},
    {"too much without end", "data: 123456789012345678901\ndata: a\n", ""},
};

static void events_come_out_whole_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        const deft_view bytes = deft_view_of(cases[i].bytes);
        case_name(cases[i].name);
        for (size_t step = 1; step <= bytes.size + 1; step++) {
            deft_buffer out;
            deft_buffer_init(&out, NULL);
            run(bytes, step, &out);
            assert_view_equal(deft_buffer_view(&out), cases[i].events);
            deft_buffer_clear(&out);
        }
    }
}

static void an_id_with_nul_is_ignored(void **state)
{
    static const char bytes[] = "id: 1\nid: 2\0x\ndata: a\n\nid: \0\ndata: b\n\n";
    (void)state;
    for (size_t step = 1; step < sizeof bytes; step++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        run(deft_view_make(bytes, sizeof bytes - 1), step, &out);
        assert_view_equal(deft_buffer_view(&out), "[|1|a][|1|b]#1");
        deft_buffer_clear(&out);
    }
}

static void names_have_a_limit(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        size_t      size;
        bool        is_kept;
        bool        is_event;
    } names[] = {
        {"id: ", DEFT__SSE_NAME_SIZE_MAX, true, true},
        {"id: ", DEFT__SSE_NAME_SIZE_MAX + 1, false, true},
        {"id: ", 100000, false, true},
        {"event: ", DEFT__SSE_NAME_SIZE_MAX, true, true},
        {"event: ", DEFT__SSE_NAME_SIZE_MAX + 1, false, false},
    };
    for (size_t i = 0; i < array_size(names); i++) {
        deft_buffer      bytes;
        deft__sse_reader reader;
        deft__sse_event  event;
        deft_buffer_init(&bytes, NULL);
        deft__sse_reader_init(&reader, DATA_SIZE_MAX, NULL);
        deft_buffer_append_text(&bytes, names[i].field);
        for (size_t j = 0; j < names[i].size; j++) {
            deft_buffer_append_byte(&bytes, 'x');
        }
        deft_buffer_append_text(&bytes, "\ndata: a\n\n");
        deft__sse_reader_feed(&reader, deft_buffer_view(&bytes));
        assert_int_equal(deft__sse_reader_next(&reader, &event),
                         names[i].is_event ? DEFT_OK : DEFT_LIMIT);
        if (names[i].is_event) {
            assert_int_equal(event.id.size + event.type.size, names[i].is_kept ? names[i].size : 0);
        }
        deft__sse_reader_clear(&reader);
        deft_buffer_clear(&bytes);
    }
}

static void memory_of_a_huge_event_is_given_back(void **state)
{
    (void)state;
    const size_t     size = 1024 * 1024;
    char            *huge = malloc(size);
    test_allocator   allocator;
    deft__sse_reader reader;
    deft__sse_event  event;
    assert_non_null(huge);
    memset(huge, 'x', size);
    test_allocator_init(&allocator);
    deft__sse_reader_init(&reader, size, &allocator.allocator);
    deft__sse_reader_feed(&reader, deft_view_of("data:"));
    assert_int_equal(deft__sse_reader_next(&reader, &event), DEFT_NOT_FOUND);
    deft__sse_reader_feed(&reader, deft_view_make(huge, size));
    assert_int_equal(deft__sse_reader_next(&reader, &event), DEFT_NOT_FOUND);
    deft__sse_reader_feed(&reader, deft_view_of("\n\n"));
    assert_int_equal(deft__sse_reader_next(&reader, &event), DEFT_OK);
    assert_int_equal(event.data.size, size);
    assert_int_equal(deft__sse_reader_next(&reader, &event), DEFT_NOT_FOUND);
    assert_int_equal(allocator.bytes, 0);
    deft__sse_reader_clear(&reader);
    free(huge);
}

static void events_are_written(void **state)
{
    (void)state;
    deft_buffer     out;
    deft__sse_event event = {deft_view_of("message"), deft_view_of("7"), deft_view_of("{\"a\":1}")};
    deft_buffer_init(&out, NULL);
    deft__sse_write(&out, &event);
    assert_view_equal(deft_buffer_view(&out), "event: message\nid: 7\ndata: {\"a\":1}\n\n");
    deft_buffer_reset(&out);
    event = (deft__sse_event){.data = deft_view_of("a\nb\r\nc\rd\n")};
    deft__sse_write(&out, &event);
    assert_view_equal(deft_buffer_view(&out), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
    deft_buffer_reset(&out);
    event = (deft__sse_event){.data = deft_view_make(NULL, 0)};
    deft__sse_write(&out, &event);
    assert_view_equal(deft_buffer_view(&out), "data: \n\n");
    deft_buffer_reset(&out);
    deft__sse_write_priming(&out, deft_view_of("s-1"), 3000);
    deft__sse_write_priming(&out, deft_view_of(""), 0);
    assert_view_equal(deft_buffer_view(&out), "id: s-1\nretry: 3000\ndata: \n\ndata: \n\n");
    deft_buffer_reset(&out);
    deft__sse_write_comment(&out, "");
    deft__sse_write_comment(&out, "ok");
    assert_view_equal(deft_buffer_view(&out), ":\n\n: ok\n\n");
    deft_buffer_clear(&out);
}

static void names_that_are_no_line_are_not_written(void **state)
{
    static const char *const bad[] = {"a\nb", "a\r", "\n", "12345678\n"};
    (void)state;
    for (size_t i = 0; i <= array_size(bad); i++) {
        const deft_view name =
            i < array_size(bad) ? deft_view_of(bad[i]) : deft_view_make("a\0b", 3);
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__sse_write(&out, &(deft__sse_event){.type = name, .data = deft_view_of("x")});
        assert_int_equal(out.status, DEFT_INVALID);
        deft_buffer_reset(&out);
        deft__sse_write(&out, &(deft__sse_event){.id = name, .data = deft_view_of("x")});
        assert_int_equal(out.status, DEFT_INVALID);
        deft_buffer_reset(&out);
        if (i < array_size(bad)) {
            deft__sse_write_comment(&out, bad[i]);
            assert_int_equal(out.status, DEFT_INVALID);
            deft__sse_write_comment(&out, "late");
        }
        assert_int_equal(out.size, 0);
        deft_buffer_clear(&out);
    }
}

// The event that memory failed for is given up; the others come out.
static bool attempt_events(const deft_allocator *allocator, void *context)
{
    static const char *const pieces[] = {"event: x\nid: ", "1\ndata: first\n\n",
                                         "data: second\nid: 2\n\ndata: third\n\n"};
    deft__sse_reader         reader;
    size_t                   whole  = 0;
    size_t                   failed = 0;
    (void)context;
    deft__sse_reader_init(&reader, DATA_SIZE_MAX, allocator);
    for (size_t i = 0; i < array_size(pieces); i++) {
        deft__sse_event event;
        deft_status     status;
        deft__sse_reader_feed(&reader, deft_view_of(pieces[i]));
        while ((status = deft__sse_reader_next(&reader, &event)) != DEFT_NOT_FOUND) {
            whole += status == DEFT_OK;
            failed += status == DEFT_OUT_OF_MEMORY;
        }
    }
    assert_int_equal(whole + failed, 3);
    if (failed == 0) {
        assert_view_equal(deft__sse_reader_last_id(&reader), "2");
    }
    deft__sse_reader_clear(&reader);
    return failed == 0;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(test_every_allocation_fails(attempt_events, NULL), 1, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_out_whole_however_they_are_cut),
        cmocka_unit_test(an_id_with_nul_is_ignored),
        cmocka_unit_test(names_have_a_limit),
        cmocka_unit_test(memory_of_a_huge_event_is_given_back),
        cmocka_unit_test(events_are_written),
        cmocka_unit_test(names_that_are_no_line_are_not_written),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
