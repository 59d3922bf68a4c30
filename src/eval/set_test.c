// Judged sets out of lines of JSON, and what is said of lines that are none.
#include "eval/set.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

static const char tools_text[] = "{\"id\":\"a\",\"name\":\"x\"}\n"
                                 "\n"
                                 "  {\"id\":\"b\"}\r\n"
                                 "{\"id\":\"caf\\u00e9\"}";

static void read_tools(deft__eval_tools *tools)
{
    deft_error error = DEFT_ERROR_INIT;
    deft__eval_tools_init(tools, NULL);
    assert_ok(deft__eval_tools_read(tools, deft_view_of(tools_text), "tools", &error), error);
}

static void tools_are_numbered_in_order(void **state)
{
    (void)state;
    deft__eval_tools tools;
    uint32_t         number = 9;
    read_tools(&tools);
    assert_int_equal(tools.count, 3);
    assert_view_equal(tools.ids[1], "b");
    assert_true(deft__eval_tools_find(&tools, deft_view_of("caf\xc3\xa9"), &number));
    assert_int_equal(number, 2);
    assert_false(deft__eval_tools_find(&tools, deft_view_of("d"), &number));
    deft__eval_tools_clear(&tools);
    assert_int_equal(tools.count, 0);
}

static const struct {
    const char *name;
    const char *text;
    deft_status status;
    const char *message;
} bad_tools[] = {
    {"not JSON", "{\"id\":\"a\"}\n{\"id\":", DEFT_INVALID, "tools line 2: "},
    {"not an object", "[]", DEFT_INVALID, "tools line 1: is an array; each line is one object"},
    {"no id", "\n\n{\"name\":\"a\"}", DEFT_INVALID,
     "tools line 3: 'id' is missing; it has to be a string"},
    {"an id that is a number", "{\"id\":1}", DEFT_INVALID,
     "tools line 1: 'id' is a number; it has to be a string"},
    {"an empty id", "{\"id\":\"\"}", DEFT_INVALID, "tools line 1: 'id' is empty"},
    {"an id twice", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"\\u0061\"}", DEFT_DUPLICATE,
     "tools line 3: tool 'a' is there twice; ids are unique"},
};

// What is wrong starts with this text.
static void assert_message(const deft_error *error, const char *start)
{
    if (strncmp(error->message, start, strlen(start)) != 0) {
        print_error("got  \"%s\"\nwant \"%s\"\n", error->message, start);
        fail();
    }
}

static void bad_lines_of_tools_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad_tools); i++) {
        deft__eval_tools tools;
        deft_error       error = DEFT_ERROR_INIT;
        case_name(bad_tools[i].name);
        deft__eval_tools_init(&tools, NULL);
        assert_int_equal(
            deft__eval_tools_read(&tools, deft_view_of(bad_tools[i].text), "tools", &error),
            bad_tools[i].status);
        assert_message(&error, bad_tools[i].message);
        deft__eval_tools_clear(&tools);
    }
}

static void queries_have_needs_grades_and_partials(void **state)
{
    (void)state;
    static const char text[] =
        "{\"id\":\"q1\",\"query\":\"first \\u00e9\",\"relevant\":[\"a\",\"b\"]}\n"
        "{\"id\":\"q2\",\"query\":\"second\",\"style\":\"typo\",\"relevant\":[\"a\",\"b\","
        "\"caf\xc3\xa9\"],"
        "\"groups\":[[\"a\",\"b\"],[\"caf\\u00e9\"]],\"grades\":{\"a\":1,\"b\":0,\"caf\xc3\xa9\":2."
        "5},"
        "\"partial\":[\"b\"],\"note\":null}\n";
    deft__eval_tools tools;
    deft__eval_set   set;
    deft_error       error = DEFT_ERROR_INIT;
    test_guard       guard;
    read_tools(&tools);
    deft__eval_set_init(&set, NULL);
    assert_ok(deft__eval_set_read(&set, &tools, test_guard_copy(&guard, deft_view_of(text)),
                                  "queries", &error),
              error);
    test_guard_clear(&guard); // nothing is borrowed
    assert_int_equal(set.count, 2);

    assert_view_equal(set.queries[0].id, "q1");
    assert_view_equal(set.queries[0].text, "first \xc3\xa9");
    assert_view_equal(set.queries[0].style, "");
    assert_int_equal(set.queries[0].need_count, 2);
    assert_int_equal(set.queries[0].needs[1].tool_count, 1);
    assert_int_equal(set.queries[0].needs[1].tools[0], 1);
    assert_int_equal(set.queries[0].grade_count, 0);
    assert_int_equal(set.queries[0].partial_count, 0);

    assert_view_equal(set.queries[1].style, "typo");
    assert_int_equal(set.queries[1].need_count, 2);
    assert_int_equal(set.queries[1].needs[0].tool_count, 2);
    assert_int_equal(set.queries[1].needs[1].tools[0], 2);
    assert_int_equal(set.queries[1].grade_count, 2); // 0 is no grade
    assert_int_equal(set.queries[1].grades[0].tool, 2);
    assert_true(set.queries[1].grades[0].grade == 2.5);
    assert_int_equal(set.queries[1].partial[0], 1);
    deft__eval_set_clear(&set);
    deft__eval_tools_clear(&tools);
}

static const struct {
    const char *name;
    const char *text;
    deft_status status;
    const char *message;
} bad_queries[] = {
    {"nothing", "\n \n", DEFT_INVALID, "queries: holds no query"},
    {"not JSON", "x", DEFT_INVALID, "queries line 1: "},
    {"no query", "{\"id\":\"q\",\"relevant\":[\"a\"]}", DEFT_INVALID,
     "queries line 1: 'query' is missing; it has to be a string"},
    {"no relevant", "{\"id\":\"q\",\"query\":\"x\"}", DEFT_INVALID,
     "queries line 1: 'relevant' is not an array of ids"},
    {"relevant is empty", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[]}", DEFT_INVALID,
     "queries line 1: 'relevant' is empty; a query that no tool answers cannot be scored"},
    {"a tool that is no text", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[1]}", DEFT_INVALID,
     "queries line 1: 'relevant' holds something that is no tool's id"},
    {"an unknown tool", "\n{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"z\"]}", DEFT_NOT_FOUND,
     "queries line 2: 'relevant' names tool 'z', which the set does not have; add it to the tools "
     "or take it out of the query"},
    {"an unknown partial tool",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"partial\":[\"z\"]}", DEFT_NOT_FOUND,
     "queries line 1: 'partial' names tool 'z'"},
    {"groups that are none", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"groups\":\"a\"}",
     DEFT_INVALID, "queries line 1: 'groups' is not an array of arrays of ids"},
    {"no groups", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"groups\":[]}", DEFT_INVALID,
     "queries line 1: 'groups' is not an array of arrays of ids"},
    {"flat groups", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"groups\":[\"a\"]}",
     DEFT_INVALID, "queries line 1: 'groups' is not an array of ids"},
    {"an empty group", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"groups\":[[]]}",
     DEFT_INVALID, "queries line 1: 'groups' holds a need that no tool meets"},
    {"grades that are none", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"grades\":[1]}",
     DEFT_INVALID, "queries line 1: 'grades' is not an object of id and grade"},
    {"a negative grade",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"grades\":{\"a\":-1}}", DEFT_INVALID,
     "queries line 1: 'grades' holds a grade that is no number from 0 to 1,000,000"},
    {"a grade that is text",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"grades\":{\"a\":\"1\"}}", DEFT_INVALID,
     "queries line 1: 'grades' holds a grade that is no number from 0 to 1,000,000"},
    {"two grades for one tool",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"grades\":{\"a\":1,\"a\":2}}",
     DEFT_DUPLICATE, "queries line 1: 'grades' grades a tool twice"},
    {"a grade for an unknown tool",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"grades\":{\"z\":1}}", DEFT_NOT_FOUND,
     "queries line 1: 'grades' names tool 'z'"},
    {"a style that is no text", "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"],\"style\":1}",
     DEFT_INVALID, "queries line 1: 'style' is a number; it has to be a string"},
    {"an id twice",
     "{\"id\":\"q\",\"query\":\"x\",\"relevant\":[\"a\"]}\n"
     "{\"id\":\"q\",\"query\":\"y\",\"relevant\":[\"a\"]}",
     DEFT_DUPLICATE, "queries line 2: 'id' is that of an earlier line too"},
};

static void bad_lines_of_queries_are_named(void **state)
{
    (void)state;
    deft__eval_tools tools;
    read_tools(&tools);
    for (size_t i = 0; i < array_size(bad_queries); i++) {
        deft__eval_set set;
        deft_error     error = DEFT_ERROR_INIT;
        case_name(bad_queries[i].name);
        deft__eval_set_init(&set, NULL);
        assert_int_equal(
            deft__eval_set_read(&set, &tools, deft_view_of(bad_queries[i].text), "queries", &error),
            bad_queries[i].status);
        assert_message(&error, bad_queries[i].message);
        assert_int_equal(set.count, 0);
        deft__eval_set_clear(&set);
    }
    deft__eval_tools_clear(&tools);
}

static void a_sample_keeps_the_order(void **state)
{
    (void)state;
    deft__eval_query queries[100] = {0};
    deft__eval_set   set          = {.queries = queries, .count = array_size(queries)};
    for (size_t i = 0; i < array_size(queries); i++) {
        queries[i].need_count = i;
    }
    deft__eval_set_sample(&set, 200, 1);
    assert_int_equal(set.count, 100);
    deft__eval_set_sample(&set, 30, 1);
    assert_int_equal(set.count, 30);
    size_t sum = 0;
    for (size_t i = 0; i < set.count; i++) {
        sum += queries[i].need_count;
        assert_true(i == 0 || queries[i - 1].need_count < queries[i].need_count);
    }
    assert_in_range(sum / 30, 35, 64); // from everywhere, not from one end
    deft__eval_set_sample(&set, 0, 1);
    assert_int_equal(set.count, 0);
}

static bool read_all(const deft_allocator *allocator, void *context)
{
    static const char queries[] =
        "{\"id\":\"q\",\"query\":\"\\u0061\",\"style\":\"s\",\"relevant\":[\"a\",\"caf\\u00e9\"],"
        "\"groups\":[[\"a\"]],\"grades\":{\"a\":1,\"b\":2},\"partial\":[\"b\"]}";
    deft__eval_tools tools;
    deft__eval_set   set;
    deft_error       error = DEFT_ERROR_INIT;
    (void)context;
    deft__eval_tools_init(&tools, allocator);
    deft__eval_set_init(&set, allocator);
    deft_status status = deft__eval_tools_read(&tools, deft_view_of(tools_text), "tools", &error);
    if (status == DEFT_OK) {
        status = deft__eval_set_read(&set, &tools, deft_view_of(queries), "queries", &error);
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft__eval_set_clear(&set);
    deft__eval_tools_clear(&tools);
    return status == DEFT_OK;
}

static void no_memory_is_said(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(read_all, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_numbered_in_order),
        cmocka_unit_test(bad_lines_of_tools_are_named),
        cmocka_unit_test(queries_have_needs_grades_and_partials),
        cmocka_unit_test(bad_lines_of_queries_are_named),
        cmocka_unit_test(a_sample_keeps_the_order),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
