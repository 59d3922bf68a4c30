// One request that is answered without a gateway: servers are started for it and stopped again.
#include "serve/serve.h"

#include "support/world.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

static void ask_alone(test_world *all, const char *method, const char *params, deft_status wanted,
                      const char *text)
{
    deft_buffer result;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer_init(&result, NULL);
    const deft_status status =
        deft__serve_alone(&all->options, method, deft_view_of(params), &result, &error);
    deft_buffer_append_byte(&result, '\0');
    const char *answer = status == DEFT_OK ? result.data : error.message;
    if (status != wanted || strstr(answer, text) == NULL) {
        fail_msg("%s: want %s, got %s", method, text, answer);
    }
    deft_buffer_clear(&result);
}

static void one_request_without_a_gateway(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", test_two_servers);
    ask_alone(&all, "deft/servers", "", DEFT_OK, "\"name\":\"alpha\",\"state\":\"configured\"");
    assert_int_equal(test_world_starts(&all), -1);
    // Only the server that the call is for is started.
    ask_alone(&all, "deft/call", "{\"tool\":\"beta::echo\",\"arguments\":{\"text\":\"x\"}}",
              DEFT_OK, "\\\"text\\\":\\\"x\\\"");
    assert_int_equal(test_world_starts(&all), strlen("beta\n"));
    // A search wants to know all of them.
    ask_alone(&all, "deft/search", "{\"query\":\"say again\"}", DEFT_OK, "\"id\":\"alpha::echo\"");
    assert_int_equal(test_world_starts(&all), strlen("beta\nalpha\n"));
    ask_alone(&all, "deft/search", "{\"query\":\"say again\"}", DEFT_OK, "\"id\":\"beta::echo\"");
    assert_int_equal(test_world_starts(&all), strlen("beta\nalpha\n")); // they are known now
    ask_alone(&all, "deft/status", "", DEFT_OK, "\"tools\":10");
    ask_alone(&all, "deft/call", "{\"tool\":\"gamma::echo\"}", DEFT_NOT_FOUND, "gamma");
    ask_alone(&all, "deft/call", "{\"tool\":\"gamma::echo\"}", DEFT_NOT_FOUND,
              "Find tools with 'deft search'.");
    ask_alone(&all, "deft/none", "", DEFT_NOT_FOUND, "not known");
    ask_alone(&all, "deft/call", "[", DEFT_INVALID, "");
    test_world_clear(&all);
}

static void servers_are_shown_as_they_are_left(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"enabled\":\"on\"", test_two_servers);
    ask_alone(&all, "deft/servers", "{\"discover\":true}", DEFT_OK,
              "\"name\":\"alpha\",\"state\":\"known\"");
    assert_int_equal(test_world_starts(&all), strlen("beta\nalpha\n"));
    test_world_clear(&all);
}

static void *end_when_started(void *context)
{
    while (test_world_starts(context) <= 0) {
        sched_yield();
    }
    kill(getpid(), SIGTERM);
    return NULL;
}

static void alone_and_interrupted(void **state)
{
    (void)state;
    test_world all;
    pthread_t  thread;
    test_world_init(&all, "\"enabled\":\"on\"", test_one_server);
    assert_int_equal(pthread_create(&thread, NULL, end_when_started, &all), 0);
    ask_alone(&all, "deft/call", "{\"tool\":\"alpha::never\"}", DEFT_INVALID,
              "stopped before there was an answer");
    pthread_join(thread, NULL);
    test_world_clear(&all);
}

static void no_servers_when_mcp_is_off(void **state)
{
    (void)state;
    test_world all;
    test_world_init(&all, "\"noMcp\":true", test_two_servers);
    ask_alone(&all, "deft/servers", "{\"discover\":true}", DEFT_OK, "{\"servers\":[]}");
    test_world_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_without_a_gateway),
        cmocka_unit_test(servers_are_shown_as_they_are_left),
        cmocka_unit_test(alone_and_interrupted),
        cmocka_unit_test(no_servers_when_mcp_is_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
