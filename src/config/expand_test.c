// Variables inside the values of a server. Proves a part of E1.
#include "deft/config.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static deft_view look_up(void *context, deft_view name)
{
    static const struct {
        const char *name;
        const char *value;
    } variables[] = {
        {"HOME", "/home/ada"},     {"EMPTY", ""},         {"TOKEN", "s3cret"},
        {"input:key", "answered"}, {"NESTED", "${HOME}"}, {"workspaceFolder", "/w"},
    };
    (void)context;
    for (size_t i = 0; i < array_size(variables); i++) {
        if (deft_view_equals(name, variables[i].name)) {
            return deft_view_of(variables[i].value);
        }
    }
    return deft_view_make(NULL, 0);
}

static const struct {
    const char *name;
    const char *text;
    const char *result; // NULL: it fails
    deft_status status;
    const char *message;
} cases[] = {
    {"plain text stays", "plain", "plain", DEFT_OK, ""},
    {"nothing stays nothing", "", "", DEFT_OK, ""},
    {"a variable", "${HOME}/bin", "/home/ada/bin", DEFT_OK, ""},
    {"two variables", "${HOME}:${TOKEN}", "/home/ada:s3cret", DEFT_OK, ""},
    {"an empty variable is set", "[${EMPTY:-x}]", "[]", DEFT_OK, ""},
    {"a default is not needed", "${HOME:-/tmp}", "/home/ada", DEFT_OK, ""},
    {"a default", "${NOPE:-fallback}", "fallback", DEFT_OK, ""},
    {"an empty default", "[${NOPE:-}]", "[]", DEFT_OK, ""},
    {"a default with a colon", "${NOPE:-http://x:1}", "http://x:1", DEFT_OK, ""},
    {"a default with :- inside", "${NOPE:-a:-b}", "a:-b", DEFT_OK, ""},
    {"VS Code's word for a variable", "${env:HOME}", "/home/ada", DEFT_OK, ""},
    {"VS Code's word with a default", "${env:NOPE:-x}", "x", DEFT_OK, ""},
    {"an input is asked for under its whole name", "${input:key}", "answered", DEFT_OK, ""},
    {"any other name is asked for as it is", "${workspaceFolder}/x", "/w/x", DEFT_OK, ""},
    {"what a variable holds is not looked at again", "${NESTED}", "${HOME}", DEFT_OK, ""},
    {"a dollar alone", "$5 $HOME $", "$5 $HOME $", DEFT_OK, ""},
    {"a brace alone", "{HOME}", "{HOME}", DEFT_OK, ""},
    {"two dollars", "$${HOME}", "$/home/ada", DEFT_OK, ""},
    {"an unset variable", "x ${NOPE}", NULL, DEFT_NOT_FOUND,
     "the variable NOPE is not set; set it, or write ${NOPE:-default}"},
    {"an unset input", "${input:nope}", NULL, DEFT_NOT_FOUND,
     "the variable input:nope is not set; set it, or write ${input:nope:-default}"},
    {"no name", "a${}", NULL, DEFT_INVALID, "${ without the name of a variable"},
    {"no name but a default", "${:-x}", NULL, DEFT_INVALID, "${ without the name of a variable"},
    {"no name behind env:", "${env:}", NULL, DEFT_INVALID, "${ without the name of a variable"},
    {"no end", "a ${HOME", NULL, DEFT_INVALID, "${ without its }"},
    {"no end at the end", "a ${", NULL, DEFT_INVALID, "${ without its }"},
};

static void variables_are_replaced(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        test_guard      guard;
        const deft_view text  = test_guard_copy(&guard, deft_view_of(cases[i].text));
        deft_error      error = DEFT_ERROR_INIT;
        deft_buffer     out;
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "before ");
        case_name(cases[i].name);
        assert_int_equal(deft_config_expand(text, look_up, NULL, &out, &error), cases[i].status);
        assert_string_equal(error.message, cases[i].message);
        assert_view_equal(deft_view_slice(deft_buffer_view(&out), 7, out.size),
                          cases[i].result != NULL ? cases[i].result : "");
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

static bool expand_with(const deft_allocator *allocator, void *context)
{
    deft_buffer out;
    (void)context;
    deft_buffer_init(&out, allocator);
    const deft_status status = deft_config_expand(
        deft_view_of("a long enough text to need memory ${HOME} ${TOKEN} ${HOME} ${NOPE:-and a "
                     "default which is not short either}"),
        look_up, NULL, &out, NULL);
    assert_true(status == DEFT_OK || (status == DEFT_OUT_OF_MEMORY && out.size == 0));
    deft_buffer_clear(&out);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(expand_with, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_replaced),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
