// web_server.h - a web server that says what a test wants it to say, however wrong, on the loop of the
// test itself: nothing here waits, and nothing is left to chance but the order of connections.
//
// What it answers is a table. A request gets the first answer whose `request` its first line starts
// with and whose `holds` is somewhere in it. Each is given once, unless it is `always`. In answers and
// in `holds` ' stands for ".
//
//     200 json                       status, and: json, sse, text, html or none
//     Mcp-Session-Id: s1             headers
//                                    an empty line, and the body
//     {'jsonrpc':'2.0',...}
//
// After the kind may stand: `open`, the body is not finished and more can be pushed; `cut`, half of it is
// missing and the connection closed; `reset`, likewise, rudely; `split`, one byte at a time. `raw` alone
// means that what follows is sent as it is and the connection closed; `silence` that nothing is.
#ifndef DEFT_TESTS_WEB_SERVER_H
#define DEFT_TESTS_WEB_SERVER_H

#include "deft/buffer.h"
#include "io/loop.h"

typedef struct test_web_server test_web_server;

typedef struct test_web_answer {
    const char *request; // "POST /mcp"
    const char *holds;   // NULL: anything
    const char *answer;
    bool        is_always;
} test_web_answer;

// ANSWERS{{"POST /mcp", NULL, "200 none\n\n", false}, END}
#define ANSWERS (const test_web_answer[])
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, NULL, false                                                                    \
    }

// Listens on a free port of 127.0.0.1. `answers` end with one whose request is NULL, and must outlive
// the server; a request that none fits fails the test.
test_web_server *test_web_server_new(deft__loop *loop, const test_web_answer *answers);
void             test_web_server_free(test_web_server *server);
int              test_web_server_port(const test_web_server *server);

// Nobody is let in any more, and who is in is thrown out.
void test_web_server_close(test_web_server *server);

// Sends more on the newest open connection whose request starts so. False: there is none.
bool test_web_server_push(test_web_server *server, const char *request, const char *bytes);
bool test_web_server_hang_up(test_web_server *server, const char *request);

// How many requests came that start with one and hold the other, names of headers as they were sent.
size_t test_web_server_count(const test_web_server *server, const char *request, const char *holds);
// Everything that was heard.
deft_view test_web_server_heard(const test_web_server *server);

#endif
