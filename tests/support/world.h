// world.h - a gateway that serves: a folder, a configuration, a store, servers of ours (tests/serve) and an
// agent on a thread of its own.
#ifndef DEFT_TESTS_WORLD_H
#define DEFT_TESTS_WORLD_H

#include "serve/serve.h"
#include "support/folder.h"
#include "support/test.h"

struct test_agent;

typedef struct test_world {
    test_folder         folder;
    deft_config        *config;
    deft__store        *store;
    deft__serve_options options;
    char                notes[1000];
    char                progress[1000];
    void (*crowd)(struct test_agent *agent); // what "!CROWD" does
} test_world;

// `settings` are members of toolSearch; `servers` are names, each a server of ours, or members as they
// are from a { on.
void  test_world_init(test_world *all, const char *settings, const char *const *servers);
void  test_world_configure(test_world *all, const char *settings, const char *const *servers);
void  test_world_clear(test_world *all);
off_t test_world_starts(
    test_world *all); // bytes of the names of servers, written as each started; or -1

extern const char *const test_two_servers[]; // alpha and beta
extern const char *const test_one_server[];  // alpha

// --- The agent. -----------------------------------------------------------------------------------

typedef struct test_step {
    const char *says; // a line; NULL: nothing. "!TERM" sends the process a signal, "!EOF" hangs up,
                      // "?METHOD PARAMS" asks through the control socket
    const char *hears; // the next answer has this; NULL: none is waited for; "" any
} test_step;

typedef struct test_agent {
    const test_step *steps;
    int              to[2];   // what it writes
    int              from[2]; // what it reads
    test_world      *world;
    char             wrong[4000]; // what it expected and did not hear
    FILE            *input;
} test_agent;

// Serves an agent that goes through `steps`, and expects a clean end.
void test_world_serve(test_world *all, const test_step *steps);
// The path of the control socket of whoever serves it.
void test_agent_find_socket(const test_agent *one, char path[200]);
// The agent expected something else; the first time counts.
void test_agent_note(test_agent *one, const char *wanted, const char *got);

#define HELLO                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"tester\",\"version\":\"1\"}}}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define CALL(tool, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"" tool         \
    "\",\"arguments\":" arguments "}}"

#endif
