// What models do wrong without doubt or harm is set right, at the top of the arguments only.
#include "deft/schema.h"

#include "support/allocator.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *property; // the schema of `a`
    const char *arguments;
    const char *repaired; // NULL: as it was
} cases[] = {
    {"a number as a text", "{\"type\":\"number\"}", "{\"a\":\"5.5\"}", "{\"a\":5.5}"},
    {"a whole number as a text", "{\"type\":\"integer\"}", "{\"a\":\" 5 \"}", "{\"a\":5}"},
    {"a fraction is no whole number", "{\"type\":\"integer\"}", "{\"a\":\"5.5\"}", NULL},
    {"a boolean as a text", "{\"type\":\"boolean\"}", "{\"a\":\"true\"}", "{\"a\":true}"},
    {"a boolean as Python writes it", "{\"type\":\"boolean\"}", "{\"a\":\"False\"}",
     "{\"a\":false}"},
    {"a word is none", "{\"type\":\"boolean\"}", "{\"a\":\"yes\"}", NULL},
    {"an array as a text", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
     "{\"a\":\"[\\\"x\\\"]\"}", "{\"a\":[\"x\"]}"},
    {"an array that would not fit either", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
     "{\"a\":\"[1]\"}", NULL},
    {"an object as a text", "{\"type\":\"object\"}", "{\"a\":\"{\\\"b\\\":1}\"}",
     "{\"a\":{\"b\":1}}"},
    {"a text where texts are accepted", "{\"type\":\"string\"}", "{\"a\":\"5\"}", NULL},
    {"a text where either is accepted", "{\"type\":[\"string\",\"number\"]}", "{\"a\":\"5\"}",
     NULL},
    {"a number where a text is accepted", "{\"type\":\"string\"}", "{\"a\":5}", NULL},
    {"a number beyond its limit", "{\"type\":\"number\",\"maximum\":3}", "{\"a\":\"5\"}", NULL},
    {"a number among choices", "{\"enum\":[1,2]}", "{\"a\":\"2\"}", "{\"a\":2}"},
    {"a reference is followed", "{\"$ref\":\"#/$defs/n\"}", "{\"a\":\"5\"}", "{\"a\":5}"},
    {"null for what may be left out", "{\"type\":\"string\"}", "{\"b\":1,\"a\":null,\"c\":2}",
     "{\"b\":1,\"c\":2}"},
    {"null for what may be null", "{\"type\":[\"string\",\"null\"]}", "{\"a\":null}", NULL},
    {"null for what is required", "{\"type\":\"string\"}", "{\"needed\":null,\"a\":\"x\"}", NULL},
    {"a text that holds null", "{\"type\":\"number\"}", "{\"a\":\"null\"}", NULL},
    {"a text that holds a text", "{\"type\":\"number\"}", "{\"a\":\"\\\"5\\\"\"}", NULL},
    {"what is not known here", "{\"type\":\"number\"}", "{\"other\":\"5\"}", NULL},
    {"what is further in", "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"number\"}}}",
     "{\"a\":{\"b\":\"5\"}}", NULL},
    {"other members keep their bytes", "{\"type\":\"number\"}",
     "{\"z\" : 1.50 , \"\\u0061\":\"5\", \"y\":{ } }", "{\"z\":1.50,\"\\u0061\":5,\"y\":{ }}"},
    {"no object", "{\"type\":\"number\"}", "[\"5\"]", NULL},
    {"nothing", "{\"type\":\"number\"}", "{}", NULL},
};

static void write_schema(char schema[400], const char *property)
{
    (void)snprintf(schema, 400,
                   "{\"properties\":{\"a\":%s,\"needed\":{\"type\":\"string\"}},\"required\":"
                   "[\"needed\"],\"$defs\":{\"n\":{\"type\":\"number\"}}}",
                   property);
}

static void what_is_wrong_is_set_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        char        schema[400];
        size_t      count = 99;
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        deft_buffer names;
        deft_buffer_init(&out, NULL);
        deft_buffer_init(&names, NULL);
        case_name(cases[i].name);
        write_schema(schema, cases[i].property);
        assert_ok(deft_schema_repair(deft_view_of(schema), deft_view_of(cases[i].arguments), &out,
                                     &names, &count, &error),
                  error);
        assert_int_equal(count, cases[i].repaired != NULL ? 1 : 0);
        assert_view_equal(deft_buffer_view(&out),
                          cases[i].repaired != NULL ? cases[i].repaired : "");
        assert_int_equal(names.size > 0, cases[i].repaired != NULL);
        deft_buffer_clear(&out);
        deft_buffer_clear(&names);
    }
}

static void what_was_changed_is_named(void **state)
{
    (void)state;
    size_t      count = 0;
    deft_buffer out;
    deft_buffer names;
    deft_buffer_init(&out, NULL);
    deft_buffer_init(&names, NULL);
    assert_int_equal(
        deft_schema_repair(deft_view_of("{\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{"
                                        "\"type\":\"boolean\"}}}"),
                           deft_view_of("{\"a\":\"1\",\"c\":\"2\",\"b\":\"true\"}"), &out, &names,
                           &count, NULL),
        DEFT_OK);
    assert_int_equal(count, 2);
    assert_view_equal(deft_buffer_view(&names), "'a', 'b'");
    assert_view_equal(deft_buffer_view(&out), "{\"a\":1,\"c\":\"2\",\"b\":true}");
    deft_buffer_clear(&out);
    deft_buffer_clear(&names);
}

static void what_is_no_json(void **state)
{
    (void)state;
    size_t      count = 0;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer out;
    deft_buffer names;
    deft_buffer_init(&out, NULL);
    deft_buffer_init(&names, NULL);
    assert_int_equal(
        deft_schema_repair(deft_view_of("{}"), deft_view_of("{"), &out, &names, &count, &error),
        DEFT_INVALID);
    assert_int_equal(deft_schema_repair(deft_view_of("{"), deft_view_of("{\"a\":\"5\"}"), &out,
                                        &names, &count, &error),
                     DEFT_OK);
    assert_int_equal(out.size, 0);
    deft_buffer_clear(&out);
    deft_buffer_clear(&names);
}

static bool repair_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    char        schema[400];
    size_t      count = 7;
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer out;
    deft_buffer names;
    deft_buffer_init(&out, allocator);
    deft_buffer_init(&names, allocator);
    write_schema(schema, "{\"type\":\"array\"}");
    const deft_status status = deft_schema_repair(
        deft_view_of(schema), deft_view_of("{\"\\u0061\":\"\\u005b1]\",\"needed\":null}"), &out,
        &names, &count, &error);
    if (status == DEFT_OK) {
        assert_view_equal(deft_buffer_view(&out), "{\"\\u0061\":[1],\"needed\":null}");
    } else {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        assert_int_equal(count, 7);
        assert_int_equal(out.size + names.size, 0);
    }
    deft_buffer_clear(&out);
    deft_buffer_clear(&names);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(repair_with, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_set_right),
        cmocka_unit_test(what_was_changed_is_named),
        cmocka_unit_test(what_is_no_json),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
