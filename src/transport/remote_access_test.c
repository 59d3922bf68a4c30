// Proves A2. Tokens are shown and renewed, and redirects do not carry them away.
#include "transport/remote.h"

#include "support/remote_play.h"

// Messages here are put together of parts, on purpose.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)

// --- Tokens. --------------------------------------------------------------------------------------

#define REFUSES(token)                                                                             \
    {                                                                                              \
        "POST /mcp", "Authorization: Bearer " token,                                               \
            "401 none\nWWW-Authenticate: Bearer realm=x\n\n", false                                \
    }
#define TAKES(token)                                                                               \
    {                                                                                              \
        "POST /mcp", "Authorization: Bearer " token, "200 json\n\n" DONE, false                    \
    }
#define TOKENS (const char *const[])

static const test_conversation token_cases[] = {
    {.name    = "a token goes along with everything",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{GREETS, NO_STREAM, TAKES("t1"), END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "heard 3 POST /mcp|Authorization: Bearer t1",
                    "heard 1 GET /mcp|Authorization: Bearer t1", NULL}},
    {.name    = "none is none",
     .tokens  = TOKENS{"", NULL},
     .answers = ANSWERS{{"POST /mcp", NULL, "200 json\n\n" DONE, false}, END},
     .steps   = STEPS{CALL, "< " DONE, "heard 0 POST /mcp|Authorization", NULL}},
    {.name    = "one that is refused is replaced, and the call is sent again",
     .tokens  = TOKENS{"t1", "t2", NULL},
     .answers = ANSWERS{REFUSES("t1"), TAKES("t2"), END},
     .steps   = STEPS{CALL, "refused 401 of 0: Bearer realm=x", "renewed", "< " DONE,
                    "heard 2 POST /mcp|'a'", NULL}},
    {.name    = "but only once",
     .tokens  = TOKENS{"t1", "t2", "t3", NULL},
     .answers = ANSWERS{REFUSES("t1"), REFUSES("t2"), END},
     .steps =
         STEPS{CALL, "refused 401 of 0: Bearer realm=x", "renewed",
               "refused 401 of 1 for good: Bearer realm=x",
               "login: wants a login (HTTP 401): run 'deft login github'|Bearer realm=x", NULL}},
    {.name    = "there is no other",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{REFUSES("t1"), END},
     .steps =
         STEPS{CALL, "refused 401 of 0: Bearer realm=x",
               "login: wants a login (HTTP 401): run 'deft login github'|Bearer realm=x", NULL}},
    {.name          = "one that is late is waited for",
     .tokens        = TOKENS{"t1", NULL},
     .is_token_late = true,
     .answers       = ANSWERS{TAKES("t1"), END},
     .steps         = STEPS{CALL, "heard 0 POST /mcp|", "renewed", "< " DONE, NULL}},
    {.name          = "a call that waits for one can be taken back",
     .tokens        = TOKENS{"t1", NULL},
     .is_token_late = true,
     .answers       = ANSWERS{END},
     .steps         = STEPS{CALL_MODERN, CANCEL, "renewed", "heard 0 POST /mcp|", "stop",
                    "closed: was stopped", NULL}},
    {.name   = "a call that lacks rights fails alone, in the words of whoever sees to tokens",
     .tokens = TOKENS{"t1", NULL},
     .answers =
         ANSWERS{{"POST /mcp", "'a'",
                  "403 none\nWWW-Authenticate: Bearer error=insufficient_scope\n\n", false},
                 {"POST /mcp", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "refused 403 of 0: Bearer error=insufficient_scope",
                    "unanswered 3: wants more", CALL_AGAIN,
                    "< {'jsonrpc':'2.0','id':4,'result':{}}", NULL}},
    {.name   = "a stream that was open is asked for again with another token",
     .tokens = TOKENS{"t1", "t2", NULL},
     .answers =
         ANSWERS{GREETS,
                 {"GET /mcp", "Authorization: Bearer t2", "200 sse open\n\n", false},
                 {"GET /mcp", "Bearer t1", "200 sse\n\nretry: 1\n\nid: e7\ndata: " CHANGED "\n\n",
                  false},
                 {"GET /mcp", "Bearer t1", "401 none\nWWW-Authenticate: Bearer realm=x\n\n", false},
                 END},
     .steps =
         STEPS{GREETED, "< " CHANGED, "refused 401 of 0: Bearer realm=x", "renewed",
               "open GET /mcp", "heard 1 GET /mcp|Bearer t2", "push GET /mcp|data: " CHANGED "\n\n",
               "< " CHANGED, "heard 2 GET /mcp|Last-Event-ID: e7", NULL}},
    {.name    = "or no more, where there is none, and calls go on",
     .tokens  = TOKENS{"t1", NULL},
     .answers = ANSWERS{GREETS,
                        {"GET /mcp", NULL, "200 sse\n\nretry: 1\n\n", false},
                        {"GET /mcp", NULL, "401 none\n\n", false},
                        TAKES("t1"),
                        END},
     .steps   = STEPS{GREETED, "refused 401 of 0: ", CALL, "< " DONE, "heard 2 GET /mcp|", NULL}},
    {.name    = "a stream that was never open is worth no other token",
     .tokens  = TOKENS{"t1", "t2", NULL},
     .answers = ANSWERS{GREETS, {"GET /mcp", NULL, "401 none\n\n", false}, TAKES("t1"), END},
     .steps   = STEPS{GREETED, CALL, "< " DONE, "heard 1 GET /mcp|", NULL}},
    {.name    = "an error that repeats the token is not shown",
     .tokens  = TOKENS{"t0ken-of-ours", NULL},
     .answers = ANSWERS{{"POST /mcp", NULL, "500 text\n\nbad t0ken-of-ours", false}, END},
     .steps   = STEPS{CALL, "unanswered 3: answered with HTTP 500", NULL}},
};

static void tokens_are_shown_and_renewed(void **state)
{
    (void)state;
    test_play_all(token_cases, array_size(token_cases));
}

// --- Redirects. -----------------------------------------------------------------------------------

static const test_conversation redirects[] = {
    {.name = "within the server: the same request goes there, and the next ones directly",
     .answers =
         ANSWERS{{"POST /mcp ", NULL, "308 none\nLocation: /mcp/\n\n", false},
                 {"POST /mcp/", "'a'", "200 json\n\n" DONE, false},
                 {"POST /mcp/", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "< " DONE, CALL_AGAIN, "< {'jsonrpc':'2.0','id':4,'result':{}}",
                    "heard 1 POST /mcp |", "heard 2 POST /mcp/|X-Key: " TOKEN, NULL}},
    {.name = "for this time only",
     .answers =
         ANSWERS{{"POST /mcp ", NULL, "307 none\nLocation: /other\n\n", true},
                 {"POST /other", "'a'", "200 json\n\n" DONE, false},
                 {"POST /other", "'b'", "200 json\n\n{'jsonrpc':'2.0','id':4,'result':{}}", false},
                 END},
     .steps = STEPS{CALL, "< " DONE, CALL_AGAIN, "< {'jsonrpc':'2.0','id':4,'result':{}}",
                    "heard 2 POST /mcp |", NULL}},
    {.name    = "in circles",
     .answers = ANSWERS{{"POST /mcp", NULL, "307 none\nLocation: /mcp\n\n", true}, END},
     .steps   = STEPS{CALL, "unanswered 3: redirects in circles", "heard 6 POST /mcp|", NULL}},
    {.name = "elsewhere, where our key must not go",
     .answers =
         ANSWERS{{"POST /mcp", NULL, "307 none\nLocation: http://127.0.0.2:9/mcp\n\n", true}, END},
     .steps =
         STEPS{CALL, "unanswered 3: redirects to http://127.0.0.2:9: set its url to where it is",
               DISCOVER, "closed: redirects to http://127.0.0.2:9: set its url to where it is",
               NULL}},
    {.name = "to something else than HTTP",
     .answers =
         ANSWERS{{"POST /mcp", NULL, "302 none\nLocation: file:///etc/passwd\n\n", true}, END},
     .steps = STEPS{CALL,
                    "unanswered 3: redirects to an address that cannot be read: set its url to "
                    "where it is",
                    NULL}},
    {.name    = "303 says that the answer is elsewhere, which it is not",
     .answers = ANSWERS{{"POST /mcp", NULL, "303 none\nLocation: /mcp\n\n", true}, END},
     .steps   = STEPS{CALL, "unanswered 3: answered with HTTP 303", NULL}},
    {.name    = "of a stream",
     .answers = ANSWERS{GREETS,
                        {"GET /mcp ", NULL, "307 none\nLocation: /mcp/stream\n\n", false},
                        {"GET /mcp/stream", NULL, "200 sse open\n\ndata: " CHANGED "\n\n", false},
                        END},
     .steps   = STEPS{INITIALIZE, "< " AGREED, INITIALIZED, "< " CHANGED, NULL}},
    {.name      = "of the one stream there is, elsewhere",
     .transport = DEFT_TRANSPORT_SSE,
     .answers =
         ANSWERS{{"GET /mcp", NULL, "307 none\nLocation: https://example.com/sse\n\n", false}, END},
     .steps = STEPS{"closed: redirects to https://example.com: set its url to where it is", NULL}},
};

static void redirects_stay_at_home(void **state)
{
    (void)state;
    test_play_all(redirects, array_size(redirects));
}

// NOLINTEND(bugprone-suspicious-missing-comma)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_shown_and_renewed),
        cmocka_unit_test(redirects_stay_at_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
