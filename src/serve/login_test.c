// deft login from its beginning to its end: a server that wants one, an authorization server, and a
// person who comes back in a browser, pastes, or does not come at all.
#include "serve/login.h"

#include "store/logins.h"
#include "support/folder.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const environment[] = {"SECRET=s3cret", NULL};

// --- Both servers, on a thread of their own. ------------------------------------------------------

typedef struct authority {
    int         descriptor;
    int         port;
    pthread_t   thread;
    const char *token;        // what /token answers, with its status line
    const char *revocation;   // the same for /revoke
    char        revoked[200]; // what it was asked last
} authority;

static size_t read_request(int peer, char *request, size_t size)
{
    size_t got = 0;
    while (got + 1 < size) {
        const ssize_t more = read(peer, request + got, size - 1 - got);
        if (more <= 0) {
            break;
        }
        got += (size_t)more;
        request[got]       = '\0';
        const char *body   = strstr(request, "\r\n\r\n");
        const char *length = strstr(request, "Content-Length: ");
        if (body != NULL &&
            (length == NULL || strlen(body + 4) >= strtoul(length + 16, NULL, 10))) {
            break;
        }
    }
    return got;
}

static void write_answer(authority *all, const char *request, char *out, size_t size)
{
    char body[1000] = "";
    char head[200]  = "200 OK";
    if (strncmp(request, "POST /mcp ", 10) == 0) {
        snprintf(head, sizeof head, "401 No\r\nWWW-Authenticate: Bearer scope=\"a\"");
    } else if (strncmp(request, "GET /.well-known/oauth-protected-resource/mcp ", 46) == 0) {
        snprintf(body, sizeof body,
                 "{\"resource\":\"http://127.0.0.1:%d/mcp\",\"authorization_servers\":[\"http://"
                 "127.0.0.1:%d\"]}",
                 all->port, all->port);
    } else if (strncmp(request, "GET /.well-known/oauth-authorization-server ", 44) == 0) {
        snprintf(
            body, sizeof body,
            "{\"issuer\":\"http://127.0.0.1:%d\",\"authorization_endpoint\":\"http://127.0.0.1:"
            "%d/page\",\"token_endpoint\":\"http://127.0.0.1:%d/token\","
            "\"registration_endpoint\":\"http://127.0.0.1:%d/register\","
            "\"revocation_endpoint\":\"http://127.0.0.1:%d/revoke\","
            "\"token_endpoint_auth_methods_supported\":[\"none\"],"
            "\"code_challenge_methods_supported\":[\"S256\"]}",
            all->port, all->port, all->port, all->port, all->port);
    } else if (strncmp(request, "POST /register ", 15) == 0) {
        snprintf(head, sizeof head, "201 Created");
        snprintf(body, sizeof body, "{\"client_id\":\"c\"}");
    } else if (strncmp(request, "POST /token ", 12) == 0) {
        const char *line = strchr(all->token, '\n');
        snprintf(head, sizeof head, "%.*s", (int)(line - all->token), all->token);
        snprintf(body, sizeof body, "%s", line + 1);
    } else if (strncmp(request, "POST /revoke ", 13) == 0) {
        snprintf(head, sizeof head, "%s", all->revocation);
        snprintf(all->revoked, sizeof all->revoked, "%.199s", strstr(request, "\r\n\r\n") + 4);
    } else {
        snprintf(head, sizeof head, "404 Not Found");
    }
    snprintf(out, size,
             "HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: application/json\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             head, strlen(body), body);
}

static void *serve_all(void *context)
{
    authority *all = context;
    int        peer;
    while ((peer = accept(all->descriptor, NULL, NULL)) >= 0) {
        char request[8192];
        char answer[2048];
        if (read_request(peer, request, sizeof request) > 0) {
            write_answer(all, request, answer, sizeof answer);
            if (strncmp(answer, "HTTP/1.1 STOP", 13) == 0) {
                (void)kill(getpid(), SIGINT);             // somebody has no patience
                (void)!read(peer, answer, sizeof answer); // and leaves
            } else {
                (void)!write(peer, answer, strlen(answer)); // it may have left
            }
        }
        close(peer);
    }
    return NULL;
}

static void start(authority *all)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          size    = sizeof address;
    all->descriptor            = socket(AF_INET, SOCK_STREAM, 0);
    all->token = "200 OK\n{\"access_token\":\"t1\",\"token_type\":\"Bearer\",\"expires_in\":3600}";
    all->revocation = "200 OK";
    assert_int_equal(bind(all->descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(all->descriptor, 16), 0);
    assert_int_equal(getsockname(all->descriptor, (struct sockaddr *)&address, &size), 0);
    all->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&all->thread, NULL, serve_all, all), 0);
}

static void stop(authority *all)
{
    shutdown(all->descriptor, SHUT_RDWR);
    assert_int_equal(pthread_join(all->thread, NULL), 0);
    close(all->descriptor);
}

// --- The person. ----------------------------------------------------------------------------------

typedef enum person_kind {
    BROWSES,
    PASTES,
    PASTES_NOTHING,
    SLEEPS,
    STOPS // with Ctrl-C
} person_kind;

typedef struct scene {
    authority           authority;
    test_folder         folder;
    deft_config        *config;
    char                path[200];
    char                endpoint[100];
    person_kind         person;
    deft__login_keyring keyring;
    int                 typing[2]; // what is pasted
    int                 browser;
    char                page[2000];
    char                noted[300];
    deft__serve_options serve;
} scene;

// The value of a parameter, unescaped as far as these need it.
static void parameter(const char *url, const char *name, char *value, size_t size)
{
    const char *at = strstr(url, name);
    size_t      to = 0;
    assert_non_null(at);
    for (at += strlen(name); *at != '\0' && *at != '&' && to + 1 < size; at++) {
        if (*at == '%') {
            const char digits[] = {at[1], at[2], '\0'};
            value[to++]         = (char)strtoul(digits, NULL, 16);
            at += 2;
        } else {
            value[to++] = *at;
        }
    }
    value[to] = '\0';
}

static void browse(scene *now, const char *redirect, const char *state)
{
    char               request[500];
    struct sockaddr_in address = {
        .sin_family      = AF_INET,
        .sin_port        = htons((uint16_t)strtoul(strrchr(redirect, ':') + 1, NULL, 10)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    now->browser = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(now->browser, (struct sockaddr *)&address, sizeof address), 0);
    snprintf(request, sizeof request,
             "GET /callback?code=x&state=%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", state);
    assert_int_equal(write(now->browser, request, strlen(request)), strlen(request));
}

static void show(void *context, deft_view url)
{
    scene *now = context;
    char   redirect[200];
    char   state[100];
    char   text[600];
    snprintf(now->page, sizeof now->page, "%.*s", (int)url.size, url.data);
    parameter(now->page, "redirect_uri=", redirect, sizeof redirect);
    parameter(now->page, "&state=", state, sizeof state);
    if (now->person == BROWSES) {
        browse(now, redirect, state);
    } else if (now->person == PASTES) {
        snprintf(text, sizeof text, "nonsense\n%s?code=x&state=%s#top", redirect, state);
        assert_int_equal(write(now->typing[1], text, strlen(text)), strlen(text));
        close(now->typing[1]);
    } else if (now->person == PASTES_NOTHING) {
        close(now->typing[1]);
    } else if (now->person == STOPS) {
        assert_int_equal(raise(SIGINT), 0);
    }
}

static void note(void *context, deft_view line)
{
    scene *now = context;
    snprintf(now->noted, sizeof now->noted, "%.*s", (int)line.size, line.data);
}

static void init(scene *now, person_kind person, const char *oauth)
{
    deft_error error = DEFT_ERROR_INIT;
    char       text[600];
    *now = (scene){.person = person, .browser = -1};
    start(&now->authority);
    test_folder_init(&now->folder);
    snprintf(now->path, sizeof now->path, "%s", test_folder_join(&now->folder, "logins.json"));
    snprintf(now->endpoint, sizeof now->endpoint, "http://127.0.0.1:%d/mcp", now->authority.port);
    snprintf(text, sizeof text, "{\"mcpServers\":{\"notes\":{\"url\":\"%s\"%s}}}", now->endpoint,
             oauth);
    now->config = deft_config_new(NULL, &error);
    assert_ok(deft_config_add_file(now->config, DEFT_LAYER_USER_FILE, deft_view_of("deft.json"),
                                   deft_view_of(text), &error),
              error);
    assert_ok(deft_config_resolve(now->config, &error), error);
    assert_int_equal(pipe(now->typing), 0);
    now->serve = (deft__serve_options){.config      = now->config,
                                       .environment = environment,
                                       .logins      = now->path,
                                       .note        = note,
                                       .context     = now};
}

static void clear(scene *now)
{
    if (now->browser >= 0) {
        close(now->browser);
    }
    close(now->typing[0]);
    if (now->person != PASTES && now->person != PASTES_NOTHING) {
        close(now->typing[1]);
    }
    deft_config_free(now->config);
    stop(&now->authority);
    test_folder_clear(&now->folder);
}

static deft_status log_in(scene *now, deft_error *error)
{
    const bool                is_typing = now->person == PASTES || now->person == PASTES_NOTHING;
    const deft__login_options options   = {
          .serve      = &now->serve,
          .server     = DEFT_VIEW_INIT("notes"),
          .timeout_ms = now->person == SLEEPS ? 20 : 0,
          .paste      = is_typing ? now->typing[0] : -1,
          .keyring    = now->keyring,
          .show       = show,
          .context    = now,
    };
    return deft__serve_login(&options, error);
}

static void expect_kept(const scene *now, deft__kept_text text, const char *value)
{
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    (void)deft__logins_load(now->path, deft_view_of(now->endpoint), &login, NULL);
    assert_view_equal(deft__kept_get(&login, text), value);
    deft__kept_clear(&login);
}

// --- What happens. --------------------------------------------------------------------------------

static void a_person_comes_back_in_a_browser(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, BROWSES, "");
    assert_ok(log_in(&now, &error), error);
    assert_non_null(strstr(now.page, "&scope=a"));
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t1");
    expect_kept(&now, DEFT__KEPT_SCOPE, "a");
    expect_kept(&now, DEFT__KEPT_CLIENT_ID, "c");
    assert_int_equal(test_file_mode(now.path), 0600);

    assert_ok(deft__serve_logout(&now.serve, deft_view_of("notes"), &error), error);
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "");
    assert_int_equal(deft__serve_logout(&now.serve, deft_view_of("notes"), &error), DEFT_NOT_FOUND);
    assert_string_equal(error.message, "there is no login for server 'notes'");
    clear(&now);
}

// The login goes in any case, and before anybody is asked.
static void a_logout_gives_the_token_back(void **state)
{
    static const struct {
        const char *answer; // NULL: the authorization server is gone
        const char *noted;  // a part of it
    } cases[] = {
        {"200 OK", ""},
        {"503 Busy", "not revoked, and stay good until they expire: http://127.0.0.1:"},
        {NULL, "could not be reached"},
        {"STOP", "they expire: the logout was stopped"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        scene      now;
        deft_error error = DEFT_ERROR_INIT;
        init(&now, BROWSES, "");
        assert_ok(log_in(&now, &error), error);
        now.authority.revocation = cases[i].answer;
        if (cases[i].answer == NULL) {
            stop(&now.authority);
        }
        assert_ok(deft__serve_logout(&now.serve, deft_view_of("notes"), &error), error);
        expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "");
        assert_non_null(strstr(now.noted, cases[i].noted));
        assert_true(i > 0 || now.noted[0] == '\0');
        assert_string_equal(
            now.authority.revoked,
            cases[i].answer != NULL ? "token=t1&token_type_hint=access_token&client_id=c" : "");
        if (cases[i].answer == NULL) {
            start(&now.authority);
        }
        clear(&now);
    }
}

// There is no keyring in this session, so that the file is plain whatever is wanted.
static void a_keyring_is_used_where_there_is_one(void **state)
{
    static const deft__login_keyring wishes[] = {DEFT__KEYRING_USED, DEFT__KEYRING_UNUSED};
    (void)state;
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    unsetenv("XDG_RUNTIME_DIR");
    for (size_t i = 0; i < array_size(wishes); i++) {
        scene      now;
        deft_error error = DEFT_ERROR_INIT;
        init(&now, BROWSES, "");
        now.keyring = wishes[i];
        assert_ok(log_in(&now, &error), error);
        assert_string_equal(now.noted, "");
        expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t1");
        clear(&now);
    }
}

// One that is there and says no, or libsecret is not installed.
static void a_login_that_is_not_sealed_is_told(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/dev/null/none", 1);
    init(&now, BROWSES, "");
    now.keyring = DEFT__KEYRING_USED;
    assert_ok(log_in(&now, &error), error);
    assert_true(now.noted[0] == '\0' ||
                (strncmp(now.noted, "the keyring says: ", 18) == 0 &&
                 strstr(now.noted, ": logins are kept as plain text that only you can read")));
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t1");
    clear(&now);
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

static void a_person_pastes_the_address(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, PASTES, "");
    assert_ok(log_in(&now, &error), error);
    assert_string_equal(now.noted,
                        "that is not the address that the browser was sent to; try again");
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t1");
    clear(&now);
}

static void a_person_does_not_come(void **state)
{
    static const struct {
        person_kind person;
        const char *message;
    } cases[] = {
        {SLEEPS, "nobody has logged in in time; try again"},
        {PASTES_NOTHING, "no address was pasted"},
        {STOPS, "the login was stopped"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        scene      now;
        deft_error error = DEFT_ERROR_INIT;
        init(&now, cases[i].person, "");
        assert_true(log_in(&now, &error) != DEFT_OK);
        assert_string_equal(error.message, cases[i].message);
        expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "");
        clear(&now);
    }
}

static void the_login_is_refused(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, BROWSES, "");
    now.authority.token = "400 No\n{\"error\":\"invalid_grant\"}";
    assert_int_equal(log_in(&now, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "gave no token: HTTP 400: invalid_grant"));
    clear(&now);
}

static void the_configuration_says_who_we_are(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, BROWSES,
         ",\"oauth\":{\"clientId\":\"own-${SECRET}\",\"scopes\":[\"x\",\"y\"],\"other\":1}");
    assert_ok(log_in(&now, &error), error);
    assert_non_null(strstr(now.page, "client_id=own-s3cret&"));
    assert_non_null(strstr(now.page, "&scope=x%20y"));
    clear(&now);
}

// A call has said what it lacked: that is asked for along with the rest.
static void what_a_call_lacked_is_asked_for(void **state)
{
    scene            now;
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login kept;
    (void)state;
    init(&now, BROWSES, "");
    assert_ok(log_in(&now, &error), error);
    close(now.browser);
    deft__kept_init(&kept, NULL);
    assert_ok(deft__logins_load(now.path, deft_view_of(now.endpoint), &kept, &error), error);
    assert_true(deft__kept_set(&kept, DEFT__KEPT_WANTED,
                               deft_view_of("Bearer error=insufficient_scope, scope=more")));
    assert_ok(deft__logins_save(now.path, deft_view_of(now.endpoint), &kept, &error), error);
    deft__kept_clear(&kept);
    assert_ok(log_in(&now, &error), error);
    assert_non_null(strstr(now.page, "&scope=a%20more"));
    expect_kept(&now, DEFT__KEPT_WANTED, "");
    clear(&now);
}

static void a_server_that_is_down_cannot_be_logged_in_to(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, BROWSES, "");
    deft_config_free(now.config);
    now.config = deft_config_new(NULL, &error);
    assert_ok(deft_config_add_file(
                  now.config, DEFT_LAYER_USER_FILE, deft_view_of("deft.json"),
                  deft_view_of("{\"mcpServers\":{\"notes\":{\"url\":\"http://127.0.0.1:1/mcp\"},"
                               "\"off\":{\"url\":\"http://127.0.0.1:1\",\"disabled\":true},"
                               "\"unset\":{\"url\":\"http://127.0.0.1:1/${NOT_SET_HERE}\"}}}"),
                  &error),
              error);
    assert_ok(deft_config_resolve(now.config, &error), error);
    now.serve.config = now.config;
    assert_int_equal(log_in(&now, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "server 'notes' could not be reached"));
    assert_int_equal(deft__serve_logout(&now.serve, deft_view_of("unset"), &error), DEFT_NOT_FOUND);

    deft__login_options options = {
        .serve = &now.serve, .server = DEFT_VIEW_INIT("off"), .paste = -1, .show = show};
    assert_int_equal(deft__serve_login(&options, &error), DEFT_INVALID);
    assert_string_equal(error.message, "the server is disabled, or the login was stopped");
    options.server = deft_view_of("unset");
    assert_int_equal(deft__serve_login(&options, &error), DEFT_NOT_FOUND);
    clear(&now);
}

static void some_servers_have_no_logins(void **state)
{
    static const struct {
        const char *server;
        const char *message;
    } cases[] = {
        {"none", "no server is called 'none'; 'deft servers' shows those there are"},
        {"local", "server 'local' is a process of this machine: it takes its credentials from its "
                  "env"},
        {"keyed", "server 'keyed' has an Authorization in its headers, which is used instead of a "
                  "login; take it out first"},
        {"notes", "there is no place to keep a login: set HOME, or DEFT_LOGINS=FILE"},
    };
    deft_error   error  = DEFT_ERROR_INIT;
    deft_config *config = deft_config_new(NULL, &error);
    (void)state;
    assert_ok(deft_config_add_file(
                  config, DEFT_LAYER_USER_FILE, deft_view_of("deft.json"),
                  deft_view_of("{\"mcpServers\":{\"local\":{\"command\":\"x\"},\"keyed\":{\"url\":"
                               "\"https://h\",\"headers\":{\"authorization\":\"Bearer x\"}},"
                               "\"notes\":{\"url\":\"https://h\"}}}"),
                  &error),
              error);
    assert_ok(deft_config_resolve(config, &error), error);
    const deft__serve_options serve = {.config = config, .environment = environment};
    for (size_t i = 0; i < array_size(cases); i++) {
        const deft__login_options options = {
            .serve = &serve, .server = deft_view_of(cases[i].server), .paste = -1, .show = show};
        assert_true(deft__serve_login(&options, &error) != DEFT_OK);
        assert_string_equal(error.message, cases[i].message);
    }
    assert_int_equal(deft__serve_logout(&serve, deft_view_of("notes"), &error), DEFT_NOT_FOUND);
    deft_config_free(config);
}

static void a_file_of_logins_that_is_bad_is_said_to_be(void **state)
{
    scene      now;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    init(&now, BROWSES, ",\"oauth\":{\"callbackPort\":1}");
    test_file_put(now.path, deft_view_of("[]"));
    assert_int_equal(log_in(&now, &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "is not a file of logins"));
    test_file_put(now.path, deft_view_of(""));
    now.person               = SLEEPS;
    const deft_status status = log_in(&now, &error); // port 1 is not for everybody
    assert_true(status != DEFT_OK && error.message[0] != '\0');
    clear(&now);
}

int main(void)
{
    unsetenv("http_proxy");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_comes_back_in_a_browser),
        cmocka_unit_test(a_logout_gives_the_token_back),
        cmocka_unit_test(a_keyring_is_used_where_there_is_one),
        cmocka_unit_test(a_login_that_is_not_sealed_is_told),
        cmocka_unit_test(a_person_pastes_the_address),
        cmocka_unit_test(a_person_does_not_come),
        cmocka_unit_test(the_login_is_refused),
        cmocka_unit_test(the_configuration_says_who_we_are),
        cmocka_unit_test(what_a_call_lacked_is_asked_for),
        cmocka_unit_test(a_server_that_is_down_cannot_be_logged_in_to),
        cmocka_unit_test(some_servers_have_no_logins),
        cmocka_unit_test(a_file_of_logins_that_is_bad_is_said_to_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
