// The version that runs is the one that was compiled against, in both ways of writing it.
#include "deft/version.h"

#include "support/test.h"

static void header_and_library_agree(void **state)
{
    (void)state;
    char numbers[40];
    (void)snprintf(numbers, sizeof numbers, "%d.%d.%d", DEFT_VERSION_MAJOR, DEFT_VERSION_MINOR,
                   DEFT_VERSION_PATCH);
    assert_string_equal(deft_version(), DEFT_VERSION_STRING);
    assert_string_equal(deft_version(), numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_library_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
