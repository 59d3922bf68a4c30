// Tokens of remote servers: kept, renewed in time and when refused, once for everybody.
#include "serve/bearer.h"

#include "store/logins.h"
#include "support/folder.h"
#include "support/waiting.h"
#include "support/web_server.h"

#include <sys/stat.h>
#include <unistd.h>

#define ALWAYS 4102444800u // the year 2100

static const char *const environment[] = {NULL};

typedef struct scene {
    test_folder      folder;
    deft__loop      *loop;
    deft__fetcher   *fetcher;
    test_web_server *server;
    deft__bearer    *bearer;
    deft__alarm     *alarm;
    char             path[200];
    char             endpoint[100];
    char             noted[400];
    size_t           renewed;
    int              lock; // of somebody else
} scene;

static void renewed(void *context)
{
    scene *now = context;
    now->renewed++;
    deft__loop_stop(now->loop);
}

static void noted(void *context, deft_view clause)
{
    scene *now = context;
    snprintf(now->noted, sizeof now->noted, "%.*s", (int)clause.size, clause.data);
}

typedef struct kept {
    const char *access;
    const char *refresh;
    const char *scope;
    const char *resource; // NULL: the endpoint
    uint64_t    expires_at_s;
} kept;

static void put(scene *now, kept texts)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__kept_login login;
    char             url[120];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/token", test_web_server_port(now->server));
    deft__kept_init(&login, NULL);
    assert_true(
        deft__kept_set(&login, DEFT__KEPT_ENDPOINT, deft_view_of(now->endpoint)) &&
        deft__kept_set(&login, DEFT__KEPT_RESOURCE,
                       deft_view_of(texts.resource != NULL ? texts.resource : now->endpoint)) &&
        deft__kept_set(&login, DEFT__KEPT_TOKEN_ENDPOINT, deft_view_of(url)) &&
        deft__kept_set(&login, DEFT__KEPT_CLIENT_ID, deft_view_of("c")) &&
        deft__kept_set(&login, DEFT__KEPT_SCOPE, deft_view_of(texts.scope)) &&
        deft__kept_set(&login, DEFT__KEPT_ACCESS_TOKEN, deft_view_of(texts.access)) &&
        deft__kept_set(&login, DEFT__KEPT_REFRESH_TOKEN, deft_view_of(texts.refresh)));
    login.expires_at_s = texts.expires_at_s;
    assert_ok(deft__logins_save(now->path, deft_view_of(now->endpoint), &login, &error), error);
    deft__kept_clear(&login);
}

static void expect_kept(const scene *now, deft__kept_text text, const char *value)
{
    deft__kept_login login;
    deft__kept_init(&login, NULL);
    (void)deft__logins_load(now->path, deft_view_of(now->endpoint), &login, NULL);
    assert_view_equal(deft__kept_get(&login, text), value);
    deft__kept_clear(&login);
}

static void init(scene *now, const test_web_answer *answers)
{
    deft_error error = DEFT_ERROR_INIT;
    *now             = (scene){.loop = test_loop_new(), .lock = -1};
    test_folder_init(&now->folder);
    now->fetcher = deft__fetcher_new(now->loop, environment, 0, &error);
    now->server  = test_web_server_new(now->loop, answers);
    assert_non_null(now->fetcher);
    snprintf(now->path, sizeof now->path, "%s", test_folder_join(&now->folder, "logins.json"));
    snprintf(now->endpoint, sizeof now->endpoint, "http://127.0.0.1:%d/mcp",
             test_web_server_port(now->server));
    now->bearer =
        deft__bearer_new(now->loop, &(deft__bearer_options){.path     = now->path,
                                                            .name     = DEFT_VIEW_INIT("notes"),
                                                            .endpoint = deft_view_of(now->endpoint),
                                                            .fetcher  = now->fetcher,
                                                            .renewed  = renewed,
                                                            .noted    = noted,
                                                            .context  = now});
    assert_non_null(now->bearer);
}

static void clear(scene *now)
{
    deft__bearer_free(now->bearer);
    deft__alarm_free(now->alarm);
    test_web_server_free(now->server);
    deft__fetcher_free(now->fetcher);
    deft__loop_free(now->loop);
    test_folder_clear(&now->folder);
}

// NULL: it is being renewed.
static uint32_t expect_token(scene *now, const char *wanted)
{
    deft_view  token    = deft_view_of(NULL);
    uint32_t   number   = 0;
    const bool is_there = deft__bearer_token(now->bearer, &token, &number);
    assert_int_equal(is_there, wanted != NULL);
    if (wanted != NULL) {
        assert_view_equal(token, wanted);
    }
    return number;
}

// What a person is told; NULL: another token comes.
static void expect_refused(scene *now, int status, const char *challenge, uint32_t number,
                           bool is_last, const char *clause)
{
    deft_buffer said;
    deft_buffer_init(&said, NULL);
    assert_int_equal(
        deft__bearer_refused(now->bearer, status, deft_view_of(challenge), number, is_last, &said),
        clause == NULL);
    assert_view_equal(deft_buffer_view(&said), clause != NULL ? clause : "");
    deft_buffer_clear(&said);
}

static size_t posts(const scene *now, const char *holds)
{
    return test_web_server_count(now->server, "POST /token", holds);
}

#define NEW_TOKENS                                                                                 \
    {                                                                                              \
        "POST /token", "refresh_token=r1",                                                         \
            "200 json\n\n{'access_token':'t2','token_type':'Bearer','expires_in':3600,"            \
            "'refresh_token':'r2'}",                                                               \
            false                                                                                  \
    }

static void a_good_token_is_shown(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = ALWAYS});
    assert_int_equal(expect_token(&now, "t1"), 1);
    assert_int_equal(expect_token(&now, "t1"), 1);
    put(&now, (kept){.access = "t9", .expires_at_s = 0}); // nobody said until when
    expect_token(&now, "t1");
    deft__bearer_reload(now.bearer);
    assert_int_equal(expect_token(&now, "t9"), 2);
    clear(&now);
}

static void without_a_login_there_is_none(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    expect_token(&now, "");
    expect_refused(&now, 401, "Bearer scope=\"a\"", 0, false, "");
    expect_kept(&now, DEFT__KEPT_WANTED, "Bearer scope=\"a\"");
    clear(&now);
}

static void a_token_for_another_server_is_not_shown(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .resource = "https://other.example/mcp"});
    expect_token(&now, "");
    clear(&now);
}

static void a_token_is_renewed_before_it_expires(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{NEW_TOKENS, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    expect_token(&now, NULL);
    expect_token(&now, NULL); // whoever else asks waits for the same
    deft__bearer_reload(now.bearer);
    test_loop_run(now.loop);
    assert_int_equal(now.renewed, 1);
    expect_token(&now, "t2");
    assert_int_equal(posts(&now, "grant_type=refresh_token"), 1);
    assert_int_equal(posts(&now, "resource=http%3A%2F%2F127.0.0.1"), 1);
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t2");
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r2");
    clear(&now);
}

static void a_token_that_is_refused_is_renewed_once(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{NEW_TOKENS, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = ALWAYS});
    const uint32_t number = expect_token(&now, "t1");
    expect_refused(&now, 401, "Bearer error=invalid_token", number, false, NULL);
    expect_refused(&now, 401, "Bearer error=invalid_token", number, false, NULL);
    test_loop_run(now.loop);
    assert_int_equal(expect_token(&now, "t2"), number + 1);
    // One that was on its way with the old token comes late.
    expect_refused(&now, 401, "Bearer error=invalid_token", number, false, NULL);
    test_loop_run(now.loop);
    assert_int_equal(now.renewed, 2);
    assert_int_equal(posts(&now, "grant_type=refresh_token"), 1);
    clear(&now);
}

static void a_login_that_is_over_is_said_to_be(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{{"POST /token", NULL, "400 json\n\n{'error':'invalid_grant'}", false}, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = ALWAYS});
    const uint32_t number = expect_token(&now, "t1");
    expect_refused(&now, 401, "Bearer", number, false, NULL);
    test_loop_run(now.loop);
    assert_non_null(strstr(now.noted, "could not be given a new token: http://127.0.0.1"));
    assert_non_null(strstr(now.noted, "HTTP 400: invalid_grant"));
    assert_int_equal(expect_token(&now, "t1"), number);
    expect_refused(&now, 401, "Bearer", number, true, "");
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, ""); // nobody tries again
    expect_kept(&now, DEFT__KEPT_WANTED, "Bearer");
    expect_refused(&now, 401, "Bearer", number, false, "");
    assert_int_equal(posts(&now, ""), 1);
    clear(&now);
}

static void an_outage_ends_no_login(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{{"POST /token", NULL, "503 none\n\n", false}, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    expect_token(&now, NULL);
    test_loop_run(now.loop);
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r1");
    const uint32_t number = expect_token(&now, "t1"); // it may be good; and there is a pause now
    expect_refused(&now, 401, "", number, false, "");
    assert_int_equal(posts(&now, ""), 1);
    clear(&now);
}

static void what_another_process_has_renewed_is_taken(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = ALWAYS});
    const uint32_t number = expect_token(&now, "t1");
    put(&now, (kept){.access = "t2", .refresh = "r2", .expires_at_s = ALWAYS});
    expect_refused(&now, 401, "Bearer", number, false, NULL);
    test_loop_run(now.loop);
    assert_int_equal(expect_token(&now, "t2"), number + 1);
    clear(&now);
}

static void other_is_done(void *context)
{
    scene *now = context;
    put(now, (kept){.access = "t2", .refresh = "r2", .expires_at_s = ALWAYS});
    deft__logins_unlock(now->lock);
}

static void a_process_that_renews_is_waited_for(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    now.lock = deft__logins_lock(now.path, deft_view_of(now.endpoint));
    assert_true(now.lock >= 0);
    now.alarm = deft__alarm_new(now.loop, other_is_done, &now);
    deft__alarm_set(now.alarm, 80);
    expect_token(&now, NULL);
    test_loop_run(now.loop);
    expect_token(&now, "t2");
    clear(&now);
}

// A person does not wait for us: what is in the file when the answer comes is newer than the answer.
static void a_login_made_meanwhile_stays(void **state)
{
    static const struct {
        const char     *name;
        test_web_answer answer;
    } cases[] = {
        {"the renewal is granted", NEW_TOKENS},
        {"the renewal is refused",
         {"POST /token", NULL, "400 json\n\n{'error':'invalid_grant'}", false}},
        {"nobody is there to ask", {"POST /token", NULL, "503 none\n\n", false}},
    };
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        scene now;
        case_name(cases[i].name);
        init(&now, ANSWERS{cases[i].answer, END});
        put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
        expect_token(&now, NULL);
        put(&now, (kept){.access = "t9", .refresh = "r9", .expires_at_s = ALWAYS});
        test_loop_run(now.loop);
        expect_token(&now, "t9");
        expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "t9");
        expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r9");
        clear(&now);
    }
}

static void a_logout_meanwhile_is_one(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{NEW_TOKENS, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    expect_token(&now, NULL);
    assert_int_equal(deft__logins_save(now.path, deft_view_of(now.endpoint), NULL, NULL), DEFT_OK);
    test_loop_run(now.loop);
    expect_token(&now, "");
    expect_kept(&now, DEFT__KEPT_ACCESS_TOKEN, "");
    clear(&now);
}

// A disk that is full for a while. Servers that give a new refresh token each time take the old one for
// stolen: what cannot be kept in the file is the only one there is.
static void a_token_that_cannot_be_kept_is_not_lost(void **state)
{
    scene now;
    char  path[220];
    (void)state;
    init(&now, ANSWERS{NEW_TOKENS,
                       {"POST /token", "refresh_token=r2",
                        "200 json\n\n{'access_token':'t3','token_type':'Bearer',"
                        "'refresh_token':'r3'}",
                        false},
                       END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    snprintf(path, sizeof path, "%s.new", now.path);
    assert_int_equal(mkdir(path, 0700), 0); // where the new file would be written
    expect_token(&now, NULL);
    test_loop_run(now.loop);
    assert_non_null(strstr(now.noted, "cannot be written"));
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r1");
    deft__bearer_reload(now.bearer);
    const uint32_t number = expect_token(&now, "t2");
    expect_refused(&now, 401, "Bearer", number, false, NULL);
    test_loop_run(now.loop);
    expect_token(&now, "t3");
    assert_int_equal(posts(&now, "refresh_token=r1"), 1);
    assert_int_equal(rmdir(path), 0);
    deft__bearer_reload(now.bearer);
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r3");
    expect_token(&now, "t3");
    clear(&now);
}

// The note of what is lacking goes to what is kept now, not to what was when we looked last.
static void a_note_undoes_no_renewal_of_another_process(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = ALWAYS});
    const uint32_t number = expect_token(&now, "t1");
    put(&now, (kept){.access = "t2", .refresh = "r2", .expires_at_s = ALWAYS});
    expect_refused(&now, 403, "Bearer error=\"insufficient_scope\", scope=\"b\"", number, true,
                   "wants more rights than its login has (scope b): run 'deft login notes'");
    expect_kept(&now, DEFT__KEPT_REFRESH_TOKEN, "r2");
    expect_kept(&now, DEFT__KEPT_WANTED, "Bearer error=\"insufficient_scope\", scope=\"b\"");
    clear(&now);
}

static void more_rights_are_asked_for_once(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .scope = "a", .expires_at_s = ALWAYS});
    const uint32_t number = expect_token(&now, "t1");
    expect_refused(&now, 403, "Basic realm=x, Bearer error=\"insufficient_scope\", scope=\"a b\"",
                   number, false,
                   "wants more rights than its login has (scope a b): run 'deft login notes'");
    expect_kept(&now, DEFT__KEPT_WANTED,
                "Basic realm=x, Bearer error=\"insufficient_scope\", scope=\"a b\"");
    expect_refused(&now, 403, "Bearer error=\"insufficient_scope\"", number, false,
                   "wants more rights than its login has: run 'deft login notes'");
    put(&now, (kept){.access = "t2", .scope = "a b", .expires_at_s = ALWAYS});
    expect_refused(&now, 403, "Bearer error=\"insufficient_scope\", scope=\"a b\"", number, false,
                   NULL); // somebody has logged in
    test_loop_run(now.loop);
    expect_refused(&now, 403, "Bearer error=\"insufficient_scope\", scope=\"a b\"", number + 1,
                   false,
                   "wants more rights than its login has (scope a b), although it was asked for "
                   "them: its owner has to grant them, another login would not help");
    expect_kept(&now, DEFT__KEPT_WANTED, "");
    clear(&now);
}

static void a_file_that_cannot_be_read_is_noted(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{END});
    test_file_put(now.path, deft_view_of("{\"version\":1}"));
    expect_token(&now, "");
    assert_non_null(strstr(now.noted, "has a login that cannot be read: the file of logins"));
    assert_non_null(strstr(now.noted, "is not a file of logins"));
    now.noted[0] = '\0';
    deft__bearer_reload(now.bearer);
    assert_string_equal(now.noted, "");                // once
    expect_refused(&now, 401, "Bearer", 0, false, ""); // cannot be kept either
    clear(&now);
}

static void it_can_be_given_up_while_it_renews(void **state)
{
    scene now;
    (void)state;
    init(&now, ANSWERS{{"POST /token", NULL, "silence", false}, END});
    put(&now, (kept){.access = "t1", .refresh = "r1", .expires_at_s = 1});
    expect_token(&now, NULL);
    clear(&now);
    deft__bearer_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_token_is_shown),
        cmocka_unit_test(without_a_login_there_is_none),
        cmocka_unit_test(a_token_for_another_server_is_not_shown),
        cmocka_unit_test(a_token_is_renewed_before_it_expires),
        cmocka_unit_test(a_token_that_is_refused_is_renewed_once),
        cmocka_unit_test(a_login_that_is_over_is_said_to_be),
        cmocka_unit_test(an_outage_ends_no_login),
        cmocka_unit_test(what_another_process_has_renewed_is_taken),
        cmocka_unit_test(a_process_that_renews_is_waited_for),
        cmocka_unit_test(a_login_made_meanwhile_stays),
        cmocka_unit_test(a_logout_meanwhile_is_one),
        cmocka_unit_test(a_token_that_cannot_be_kept_is_not_lost),
        cmocka_unit_test(a_note_undoes_no_renewal_of_another_process),
        cmocka_unit_test(more_rights_are_asked_for_once),
        cmocka_unit_test(a_file_that_cannot_be_read_is_noted),
        cmocka_unit_test(it_can_be_given_up_while_it_renews),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
