// What a service manager says of the socket that it hands over.
#include "io/handover.h"

#include "support/test.h"

#include <string.h>

static void the_variables_mean_one_socket_or_say_why_not(void **state)
{
    static const struct {
        const char *name;
        const char *listen_pid;
        const char *listen_fds;
        deft_status status;
        const char *message; // a part of it
    } cases[] = {
        {"one for us", "42", "1", DEFT_OK, ""},
        {"no manager", NULL, NULL, DEFT_NOT_FOUND, ""},
        {"a manager without sockets", "42", "0", DEFT_NOT_FOUND, ""},
        {"for whom another has started us", "41", "1", DEFT_CONFLICT,
         "for process 41, and this is 42"},
        {"nobody's", NULL, "1", DEFT_INVALID, "LISTEN_PID is not set"},
        {"nothing for us", "42", NULL, DEFT_INVALID, "LISTEN_FDS is not set"},
        {"no number", "42", "one", DEFT_INVALID, "LISTEN_FDS is 'one'"},
        {"an empty one", "", "1", DEFT_INVALID, "LISTEN_PID is ''"},
        {"a sign", "-42", "1", DEFT_INVALID, "LISTEN_PID is '-42'"},
        {"a blank behind it", "42 ", "1", DEFT_INVALID, "LISTEN_PID is '42 '"},
        {"a number beyond all", "42", "99999999999999999999", DEFT_INVALID, "LISTEN_FDS is"},
        {"more than one", "42", "2", DEFT_INVALID, "hands over 2 sockets"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        deft_error        error      = DEFT_ERROR_INIT;
        int               descriptor = -1;
        const deft_status status =
            deft__handover_read(cases[i].listen_pid, cases[i].listen_fds, 42, &descriptor, &error);
        if (status != cases[i].status || strstr(error.message, cases[i].message) == NULL ||
            descriptor != (status == DEFT_OK ? 3 : -1)) {
            fail_msg("%s: %d, descriptor %d, '%s'", cases[i].name, (int)status, descriptor,
                     error.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variables_mean_one_socket_or_say_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
