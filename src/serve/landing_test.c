// Where browsers come back to: one path, one answer, everything else turned away.
#include "serve/landing.h"

#include "support/allocator.h"
#include "support/waiting.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/stream.h"

typedef struct scene {
    deft__loop    *loop;
    deft__landing *landing;
    deft__stream  *browser;
    deft_buffer    answer;
    char           query[200]; // that came; "" none
} scene;

static bool came(void *context, deft_view query)
{
    scene *now = context;
    snprintf(now->query, sizeof now->query, "%.*s", (int)query.size, query.data);
    return deft_view_starts_with(query, deft_view_of("code=good"));
}

static void read_answer(void *context, deft_view bytes)
{
    scene *now = context;
    deft_buffer_append(&now->answer, bytes);
}

static void ended(void *context, deft__stream_end end, int code)
{
    scene *now = context;
    (void)end;
    (void)code;
    deft__loop_stop(now->loop);
}

static void init(scene *now)
{
    deft_error error = DEFT_ERROR_INIT;
    *now             = (scene){.loop = test_loop_new()};
    deft_buffer_init(&now->answer, NULL);
    now->landing = deft__landing_new(now->loop, 0, came, now, &error);
    assert_non_null(now->landing);
}

static void clear(scene *now)
{
    deft__stream_close(now->browser);
    deft__landing_free(now->landing);
    deft__loop_free(now->loop);
    deft_buffer_clear(&now->answer);
}

static int visit(const scene *now)
{
    const struct sockaddr_in address = {.sin_family      = AF_INET,
                                        .sin_port        = htons(deft__landing_port(now->landing)),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int                browser = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(browser, (const struct sockaddr *)&address, sizeof address), 0);
    return browser;
}

static const struct {
    const char *name;
    const char *request;
    const char *query;  // that was told
    const char *answer; // it begins so
} cases[] = {
    {"the one that is waited for",
     "GET /callback?code=good&state=s HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n", "code=good&state=s",
     "HTTP/1.1 200 "},
    {"another one", "GET /callback?code=bad HTTP/1.1\r\nHost: localhost\r\n\r\n", "code=bad",
     "HTTP/1.1 400 "},
    {"another path", "GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "", "HTTP/1.1 404 "},
    {"a path that only begins so", "GET /callback2?code=good HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
     "", "HTTP/1.1 404 "},
    {"a name of somebody else's", "GET /callback?code=good HTTP/1.1\r\nHost: evil.example\r\n\r\n",
     "", "HTTP/1.1 404 "},
    {"a form", "POST /callback?code=good HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx",
     "", "HTTP/1.1 405 "},
    {"only its head", "HEAD /callback?code=good HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "",
     "HTTP/1.1 405 "},
    {"no HTTP", "hello\r\n\r\n", "", "HTTP/1.1 400 "},
    {"a second request is not listened to",
     "GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /callback?code=good HTTP/1.1\r\nHost: "
     "127.0.0.1\r\n\r\n",
     "", "HTTP/1.1 404 "},
};

static void browsers_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        scene now;
        case_name(cases[i].name);
        init(&now);
        const deft__stream_options options = {.context = &now, .read = read_answer, .ended = ended};
        now.browser = deft__stream_new(now.loop, visit(&now), &options, NULL);
        assert_non_null(now.browser);
        deft__stream_write(now.browser, deft_view_of(cases[i].request));
        test_loop_run(now.loop);
        assert_string_equal(now.query, cases[i].query);
        assert_true(
            deft_view_starts_with(deft_buffer_view(&now.answer), deft_view_of(cases[i].answer)));
        clear(&now);
    }
}

static void who_says_nothing_keeps_nobody_out(void **state)
{
    enum {
        SILENT = 40
    };
    scene now;
    int   silent[SILENT];
    (void)state;
    init(&now);
    for (size_t i = 0; i < SILENT; i++) {
        silent[i] = visit(&now);
    }
    const deft__stream_options options = {.context = &now, .read = read_answer, .ended = ended};
    now.browser                        = deft__stream_new(now.loop, visit(&now), &options, NULL);
    deft__stream_write(now.browser, deft_view_of(cases[0].request));
    test_loop_run(now.loop);
    assert_string_equal(now.query, cases[0].query);
    assert_true(
        deft_view_starts_with(deft_buffer_view(&now.answer), deft_view_of(cases[0].answer)));
    char byte;
    assert_true(recv(silent[0], &byte, 1, MSG_DONTWAIT) == 0); // the first of them had to go
    for (size_t i = 0; i < SILENT; i++) {
        close(silent[i]);
    }
    clear(&now);
}

static void it_says_where_it_is(void **state)
{
    scene       now;
    deft_buffer url;
    char        wanted[64];
    (void)state;
    init(&now);
    deft_buffer_init(&url, NULL);
    deft__landing_write_url(now.landing, &url);
    snprintf(wanted, sizeof wanted, "http://127.0.0.1:%u/callback",
             (unsigned)deft__landing_port(now.landing));
    assert_view_equal(deft_buffer_view(&url), wanted);
    // A port that is taken is not to be had.
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft__landing_new(now.loop, deft__landing_port(now.landing), came, &now, &error));
    assert_true(error.message[0] != '\0');
    deft__landing_free(NULL);
    deft_buffer_clear(&url);
    clear(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(browsers_are_answered),
        cmocka_unit_test(who_says_nothing_keeps_nobody_out),
        cmocka_unit_test(it_says_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
