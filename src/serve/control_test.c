// Finding and asking gateways that run; here someone else answers, well or badly.
#include "serve/control.h"

#include "io/socket.h"
#include "support/folder.h"
#include "support/waiting.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *runtime;
    const char *state;
    const char *home;
    const char *path; // NULL: there is none
} places[] = {
    {"the runtime directory first", "/run/user/1", "/state", "/home/me", "/run/user/1/deft"},
    {"then the state directory", "", "/state", "/home/me", "/state/deft/run"},
    {"then the home directory", NULL, "relative", "/home/me", "/home/me/.local/state/deft/run"},
    {"nowhere", NULL, NULL, NULL, NULL},
    {"only absolute paths count", "a", "b", "c", NULL},
};

static void where_sockets_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(places); i++) {
        case_name(places[i].name);
        deft_buffer path;
        deft_buffer_init(&path, NULL);
        const bool is_there =
            deft__control_directory(places[i].runtime, places[i].state, places[i].home, &path);
        assert_int_equal(is_there, places[i].path != NULL);
        if (is_there) {
            assert_string_equal(path.data, places[i].path);
        }
        deft_buffer_clear(&path);
    }
}

static int listen_at(const char *path)
{
    struct sockaddr_un address    = {.sun_family = AF_UNIX};
    const int          descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(descriptor, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(descriptor, 8), 0);
    return descriptor;
}

static void found(void *context, const char *path, int process_id)
{
    char *all = context;
    assert_non_null(path);
    snprintf(all + strlen(all), 20, "%d ", process_id);
}

static void those_that_answer_are_found(void **state)
{
    (void)state;
    test_folder folder;
    char        all[100] = "";
    test_folder_init(&folder);
    const int older = listen_at(test_folder_join(&folder, "77.sock"));
    const int newer = listen_at(test_folder_join(&folder, "5.sock"));
    const int other = listen_at(test_folder_join(&folder, "x.sock"));
    const int stale = listen_at(test_folder_join(&folder, "99.sock"));
    close(stale);
    test_file_put(test_folder_join(&folder, "12.sock"), deft_view_of("no socket"));
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(0, test_folder_join(&folder, "77.sock"), times, AT_SYMLINK_NOFOLLOW),
                     0);
    assert_int_equal(deft__control_find(folder.path, found, all), 2);
    assert_string_equal(all, "5 77 ");
    assert_int_equal(access(test_folder_join(&folder, "99.sock"), F_OK), -1); // cleared away
    assert_int_equal(access(test_folder_join(&folder, "12.sock"), F_OK), 0);
    close(older);
    close(newer);
    close(other);
    assert_int_equal(deft__control_find("/no/such/folder", found, all), 0);
    test_folder_clear(&folder);
}

// --- Answers. -------------------------------------------------------------------------------------

typedef struct answerer {
    int         listener;
    const char *answer; // NULL: it hangs up without having read
} answerer;

static void *answer_once(void *context)
{
    const answerer *one  = context;
    const int       peer = accept(one->listener, NULL, NULL);
    if (one->answer != NULL) {
        char    bytes[500];
        ssize_t size = 0;
        while (size >= 0 && (size == 0 || bytes[size - 1] != '\n')) {
            size = read(peer, bytes, sizeof bytes);
        }
        if (write(peer, one->answer, strlen(one->answer)) < 0) {
            perror("write");
        }
    }
    close(peer);
    return NULL;
}

static const struct {
    const char *name;
    const char *answer;
    deft_status status;
    const char *text;
} answers[] = {
    {"a result", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n", DEFT_OK, "{\"a\":1}"},
    {"an error with a status of ours",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":4,\"message\":\"no such tool\"}}\n",
     DEFT_NOT_FOUND, "no such tool"},
    {"an error with another code",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"what?\"}}\n",
     DEFT_INVALID, "what?"},
    {"half an answer", "{\"jsonrpc\":", DEFT_INVALID, "the gateway ended before it answered"},
    {"no answer", "", DEFT_INVALID, "the gateway ended before it answered"},
    {"nonsense", "hello\n", DEFT_INVALID, "the message is not JSON: a value expected, at byte 0"},
    {"a question", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", DEFT_INVALID,
     "the gateway answers with something else"},
};

static void what_gateways_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(answers); i++) {
        case_name(answers[i].name);
        test_folder folder;
        pthread_t   thread;
        deft_buffer result;
        deft_error  error = DEFT_ERROR_INIT;
        test_folder_init(&folder);
        deft_buffer_init(&result, NULL);
        const char *path = test_folder_join(&folder, "1.sock");
        answerer    one  = {.listener = listen_at(path), .answer = answers[i].answer};
        assert_int_equal(pthread_create(&thread, NULL, answer_once, &one), 0);
        const deft_status status =
            deft__control_ask(path, "deft/status", deft_view_of("{}"), &result, &error);
        pthread_join(thread, NULL);
        assert_int_equal(status, answers[i].status);
        if (status == DEFT_OK) {
            assert_view_equal(deft_buffer_view(&result), answers[i].text);
        } else {
            assert_string_equal(error.message, answers[i].text);
        }
        close(one.listener);
        deft_buffer_clear(&result);
        test_folder_clear(&folder);
    }
}

static void nobody_is_there(void **state)
{
    (void)state;
    deft_buffer result;
    deft_buffer_init(&result, NULL);
    assert_int_equal(
        deft__control_ask("/no/such/socket", "deft/status", deft_view_of(""), &result, NULL),
        DEFT_NOT_FOUND);
    deft_buffer_clear(&result);
}

static void one_that_hangs_up(void **state)
{
    (void)state;
    test_folder folder;
    pthread_t   thread;
    deft_buffer result;
    deft_error  error = DEFT_ERROR_INIT;
    test_folder_init(&folder);
    deft_buffer_init(&result, NULL);
    const char *path = test_folder_join(&folder, "1.sock");
    answerer    one  = {.listener = listen_at(path)};
    // More than a socket holds, so that writing it finds out.
    char *const large = malloc(8 << 20);
    memset(large, ' ', 8 << 20);
    large[0]             = '{';
    large[(8 << 20) - 1] = '}';
    assert_int_equal(pthread_create(&thread, NULL, answer_once, &one), 0);
    assert_int_equal(
        deft__control_ask(path, "deft/status", deft_view_make(large, 8 << 20), &result, &error),
        DEFT_INVALID);
    assert_string_equal(error.message, "the gateway ended before it answered");
    pthread_join(thread, NULL);
    free(large);
    close(one.listener);
    deft_buffer_clear(&result);
    test_folder_clear(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_sockets_are),    cmocka_unit_test(those_that_answer_are_found),
        cmocka_unit_test(what_gateways_answer), cmocka_unit_test(nobody_is_there),
        cmocka_unit_test(one_that_hangs_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
