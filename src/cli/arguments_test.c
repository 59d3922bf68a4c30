// The arguments of a call, as people type them.
#include "cli/arguments.h"

#include "support/test.h"

#include <string.h>

#define WORDS_MAX 4

static const struct {
    const char *name;
    const char *words[WORDS_MAX]; // NULL behind the last
    const char *json;             // NULL: refused
    const char *message;          // a part of it
} cases[] = {
    {"nothing", {NULL}, "{}", NULL},
    {"an object", {"{\"a\": [1, 2]}"}, "{\"a\": [1, 2]}", NULL},
    {"an object behind blanks", {" \n{}"}, "{}", NULL},
    {"a text", {"city=Oslo"}, "{\"city\":\"Oslo\"}", NULL},
    {"a text with blanks and quotes", {"q=say \"hi\""}, "{\"q\":\"say \\\"hi\\\"\"}", NULL},
    {"an empty text", {"q="}, "{\"q\":\"\"}", NULL},
    {"numbers and words of JSON",
     {"a=1", "b=-0.5e3", "c=true", "d=null"},
     "{\"a\":1,\"b\":-0.5e3,\"c\":true,\"d\":null}",
     NULL},
    {"lists and objects",
     {"a=[1,\"x\"]", "b={\"c\":1}"},
     "{\"a\":[1,\"x\"],\"b\":{\"c\":1}}",
     NULL},
    {"what is nearly a number is a text", {"a=01", "b=1 2"}, "{\"a\":\"01\",\"b\":\"1 2\"}", NULL},
    {"what must be a text", {"zip:=0150", "n:=7"}, "{\"zip\":\"0150\",\"n\":\"7\"}", NULL},
    {"the first = counts", {"expression=a=b"}, "{\"expression\":\"a=b\"}", NULL},
    {"a large number stays as it is",
     {"id=18446744073709551616"},
     "{\"id\":18446744073709551616}",
     NULL},
    {"a word alone", {"Oslo"}, NULL, "'Oslo' is no argument"},
    {"no name", {"=Oslo"}, NULL, "'=Oslo' is no argument"},
    {"no name but a colon", {":=Oslo"}, NULL, "':=Oslo' is no argument"},
    {"a name twice", {"a=1", "b=2", "a=3"}, NULL, "'a' is there twice"},
    {"broken JSON", {"{\"a\": }"}, NULL, "not JSON"},
    {"a list", {"[1]"}, NULL, "an array; a tool takes an object"},
    {"a string", {"\"a\""}, NULL, "a string; a tool takes an object"},
    {"an object and more", {"{}", "a=1"}, NULL, "'{}' is no argument"},
};

static void words_become_an_object(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        size_t      count = 0;
        while (count < WORDS_MAX && cases[i].words[count] != NULL) {
            count++;
        }
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "before");
        const deft_status status = deft__arguments_write(cases[i].words, count, &out, &error);
        if (cases[i].json != NULL) {
            assert_ok(status, error);
            assert_view_equal(deft_view_slice(deft_buffer_view(&out), 6, out.size), cases[i].json);
        } else {
            assert_int_not_equal(status, DEFT_OK);
            assert_non_null(strstr(error.message, cases[i].message));
            assert_view_equal(deft_buffer_view(&out), "before");
        }
        deft_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
