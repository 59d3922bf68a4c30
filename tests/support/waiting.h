// waiting.h - runs a loop in a test until its callbacks stop it; a test that waits in vain fails.
#ifndef DEFT_TESTS_WAITING_H
#define DEFT_TESTS_WAITING_H

#include "io/loop.h"
#include "support/test.h"

// Far more than anything here takes: it is only reached when something is wrong.
#define TEST_PATIENCE_MS 60000

static inline void test_out_of_patience(void *context)
{
    (void)context;
    fail_msg("%s", "what the test waits for has not happened");
}

static inline deft__loop *test_loop_new(void)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft__loop *loop  = deft__loop_new(NULL, &error);
    if (loop == NULL) {
        fail_msg("%s", error.message);
    }
    return loop;
}

static inline void test_loop_run(deft__loop *loop)
{
    deft__alarm *alarm = deft__alarm_new(loop, test_out_of_patience, NULL);
    deft__alarm_set(alarm, TEST_PATIENCE_MS);
    deft__loop_run(loop);
    deft__alarm_free(alarm);
}

#endif
