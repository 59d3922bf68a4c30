// faults DEFT FAULT [NAME] - plays every fault of the server `fault` against `deft serve`. Whatever the
// server does, each call gets exactly one answer, and when the agent is gone deft ends with 0 and
// leaves nothing behind: no process, no zombie, and, in a build with sanitizers, no memory.
#include "faults/serving.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_MAX 8

typedef enum outcome {
    NOTHING, // no more calls
    RESULT,  // a result without isError
    FAILURE, // an error, or a result with isError
    EITHER,
    CANCELLED // the call is cancelled at once: no answer, or one
} outcome;

typedef struct call {
    const char *tool;
    outcome     expected;
} call;

typedef struct fault_case {
    const char *name;
    const char *words;      // arguments of the server, as members of a JSON array
    const char *settings;   // members of "gateway"
    bool        is_burst;   // all calls are sent before the first answer is read
    bool        is_leaving; // a process of the server's own making is beyond our reach
    call        calls[CALLS_MAX];
} fault_case;

#define QUICK_CALLS "\"callTimeoutMs\":400"
#define QUICK_START "\"startTimeoutMs\":800"
#define QUICK_PROBE "\"probeTimeoutMs\":200"
#define SLOW_LIST   "\"firstWaitMs\":60000" // a busy machine may take a second for thousands of tools

// clang-format off
static const fault_case cases[] = {
    {.name = "a server without faults", .words = "", .calls = {{"echo", RESULT}, {"echo", RESULT}}},
    {.name = "a modern server without faults", .words = "\"modern\"", .calls = {{"echo", RESULT}, {"echo", RESULT}}},
    {.name = "text on stdout before the first answer", .words = "\"noise\"", .calls = {{"echo", RESULT}}},
    {.name = "text before the first answer of a modern server", .words = "\"noise\",\"modern\"", .calls = {{"echo", RESULT}}},
    {.name = "lines that are no answers between answers", .words = "\"garbage\"",
     .calls = {{"echo", RESULT}, {"echo", RESULT}, {"echo", RESULT}}},
    {.name = "lines that are no answers from a modern server", .words = "\"garbage\",\"modern\"",
     .calls = {{"echo", RESULT}, {"echo", RESULT}}},
    {.name = "half a line, and the rest with the next answer", .words = "", .is_burst = true,
     .calls = {{"half", RESULT}, {"half", RESULT}, {"echo", RESULT}}},
    {.name = "a line of 100 MB", .words = "", .settings = QUICK_CALLS, .calls = {{"huge", FAILURE}, {"echo", EITHER}}},
    {.name = "answers under ids that nobody used", .words = "", .calls = {{"wrong", RESULT}, {"echo", RESULT}}},
    {.name = "two answers to one call", .words = "", .is_burst = true,
     .calls = {{"twice", RESULT}, {"twice", RESULT}, {"echo", RESULT}}},
    {.name = "an answer after the call was cancelled", .words = "", .is_burst = true,
     .calls = {{"late", CANCELLED}, {"echo", RESULT}}},
    {.name = "an answer after a modern call was cancelled", .words = "\"modern\"", .is_burst = true,
     .calls = {{"late", CANCELLED}, {"echo", RESULT}}},
    {.name = "silence to server/discover", .words = "\"silent=discover\"", .settings = QUICK_PROBE,
     .calls = {{"echo", RESULT}}},
    {.name = "silence to initialize", .words = "\"silent=initialize\"", .settings = QUICK_START,
     .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "silence to tools/list", .words = "\"silent=list\"", .settings = QUICK_CALLS "," QUICK_START,
     .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "silence to every call", .words = "\"silent=call\"", .settings = QUICK_CALLS,
     .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "silence to one call", .words = "", .settings = QUICK_CALLS, .is_burst = true,
     .calls = {{"hang", FAILURE}, {"echo", RESULT}}},
    {.name = "an end at server/discover", .words = "\"exit=discover\"", .calls = {{"echo", RESULT}}},
    {.name = "an end at initialize", .words = "\"exit=initialize\"", .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "an end at initialized", .words = "\"exit=initialized\"", .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "an end at tools/list", .words = "\"exit=list\"", .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "an end at every call", .words = "\"exit=call\"", .calls = {{"echo", FAILURE}, {"echo", FAILURE}}},
    {.name = "an end in one call, with others open", .words = "", .is_burst = true,
     .calls = {{"hang", FAILURE}, {"hang", FAILURE}, {"die", FAILURE}}},
    {.name = "an end, and the next call starts it again", .words = "", .settings = "\"restartMinMs\":1",
     .calls = {{"die", FAILURE}, {"echo", RESULT}}},
    {.name = "an end in call after call: it is given a rest", .words = "", .settings = "\"restartMinMs\":1",
     .calls = {{"die", FAILURE}, {"echo", RESULT}, {"die", FAILURE}, {"echo", EITHER}, {"die", FAILURE}, {"echo", EITHER}}},
    {.name = "an end of a modern server, and the next call starts it again", .words = "\"modern\"",
     .settings = "\"restartMinMs\":1", .calls = {{"die", FAILURE}, {"echo", RESULT}}},
    {.name = "a grandchild that holds the pipes", .words = "\"holder\"", .calls = {{"echo", RESULT}}},
    {.name = "a grandchild that holds the pipes of a server that ended", .words = "\"holder\"",
     .settings = "\"restartMinMs\":1," QUICK_CALLS, .calls = {{"die", FAILURE}, {"echo", RESULT}}},
    {.name = "a grandchild that holds the pipes from a session of its own", .words = "\"escape\"", .is_leaving = true,
     .calls = {{"echo", RESULT}}},
    {.name = "a server that stops itself in a call", .words = "", .settings = QUICK_CALLS, .is_burst = true,
     .calls = {{"echo", RESULT}, {"stop", FAILURE}, {"echo", FAILURE}}},
    {.name = "a server that goes on when told to end", .words = "\"deaf\"", .calls = {{"echo", RESULT}}},
    {.name = "a server with many tools", .words = "\"tools=5000\"", .settings = SLOW_LIST, .calls = {{"tool_4999", RESULT}}},
};
// clang-format on

typedef struct play {
    serving           server;
    const fault_case *it;
    size_t            count;              // of calls
    unsigned          answers[CALLS_MAX]; // to each
    bool              is_good[CALLS_MAX]; // each was answered with a result
} play;

static void fail_case(const play *self, size_t number, const char *what)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s: call %zu (%s) %s", self->it->name, number + 1,
                   self->it->calls[number].tool, what);
    serving_fail(&self->server, text);
}

static void configure(play *self, const char *fault)
{
    static char text[4096];
    const char *settings = self->it->settings != NULL ? self->it->settings : "";
    (void)snprintf(text, sizeof text,
                   "{\"toolSearch\":{\"enabled\":\"on\"},\"gateway\":{%s},"
                   "\"mcpServers\":{\"s\":{\"command\":\"%s\",\"args\":[%s]}}}",
                   settings, fault, self->it->words);
    serving_configure(&self->server, text);
}

static void send_call(play *self, size_t number)
{
    const int id = (int)number + 10;
    serving_send(&self->server,
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":"
                 "{\"name\":\"s__%s\",\"arguments\":{\"text\":\"call %zu\"}}}",
                 id, self->it->calls[number].tool, number);
    if (self->it->calls[number].expected == CANCELLED) {
        serving_send(&self->server,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                     "{\"requestId\":%d}}",
                     id);
    }
}

// Notes which call a message answers, if any.
static void take_message(play *self, deft__json_value message)
{
    int64_t id;
    if (deft__json_is(deft__json_member(message, "method"), DEFT__JSON_STRING) ||
        deft__json_int64(deft__json_member(message, "id"), &id) != DEFT_OK || id < 10 ||
        id >= 10 + (int64_t)self->count) {
        return;
    }
    const size_t           number = (size_t)id - 10;
    const deft__json_value result = deft__json_member(message, "result");
    self->answers[number]++;
    self->is_good[number] = deft__json_is(result, DEFT__JSON_OBJECT) &&
                            !deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE);
    if (getenv("FAULTS_VERBOSE") != NULL) { // NOLINT(concurrency-mt-unsafe)
        (void)printf("    %s: %.*s\n", self->it->calls[number].tool,
                     (int)(self->server.line.size < 300 ? self->server.line.size : 300),
                     self->server.line.data);
    }
}

static void wait_for_answer(play *self, size_t number)
{
    deft__json_value message;
    while (self->answers[number] == 0) {
        if (!serving_next(&self->server, &message)) {
            fail_case(self, number, "was not answered before the end");
        }
        take_message(self, message);
    }
}

static void play_calls(play *self)
{
    for (size_t i = 0; i < self->count; i++) {
        send_call(self, i);
        if (!self->it->is_burst) {
            wait_for_answer(self, i);
        }
    }
    for (size_t i = 0; i < self->count; i++) {
        if (self->it->calls[i].expected != CANCELLED) {
            wait_for_answer(self, i);
        }
    }
}

static void judge(const play *self)
{
    for (size_t i = 0; i < self->count; i++) {
        const outcome expected = self->it->calls[i].expected;
        if (expected == CANCELLED && self->answers[i] > 1) {
            fail_case(self, i, "was answered more than once");
        } else if (expected != CANCELLED && self->answers[i] != 1) {
            fail_case(self, i, "was answered more than once");
        } else if (expected == RESULT && !self->is_good[i]) {
            fail_case(self, i, "failed, and should not have");
        } else if (expected == FAILURE && self->is_good[i]) {
            fail_case(self, i, "gave a result, and should not have");
        }
    }
}

static void play_case(const fault_case *it, const char *deft, const char *fault)
{
    play             self = {.it = it};
    deft__json_value message;
    while (self.count < CALLS_MAX && it->calls[self.count].expected != NOTHING) {
        self.count++;
    }
    serving_init(&self.server);
    configure(&self, fault);
    serving_start_deft(&self.server, deft);
    serving_shake_hands(&self.server);
    play_calls(&self);
    serving_expect_no_zombies(&self.server);
    // A second answer would come before its output ends.
    serving_close(&self.server);
    while (serving_next(&self.server, &message)) {
        take_message(&self, message);
    }
    judge(&self);
    serving_finish(&self.server);
    const size_t orphans = serving_end_orphans();
    if (orphans > 0 && !it->is_leaving) {
        (void)printf("FAIL %s: %zu processes were left behind\n", it->name, orphans);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fprintf(stderr, "usage: faults DEFT FAULT [NAME]\n");
        return 2;
    }
    serving_adopt();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc == 3 || strstr(cases[i].name, argv[3]) != NULL) {
            (void)printf("  %s\n", cases[i].name);
            (void)fflush(stdout);
            play_case(&cases[i], argv[1], argv[2]);
        }
    }
    return 0;
}
