// The gateway over HTTP with a real socket, a real server behind it and a real signal at its end. What is
// said over HTTP is tested in src/web; here it is that bytes, processes and time are joined to it.
#include "serve/serve.h"

#include "support/folder.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"

typedef struct scene {
    test_folder         folder;
    deft_config        *config;
    deft__serve_options options;
    pthread_t           thread;
    bool                has_visitor;
    void *(*play)(void *context);
    bool     is_taken; // the token; for tokens_changed
    uint16_t port;
    char     session[64];
    char     wrong[4096];
} scene;

static void expect(scene *here, const char *wanted, const char *got)
{
    if (strstr(got, wanted) == NULL && here->wrong[0] == '\0') {
        snprintf(here->wrong, sizeof here->wrong, "want %s\ngot  %s", wanted, got);
    }
}

static int visit(const scene *here)
{
    const struct sockaddr_in address = {.sin_family      = AF_INET,
                                        .sin_port        = htons(here->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int                peer    = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(peer, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(peer);
        return -1;
    }
    return peer;
}

// Asks on a connection of its own, which ends with the answer.
static void ask(scene *here, const char *method, const char *path, const char *headers,
                const char *body, const char *wanted)
{
    char      text[8192];
    size_t    size = 0;
    const int peer = visit(here);
    snprintf(text, sizeof text,
             "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
             "application/json\r\nAccept: application/json, text/event-stream\r\n%s%s"
             "Content-Length: %zu\r\n\r\n%s",
             method, path, headers, here->session, strlen(body), body);
    if (peer < 0 || write(peer, text, strlen(text)) < 0) {
        expect(here, wanted, "nobody");
    }
    for (ssize_t more = 1; more > 0 && size + 1 < sizeof text;) {
        more = read(peer, text + size, sizeof text - 1 - size);
        size += more > 0 ? (size_t)more : 0;
    }
    text[size] = '\0';
    close(peer);
    expect(here, wanted, text);
    const char *id = strstr(text, "Mcp-Session-Id: ");
    if (id != NULL) {
        snprintf(here->session, sizeof here->session, "%.*s\r\n", (int)strcspn(id, "\r"), id);
    }
}

static void *play(void *context)
{
    scene *here = context;
    ask(here, "GET", "/healthz", "", "", "200 OK");
    ask(here, "POST", "/mcp", "Authorization: Bearer wrong\r\n", INITIALIZE, "401");
    ask(here, "POST", "/mcp", "Authorization: Bearer right\r\n", INITIALIZE, "200 OK");
    ask(here, "POST", "/mcp", "Authorization: Bearer right\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
        "call\",\"params\":{\"name\":\"tool_call\","
        "\"arguments\":{\"tool_name\":\"alpha::echo\",\"tool_args\":{\"text\":\"hello\"}}}}",
        "hello");
    // One that leaves in the middle of a request, one that talks nonsense, one that stays.
    const int leaves = visit(here);
    const int stays  = visit(here);
    (void)!write(leaves, "POST /mcp HT", 12);
    close(leaves);
    ask(here, "NONSENSE", "/mcp", "Authorization: Bearer right\r\n", "", "405");
    kill(getpid(), SIGTERM);
    char    rest[64];
    ssize_t size = read(stays, rest, sizeof rest); // the end, when it stops
    expect(here, size <= 0 ? "" : "the end", "something");
    close(stays);
    return NULL;
}

// --- Who asks and does not read. ---

static const char metrics_request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void ask_and_do_not_read(int peer)
{
    // Until the answers fill every buffer between us: then nothing more is taken from us either.
    for (int i = 0; i < 400000; i++) {
        if (send(peer, metrics_request, sizeof metrics_request - 1, MSG_DONTWAIT | MSG_NOSIGNAL) <
            0) {
            return;
        }
    }
}

static void *play_slow_reader(void *context)
{
    scene    *here = context;
    const int slow = visit(here);
    char      text[8192];
    ask_and_do_not_read(slow);
    // It is gone when we are the only ones again, however long that takes.
    do {
        const int peer = visit(here);
        ssize_t   size = 0;
        if (write(peer, metrics_request, sizeof metrics_request - 1) > 0) {
            size = read(peer, text, sizeof text - 1);
        }
        text[size > 0 ? size : 0] = '\0';
        close(peer);
    } while (strstr(text, "deft_http_connections 1\n") == NULL);
    close(slow);
    kill(getpid(), SIGTERM);
    return NULL;
}

// --- A large answer that is still on its way when the end comes. ---

#define LARGE_SIZE ((size_t)30 * 1024 * 1024) // more than the system takes from us at once

static void *play_large_answer(void *context)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"tool_call\",\"arguments\":{\"tool_name\":\"alpha::echo\",\"tool_args\":{\"text\":\"";
    static const char rest[] = "\"}}}}";
    scene            *here   = context;
    const size_t      size   = sizeof call - 1 + LARGE_SIZE + sizeof rest - 1;
    char             *body   = malloc(size);
    char              text[1024];
    ask(here, "POST", "/mcp", "", INITIALIZE, "200 OK");
    const int peer  = visit(here);
    const int small = 16 * 1024; // the system's share of what waits for us
    (void)setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    memcpy(body, call, sizeof call - 1);
    memset(body + sizeof call - 1, 'x', LARGE_SIZE);
    memcpy(body + sizeof call - 1 + LARGE_SIZE, rest, sizeof rest - 1);
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
             "application/json, text/event-stream\r\n%sContent-Length: %zu\r\n\r\n",
             here->session, size);
    (void)!write(peer, text, strlen(text));
    for (size_t at = 0; at < size;) {
        const ssize_t more = write(peer, body + at, size - at);
        at                 = more > 0 ? at + (size_t)more : size;
    }
    // Its beginning is here: it has been answered, and most of it waits for us.
    size_t got = (size_t)recv(peer, text, sizeof text - 1, 0);
    text[got]  = '\0';
    expect(here, "200 OK", text);
    const char  *length = strstr(text, "Content-Length: ");
    const char  *end    = strstr(text, "\r\n\r\n");
    const size_t whole  = length != NULL && end != NULL
                              ? strtoul(length + 16, NULL, 10) + (size_t)(end + 4 - text)
                              : 0;
    kill(getpid(), SIGTERM);
    for (ssize_t more = 1; more > 0; got += more > 0 ? (size_t)more : 0) {
        more = read(peer, body, size);
    }
    expect(here, got == whole && whole > LARGE_SIZE ? "" : "all of it", "a part of it");
    close(peer);
    free(body);
    return NULL;
}

// --- A token that is taken away. ---

static bool tokens_changed(void *context, const deft__token **tokens, size_t *count)
{
    scene *here = context;
    (void)tokens;
    *count = 0;
    return __atomic_load_n(&here->is_taken, __ATOMIC_ACQUIRE);
}

static void *play_taken_token(void *context)
{
    scene *here = context;
    char   text[1024];
    ask(here, "POST", "/mcp", "Authorization: Bearer right\r\n", INITIALIZE, "200 OK");
    const int stream = visit(here);
    snprintf(text, sizeof text,
             "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
             "Authorization: Bearer right\r\n%s\r\n",
             here->session);
    (void)!write(stream, text, strlen(text));
    text[read(stream, text, sizeof text - 1)] = '\0';
    expect(here, "200 OK", text);
    __atomic_store_n(&here->is_taken, true, __ATOMIC_RELEASE);
    while (read(stream, text, sizeof text) > 0) {
    }
    close(stream); // it has ended
    ask(here, "POST", "/mcp", "Authorization: Bearer right\r\n", INITIALIZE, "401");
    kill(getpid(), SIGTERM);
    return NULL;
}

static void listening(void *context, uint16_t port)
{
    scene *here       = context;
    here->port        = port;
    here->has_visitor = pthread_create(&here->thread, NULL, here->play, here) == 0;
}

static void open_scene_with(scene *here, const char *http)
{
    char       text[700];
    deft_error error = DEFT_ERROR_INIT;
    *here            = (scene){.play = play};
    test_folder_init(&here->folder);
    snprintf(text, sizeof text,
             "{\"http\":{%s},\"toolSearch\":{\"enabled\":\"on\"},\"mcpServers\":{\"alpha\":{"
             "\"command\":\"%s\","
             "\"args\":[\"alpha\",\"%s\"]}}}",
             http, DEFT_TESTS_SERVER, test_folder_join(&here->folder, "starts"));
    here->config = deft_config_new(NULL, &error);
    assert_int_equal(deft_config_add_file(here->config, DEFT_LAYER_PROJECT_FILE,
                                          deft_view_of("test.json"), deft_view_of(text), &error),
                     DEFT_OK);
    assert_int_equal(deft_config_resolve(here->config, &error), DEFT_OK);
    here->options = (deft__serve_options){.config      = here->config,
                                          .environment = (const char *const *)environ,
                                          .context     = here,
                                          .listening   = listening};
}

static void open_scene(scene *here)
{
    open_scene_with(here, "");
}

static void close_scene(scene *here)
{
    deft_config_free(here->config);
    test_folder_clear(&here->folder);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
}

static void agents_are_served_until_a_signal(void **state)
{
    deft__token tokens[] = {{.name = deft_view_of("other")}, {.name = deft_view_of("right")}};
    scene       here;
    deft_error  error = DEFT_ERROR_INIT;
    (void)state;
    assert_true(deft__sha256(deft_view_of("other"), &tokens[0].digest));
    assert_true(deft__sha256(deft_view_of("right"), &tokens[1].digest));
    open_scene(&here);
    here.options.tokens      = tokens;
    here.options.token_count = 2;
    // A folder for its control socket, which goes with it.
    here.options.control_directory = test_folder_join(&here.folder, "run");
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_OK);
    assert_true(here.has_visitor);
    pthread_join(here.thread, NULL);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

static void who_does_not_read_is_cut_off(void **state)
{
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    open_scene_with(&here, "\"writeIdleMs\":1");
    here.play = play_slow_reader;
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_OK);
    assert_true(here.has_visitor);
    pthread_join(here.thread, NULL);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

static void a_large_answer_is_sent_to_its_end(void **state)
{
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    open_scene_with(&here, "\"graceMs\":60000");
    here.play = play_large_answer;
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_OK);
    assert_true(here.has_visitor);
    pthread_join(here.thread, NULL);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

static void a_token_is_taken_away_while_it_serves(void **state)
{
    deft__token token = {.name = deft_view_of("right")};
    scene       here;
    deft_error  error = DEFT_ERROR_INIT;
    (void)state;
    assert_true(deft__sha256(deft_view_of("right"), &token.digest));
    open_scene(&here);
    here.play                   = play_taken_token;
    here.options.tokens         = &token;
    here.options.token_count    = 1;
    here.options.tokens_changed = tokens_changed;
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_OK);
    assert_true(here.has_visitor);
    pthread_join(here.thread, NULL);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

static void an_address_for_others_needs_tokens(void **state)
{
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    open_scene(&here);
    here.options.address = "0.0.0.0";
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_CONFLICT);
    assert_non_null(strstr(error.message, "--token-file"));
    here.options.address = "somewhere";
    assert_int_equal(deft__serve_http(&here.options, &error), DEFT_CONFLICT);
    close_scene(&here);
}

static void a_port_that_is_taken_is_told(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          size    = sizeof address;
    scene              here;
    deft_error         error = DEFT_ERROR_INIT;
    const int          taken = socket(AF_INET, SOCK_STREAM, 0);
    (void)state;
    assert_int_equal(bind(taken, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &size), 0);
    open_scene(&here);
    here.options.port = ntohs(address.sin_port);
    assert_int_not_equal(deft__serve_http(&here.options, &error), DEFT_OK);
    assert_non_null(strstr(error.message, "could not listen"));
    close_scene(&here);
    close(taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_are_served_until_a_signal),
        cmocka_unit_test(who_does_not_read_is_cut_off),
        cmocka_unit_test(a_large_answer_is_sent_to_its_end),
        cmocka_unit_test(a_token_is_taken_away_while_it_serves),
        cmocka_unit_test(an_address_for_others_needs_tokens),
        cmocka_unit_test(a_port_that_is_taken_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
