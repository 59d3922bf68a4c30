// Requests to web servers: what comes back, what is too much, whom we trust.
#include "transport/fetch.h"

#include "support/allocator.h"
#include "support/folder.h"
#include "support/thread_server.h"
#include "support/waiting.h"
#include "support/web_server.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <zlib.h>

// --- One fetch, to its end. -----------------------------------------------------------------------

typedef struct getting {
    deft__loop     *loop;
    deft__fetcher  *fetcher;
    deft__fetch    *fetch;
    deft_buffer     body;
    deft__fetch_end end;
    int             status;
    char            clause[200];
    size_t          answers;
} getting;

static void answered(void *context)
{
    getting *one = context;
    one->status  = deft__fetch_status(one->fetch);
    one->answers++;
}

static void read_bytes(void *context, deft_view bytes)
{
    getting *one = context;
    deft_buffer_append(&one->body, bytes);
}

static void ended(void *context, deft__fetch_end end, deft_view clause)
{
    getting *one = context;
    one->end     = end;
    snprintf(one->clause, sizeof one->clause, "%.*s", (int)clause.size, clause.data);
    deft__loop_stop(one->loop);
}

static void init(getting *one, const char *const *environment)
{
    deft_error error = DEFT_ERROR_INIT;
    *one             = (getting){.loop = test_loop_new()};
    one->fetcher     = deft__fetcher_new(one->loop, environment, 0, &error);
    assert_non_null(one->fetcher);
    deft_buffer_init(&one->body, NULL);
}

static void clear(getting *one)
{
    deft__fetch_free(one->fetch);
    deft__fetcher_free(one->fetcher);
    deft__loop_free(one->loop);
    deft_buffer_clear(&one->body);
}

static void get_trusting(getting *one, const char *url, size_t size_max, const char *ca)
{
    const deft_pair           header  = {DEFT_VIEW_INIT("X-Empty"), {0}};
    const deft__fetch_options options = {.method       = "GET",
                                         .url          = url,
                                         .headers      = &header,
                                         .header_count = 1,
                                         .size_max     = size_max,
                                         .ca           = ca,
                                         .context      = one,
                                         .answered     = answered,
                                         .read         = read_bytes,
                                         .ended        = ended};
    deft__fetch_free(one->fetch);
    deft_buffer_reset(&one->body);
    one->answers = 0;
    one->status  = 0;
    one->fetch   = deft__fetch_new(one->fetcher, &options);
    assert_non_null(one->fetch);
    test_loop_run(one->loop);
}

static void get(getting *one, const char *url, size_t size_max)
{
    get_trusting(one, url, size_max, NULL);
}

static const char *url_of(const test_web_server *server, const char *path)
{
    static char url[100];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", test_web_server_port(server), path);
    return url;
}

// --- What comes back. -----------------------------------------------------------------------------

static void what_servers_answer(void **state)
{
    (void)state;
    static const test_web_answer answers[] = {
        {"GET /plain", "X-Empty:\r\n", "200 json\nX-A: one\nX-B: 1\nX-B: 2\n\n{}", true},
        {"GET /early", NULL,
         "raw\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: "
         "2\r\n\r\nok",
         true},
        {"GET /moved", NULL, "307 none\nLocation: ../x\n\n", true},
        {"GET /large", NULL, "200 json\n\n0123456789", true},
        {NULL, NULL, NULL, false},
    };
    getting one;
    init(&one, NULL);
    test_web_server *server = test_web_server_new(one.loop, answers);

    get(&one, url_of(server, "/plain"), 0);
    assert_int_equal(one.end, DEFT__FETCH_WHOLE);
    assert_string_equal(one.clause, "");
    assert_int_equal(one.status, 200);
    assert_view_equal(deft_buffer_view(&one.body), "{}");
    assert_view_equal(deft__fetch_header(one.fetch, "x-a"), "one");
    assert_view_equal(deft__fetch_header(one.fetch, "X-C"), "");
    deft_buffer_reset(&one.body);
    deft__fetch_write_header(one.fetch, "X-B", &one.body);
    assert_view_equal(deft_buffer_view(&one.body), "1, 2");
    assert_view_equal(deft__fetch_redirect(one.fetch), "");

    get(&one, url_of(server, "/early"), 0);
    assert_int_equal(one.status, 200);
    assert_int_equal(one.answers, 1);
    assert_view_equal(deft_buffer_view(&one.body), "ok");

    get(&one, url_of(server, "/moved/here"), 0);
    assert_int_equal(one.status, 307);
    assert_string_equal(deft__fetch_redirect(one.fetch).data, url_of(server, "/x"));

    get(&one, url_of(server, "/large"), 10);
    assert_int_equal(one.end, DEFT__FETCH_WHOLE);
    get(&one, url_of(server, "/large"), 9);
    assert_int_equal(one.end, DEFT__FETCH_LIMIT);
    assert_string_equal(one.clause, "sent an answer that is too large");
    test_web_server_free(server);
    clear(&one);
}

static void heads_without_end(void **state)
{
    (void)state;
    deft_buffer answer;
    deft_buffer_init(&answer, NULL);
    deft_buffer_append_text(&answer, "raw\nHTTP/1.1 200 OK\r\n");
    while (answer.size < 2 * DEFT__FETCH_HEAD_SIZE_MAX) {
        deft_buffer_append_text(&answer, "X-Long: 0123456789012345678901234567890123456789\r\n");
    }
    deft_buffer_append_byte(&answer, '\0');
    const test_web_answer answers[] = {{"GET /", NULL, answer.data, true},
                                       {NULL, NULL, NULL, false}};
    getting               one;
    init(&one, NULL);
    test_web_server *server = test_web_server_new(one.loop, answers);
    get(&one, url_of(server, "/"), 0);
    assert_int_equal(one.end, DEFT__FETCH_LIMIT);
    assert_int_equal(one.answers, 0);
    test_web_server_free(server);
    clear(&one);
    deft_buffer_clear(&answer);
}

static void a_proxy_of_the_environment_is_asked(void **state)
{
    (void)state;
    static const test_web_answer answers[] = {
        {"GET http://nowhere.invalid/x", NULL, "200 text\n\nby proxy", false},
        {"GET /direct", NULL, "200 text\n\nloopback", false},
        {NULL, NULL, NULL, false},
    };
    getting one;
    char    proxy[100];
    init(&one, NULL);
    test_web_server *server = test_web_server_new(one.loop, answers);
    snprintf(proxy, sizeof proxy, "%s", url_of(server, ""));
    setenv("http_proxy", proxy, 1);
    get(&one, "http://nowhere.invalid/x", 0);
    assert_view_equal(deft_buffer_view(&one.body), "by proxy");
    get(&one, url_of(server, "/direct"), 0); // it would know nothing of our loopback
    assert_view_equal(deft_buffer_view(&one.body), "loopback");
    unsetenv("http_proxy");
    test_web_server_free(server);
    clear(&one);
}

static void what_cannot_be_reached(void **state)
{
    (void)state;
    getting one;
    init(&one, NULL);
    get(&one, "http://nowhere.invalid/", 0);
    assert_int_equal(one.end, DEFT__FETCH_UNREACHABLE);
    assert_string_equal(one.clause, "could not be found: there is no such host");
    get(&one, "ftp://127.0.0.1/", 0);
    assert_int_equal(one.end, DEFT__FETCH_UNREACHABLE);
    clear(&one);
}

// Breaking off while a name is being looked up must not wait for the name server.
static void a_fetch_is_freed_at_once(void **state)
{
    (void)state;
    getting one;
    init(&one, NULL);
    const deft__fetch_options options = {.method   = "GET",
                                         .url      = "http://nowhere.invalid/",
                                         .context  = &one,
                                         .answered = answered,
                                         .read     = read_bytes,
                                         .ended    = ended};
    one.fetch                         = deft__fetch_new(one.fetcher, &options);
    assert_non_null(one.fetch);
    clear(&one);
}

// --- Packed, and over TLS. -------------------------------------------------------------------------

static void compress_body(deft_buffer *answer, size_t size)
{
    unsigned char packed[4096];
    char         *plain  = calloc(1, size);
    z_stream      stream = {0};
    memset(plain, 'x', size);
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in   = (unsigned char *)plain;
    stream.avail_in  = (unsigned)size;
    stream.next_out  = packed;
    stream.avail_out = sizeof packed;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deft_buffer_append_text(answer,
                            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ");
    deft_buffer_append_u64(answer, stream.total_out);
    deft_buffer_append_text(answer, "\r\n\r\n");
    deft_buffer_append(answer, deft_view_make((const char *)packed, stream.total_out));
    deflateEnd(&stream);
    free(plain);
}

static void packed_bodies_count_unpacked(void **state)
{
    (void)state;
    deft_buffer answer;
    deft_buffer_init(&answer, NULL);
    compress_body(&answer, 100000);
    assert_true(answer.size < 1000);
    test_thread_server server = {.answer = deft_buffer_view(&answer)};
    test_thread_server_start(&server);
    getting one;
    char    url[100];
    init(&one, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server.port);
    get(&one, url, 100000);
    assert_int_equal(one.end, DEFT__FETCH_WHOLE);
    assert_int_equal(one.body.size, 100000);
    get(&one, url, 99999);
    assert_int_equal(one.end, DEFT__FETCH_LIMIT);
    clear(&one);
    test_thread_server_stop(&server);
    deft_buffer_clear(&answer);
}

static void only_who_is_trusted_is_spoken_to(void **state)
{
    (void)state;
    test_folder folder;
    char        variable[300];
    char        url[100];
    test_folder_init(&folder);
    const char        *path   = test_folder_join(&folder, "ca.pem");
    test_thread_server server = {.tls    = test_identity_new(path),
                                 .answer = DEFT_VIEW_INIT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                                                          "Connection: close\r\n\r\nok")};
    test_thread_server_start(&server);
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", server.port);
    static const char *const names[] = {NULL, "CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    for (size_t i = 0; i < array_size(names); i++) {
        getting one;
        snprintf(variable, sizeof variable, "%s=%s", names[i] != NULL ? names[i] : "OTHER", path);
        const char *const environment[] = {"CURL_CA_BUNDLE=", variable, NULL};
        init(&one, environment);
        get(&one, url, 0);
        if (names[i] == NULL) {
            assert_int_equal(one.end, DEFT__FETCH_UNREACHABLE);
            assert_string_equal(one.clause, "cannot be trusted: its certificate is for another "
                                            "name, or signed by nobody we know");
        } else {
            assert_int_equal(one.end, DEFT__FETCH_WHOLE);
            assert_view_equal(deft_buffer_view(&one.body), "ok");
        }
        clear(&one);
    }
    // Under another name it is another.
    getting           one;
    const char *const environment[] = {variable, NULL};
    init(&one, environment);
    snprintf(url, sizeof url, "https://localhost:%d/", server.port);
    get(&one, url, 0);
    assert_int_equal(one.end, DEFT__FETCH_UNREACHABLE);
    clear(&one);
    test_thread_server_stop(&server);
    test_folder_clear(&folder);
}

// A server's own file of certificates, or the fetcher's.
static void an_authority_of_ones_own_can_be_trusted(void **state)
{
    (void)state;
    test_folder folder;
    getting     one;
    char        url[100];
    char        own[160];
    char        other[160];
    test_folder_init(&folder);
    snprintf(own, sizeof own, "%s", test_folder_join(&folder, "own.pem"));
    snprintf(other, sizeof other, "%s", test_folder_join(&folder, "other.pem"));
    test_thread_server server = {.tls    = test_identity_new(own),
                                 .answer = DEFT_VIEW_INIT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                                                          "Connection: close\r\n\r\nok")};
    SSL_CTX_free(test_identity_new(other));
    test_thread_server_start(&server);
    const struct {
        const char     *name;
        const char     *host;
        const char     *fetchers; // NULL: the system's
        const char     *its_own;
        deft__fetch_end end;
    } cases[] = {
        {"nobody said so", "127.0.0.1", NULL, NULL, DEFT__FETCH_UNREACHABLE},
        {"its own", "127.0.0.1", NULL, own, DEFT__FETCH_WHOLE},
        {"another's", "127.0.0.1", NULL, other, DEFT__FETCH_UNREACHABLE},
        {"everybody's", "127.0.0.1", own, NULL, DEFT__FETCH_WHOLE},
        {"its own comes first", "127.0.0.1", other, own, DEFT__FETCH_WHOLE},
        {"and is the only one", "127.0.0.1", own, other, DEFT__FETCH_UNREACHABLE},
        {"under another name", "localhost", NULL, own, DEFT__FETCH_UNREACHABLE},
        {"under another name for everybody", "localhost", own, NULL, DEFT__FETCH_UNREACHABLE},
        {"a file that is not there", "127.0.0.1", NULL, "/nowhere", DEFT__FETCH_UNREACHABLE},
    };
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        init(&one, NULL);
        if (cases[i].fetchers != NULL) {
            assert_true(deft__fetcher_trust(one.fetcher, deft_view_of(other)));
            assert_true(deft__fetcher_trust(one.fetcher, deft_view_of(cases[i].fetchers)));
        }
        snprintf(url, sizeof url, "https://%s:%d/", cases[i].host, server.port);
        get_trusting(&one, url, 0, cases[i].its_own);
        assert_int_equal(one.end, cases[i].end);
        clear(&one);
    }
    test_thread_server_stop(&server);
    test_folder_clear(&folder);
}

static void plain_http_is_no_tls(void **state)
{
    (void)state;
    test_thread_server server = {.answer = DEFT_VIEW_INIT("HTTP/1.1 200 OK\r\n\r\n")};
    test_thread_server_start(&server);
    getting one;
    char    url[100];
    init(&one, NULL);
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", server.port);
    get(&one, url, 0);
    assert_int_equal(one.end, DEFT__FETCH_UNREACHABLE);
    clear(&one);
    test_thread_server_stop(&server);
}

// --- Memory. --------------------------------------------------------------------------------------

static bool attempt(const deft_allocator *allocator, void *context)
{
    getting one = {.loop = deft__loop_new(allocator, NULL)};
    if (one.loop == NULL) {
        return false;
    }
    const deft_pair           header        = {DEFT_VIEW_INIT("X"), DEFT_VIEW_INIT("y")};
    const char *const         environment[] = {"SSL_CERT_FILE=/a", "SSL_CERT_DIR=/b", NULL};
    const deft__fetch_options options       = {.method       = "POST",
                                               .url          = context,
                                               .headers      = &header,
                                               .header_count = 1,
                                               .body         = DEFT_VIEW_INIT("{}"),
                                               .context      = &one,
                                               .answered     = answered,
                                               .read         = read_bytes,
                                               .ended        = ended};
    bool                      is_whole      = false;
    deft_buffer_init(&one.body, NULL);
    one.fetcher = deft__fetcher_new(one.loop, environment, 0, NULL);
    one.fetch   = one.fetcher != NULL ? deft__fetch_new(one.fetcher, &options) : NULL;
    if (one.fetch != NULL) {
        deft__loop_run(one.loop);
        is_whole = one.end == DEFT__FETCH_WHOLE && one.body.size == 2;
    }
    clear(&one);
    return is_whole;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    test_thread_server server = {
        .answer = DEFT_VIEW_INIT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")};
    char url[100];
    test_thread_server_start(&server);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server.port);
    assert_true(test_every_allocation_fails(attempt, url) >= 5);
    test_thread_server_stop(&server);
}

int main(void)
{
    static const char *const variables[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                            "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
    for (size_t i = 0; i < array_size(variables); i++) {
        unsetenv(variables[i]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_servers_answer),
        cmocka_unit_test(heads_without_end),
        cmocka_unit_test(a_proxy_of_the_environment_is_asked),
        cmocka_unit_test(what_cannot_be_reached),
        cmocka_unit_test(a_fetch_is_freed_at_once),
        cmocka_unit_test(packed_bodies_count_unpacked),
        cmocka_unit_test(only_who_is_trusted_is_spoken_to),
        cmocka_unit_test(an_authority_of_ones_own_can_be_trusted),
        cmocka_unit_test(plain_http_is_no_tls),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
