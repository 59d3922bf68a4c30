// Arguments held against schemas: what is surely wrong is told, everything else is let through.
#include "deft/schema.h"

#include "support/allocator.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/test.h"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static const struct {
    const char *name;
    const char *schema;
    const char *arguments;
    const char *told; // NULL: it fits
} cases[] = {
    // Types.
    {"a string is a string", OBJECT("\"a\":{\"type\":\"string\"}"), "{\"a\":\"x\"}", NULL},
    {"a number is none", OBJECT("\"a\":{\"type\":\"string\"}"), "{\"a\":5}",
     "'a' is 5; accepted: a string."},
    {"an object is none", OBJECT("\"a\":{\"type\":\"string\"}"), "{\"a\":{}}",
     "'a' is an object; accepted: a string."},
    {"null is none", OBJECT("\"a\":{\"type\":\"string\"}"), "{\"a\":null}",
     "'a' is null; accepted: a string."},
    {"one of several types", OBJECT("\"a\":{\"type\":[\"string\",\"null\"]}"), "{\"a\":null}",
     NULL},
    {"none of several types", OBJECT("\"a\":{\"type\":[\"string\",\"null\",\"boolean\"]}"),
     "{\"a\":[]}", "'a' is an array; accepted: a string, null or true or false."},
    {"1.0 is a whole number", OBJECT("\"a\":{\"type\":\"integer\"}"), "{\"a\":1.0}", NULL},
    {"so is 1e3", OBJECT("\"a\":{\"type\":\"integer\"}"), "{\"a\":1e3}", NULL},
    {"so is one beyond 64 bits", OBJECT("\"a\":{\"type\":\"integer\"}"),
     "{\"a\":123456789012345678901234567890}", NULL},
    {"1.5 is not", OBJECT("\"a\":{\"type\":\"integer\"}"), "{\"a\":1.5}",
     "'a' is 1.5; accepted: a whole number."},
    {"a boolean", OBJECT("\"a\":{\"type\":\"boolean\"}"), "{\"a\":false}", NULL},
    {"a word is no boolean", OBJECT("\"a\":{\"type\":\"boolean\"}"), "{\"a\":\"yes\"}",
     "'a' is a string; accepted: true or false."},
    {"a type that nobody knows", OBJECT("\"a\":{\"type\":\"file\"}"), "{\"a\":5}", NULL},
    {"a type that is none", OBJECT("\"a\":{\"type\":7}"), "{\"a\":5}", NULL},
    {"the whole of the arguments", "{\"type\":\"object\"}", "[1]",
     "The whole of the arguments is an array; accepted: an object."},
    {"OpenAPI's nullable", OBJECT("\"a\":{\"type\":\"string\",\"nullable\":true}"), "{\"a\":null}",
     NULL},
    // Choices.
    {"one of the accepted", OBJECT("\"a\":{\"enum\":[\"open\",\"closed\"]}"), "{\"a\":\"open\"}",
     NULL},
    {"none of them", OBJECT("\"a\":{\"enum\":[\"open\",\"closed\"]}"), "{\"a\":\"all\"}",
     "'a' is \"all\"; accepted: \"open\", \"closed\"."},
    {"nearly one of them", OBJECT("\"a\":{\"enum\":[\"open\",\"closed\"]}"), "{\"a\":\"close\"}",
     "'a' is \"close\"; accepted: \"open\", \"closed\"; did you mean 'closed'?"},
    {"escapes are the same text", OBJECT("\"a\":{\"enum\":[\"\\u0061\"]}"), "{\"a\":\"a\"}", NULL},
    {"numbers are equal by value", OBJECT("\"a\":{\"enum\":[1,2]}"), "{\"a\":1.0}", NULL},
    {"numbers that differ", OBJECT("\"a\":{\"enum\":[1,2.5]}"), "{\"a\":2.25}",
     "'a' is 2.25; accepted: 1, 2.5."},
    {"a choice of objects", OBJECT("\"a\":{\"enum\":[{\"x\":[1,{\"y\":null}]}]}"),
     "{\"a\":{\"x\":[1,{\"y\":null}]}}", NULL},
    {"another object", OBJECT("\"a\":{\"enum\":[{\"x\":1}]}"), "{\"a\":{\"y\":1}}",
     "'a' is {\"y\":1}; accepted: {\"x\":1}."},
    {"another array", OBJECT("\"a\":{\"enum\":[[1,2]]}"), "{\"a\":[1,3]}",
     "'a' is [1,3]; accepted: [1,2]."},
    {"many choices", OBJECT("\"a\":{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}"), "{\"a\":99}",
     "'a' is 99; accepted: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more."},
    {"no choices at all", OBJECT("\"a\":{\"enum\":[]}"), "{\"a\":99}", NULL},
    {"one value only", OBJECT("\"a\":{\"const\":\"x\"}"), "{\"a\":\"y\"}",
     "'a' is \"y\"; accepted: \"x\"."},
    {"that value", OBJECT("\"a\":{\"const\":true}"), "{\"a\":true}", NULL},
    // Numbers.
    {"at least", OBJECT("\"a\":{\"minimum\":1}"), "{\"a\":1}", NULL},
    {"too small", OBJECT("\"a\":{\"minimum\":1}"), "{\"a\":0}", "'a' is 0; accepted: at least 1."},
    {"too large", OBJECT("\"a\":{\"maximum\":100}"), "{\"a\":100.5}",
     "'a' is 100.5; accepted: at most 100."},
    {"not the limit itself", OBJECT("\"a\":{\"exclusiveMinimum\":0}"), "{\"a\":0}",
     "'a' is 0; accepted: more than 0."},
    {"nor the other", OBJECT("\"a\":{\"exclusiveMaximum\":1}"), "{\"a\":1.0}",
     "'a' is 1.0; accepted: less than 1."},
    {"as draft 4 has it", OBJECT("\"a\":{\"minimum\":0,\"exclusiveMinimum\":true}"), "{\"a\":0}",
     "'a' is 0; accepted: more than 0."},
    {"draft 4, and false", OBJECT("\"a\":{\"maximum\":0,\"exclusiveMaximum\":false}"), "{\"a\":0}",
     NULL},
    {"limits are for numbers", OBJECT("\"a\":{\"minimum\":1}"), "{\"a\":\"x\"}", NULL},
    {"a limit that is none", OBJECT("\"a\":{\"minimum\":\"1\"}"), "{\"a\":0}", NULL},
    {"digits that a double cannot tell apart",
     OBJECT("\"a\":{\"exclusiveMaximum\":12345678901234567890.5}"),
     "{\"a\":12345678901234567890.4}", NULL},
    {"a multiple", OBJECT("\"a\":{\"multipleOf\":5}"), "{\"a\":15}", NULL},
    {"no multiple", OBJECT("\"a\":{\"multipleOf\":5}"), "{\"a\":16}",
     "'a' is 16; accepted: a multiple of 5."},
    {"fractions are the server's", OBJECT("\"a\":{\"multipleOf\":0.1}"), "{\"a\":0.35}", NULL},
    {"so is zero", OBJECT("\"a\":{\"multipleOf\":0}"), "{\"a\":1}", NULL},
    // Texts.
    {"long enough", OBJECT("\"a\":{\"minLength\":2,\"maxLength\":2}"),
     "{\"a\":\"\\u00e9\xC3\xA9\"}", NULL},
    {"too short", OBJECT("\"a\":{\"minLength\":2}"), "{\"a\":\"x\"}",
     "'a' has 1 character; accepted: at least 2."},
    {"too long", OBJECT("\"a\":{\"maxLength\":2}"), "{\"a\":\"xyz\"}",
     "'a' has 3 characters; accepted: at most 2."},
    {"a pattern", OBJECT("\"a\":{\"pattern\":\"^[a-z]+$\"}"), "{\"a\":\"abc\"}", NULL},
    {"no match", OBJECT("\"a\":{\"pattern\":\"^[a-z]+$\"}"), "{\"a\":\"ABC\"}",
     "'a' is \"ABC\"; accepted: what matches \"^[a-z]+$\"."},
    {"the empty text may match", OBJECT("\"a\":{\"pattern\":\"^$\"}"), "{\"a\":\"\"}", NULL},
    {"the empty text may not", OBJECT("\"a\":{\"pattern\":\"^.+$\"}"), "{\"a\":\"\"}",
     "'a' is \"\"; accepted: what matches \"^.+$\"."},
    {"a pattern that is broken", OBJECT("\"a\":{\"pattern\":\"(\"}"), "{\"a\":\"x\"}", NULL},
    {"a pattern that is none", OBJECT("\"a\":{\"pattern\":1}"), "{\"a\":\"x\"}", NULL},
    {"an empty pattern", OBJECT("\"a\":{\"pattern\":\"\"}"), "{\"a\":\"x\"}", NULL},
    {"dialects differ beyond ASCII", OBJECT("\"a\":{\"pattern\":\"^\\\\W$\"}"),
     "{\"a\":\"\xC3\xA9\"}", NULL},
    {"JavaScript's empty class", OBJECT("\"a\":{\"pattern\":\"^[^]x$\"}"), "{\"a\":\"yx\"}", NULL},
    {"JavaScript's escapes", OBJECT("\"a\":{\"pattern\":\"^\\\\u0041$\"}"), "{\"a\":\"A\"}", NULL},
    {"a pattern on and on", OBJECT("\"a\":{\"pattern\":\"^(a+)+$\"}"),
     "{\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}", NULL},
    // Arrays.
    {"items", OBJECT("\"a\":{\"items\":{\"type\":\"string\"}}"), "{\"a\":[\"x\",\"y\"]}", NULL},
    {"an item", OBJECT("\"a\":{\"items\":{\"type\":\"string\"}}"), "{\"a\":[\"x\",\"y\",3]}",
     "'a[2]' is 3; accepted: a string."},
    {"an item of an item", OBJECT("\"a\":{\"items\":{\"items\":{\"type\":\"null\"}}}"),
     "{\"a\":[[],[null,1]]}", "'a[1][1]' is 1; accepted: null."},
    {"the first items", OBJECT("\"a\":{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}"),
     "{\"a\":[\"x\"]}", NULL},
    {"and no more", OBJECT("\"a\":{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}"),
     "{\"a\":[\"x\",1]}", "'a[1]' is not accepted."},
    {"the first items as before",
     OBJECT("\"a\":{\"items\":[{\"type\":\"string\"}],"
            "\"additionalItems\":{\"type\":\"number\"}}"),
     "{\"a\":[\"x\",1,true]}", "'a[2]' is true; accepted: a number."},
    {"enough items", OBJECT("\"a\":{\"minItems\":1,\"maxItems\":2}"), "{\"a\":[1]}", NULL},
    {"too few", OBJECT("\"a\":{\"minItems\":1}"), "{\"a\":[]}",
     "'a' has 0 items; accepted: at least 1."},
    {"too many", OBJECT("\"a\":{\"maxItems\":0}"), "{\"a\":[1]}",
     "'a' has 1 item; accepted: at most 0."},
    // Objects.
    {"what is required", "{\"required\":[\"a\"]}", "{\"a\":1}", NULL},
    {"and missing", "{\"required\":[\"a\",\"b\"]}", "{\"a\":1}",
     "'b' is required and was not given."},
    {"under a near name", "{\"properties\":{\"title\":{},\"body\":{}},\"required\":[\"title\"]}",
     "{\"titel\":\"x\"}",
     "'title' is required and was not given; 'titel' was given, did you mean 'title'?"},
    {"a near name that is known",
     "{\"properties\":{\"name\":{},\"names\":{}},\"required\":[\"name\"]}", "{\"names\":[]}",
     "'name' is required and was not given."},
    {"an escaped name is the same", "{\"required\":[\"\\u0061\"]}", "{\"a\":1}", NULL},
    {"required as draft 3 has it", OBJECT("\"a\":{\"type\":\"string\",\"required\":true}"), "{}",
     NULL},
    {"further names are fine", OBJECT("\"a\":{}"), "{\"b\":1}", NULL},
    {"unless they are not", "{\"properties\":{\"a\":{},\"b\":{}},\"additionalProperties\":false}",
     "{\"other\":1}", "'other' is not known here; accepted: 'a', 'b'."},
    {"a near name is offered",
     "{\"properties\":{\"labels\":{},\"body\":{}},\"additionalProperties\":false}", "{\"label\":1}",
     "'label' is not known here; did you mean 'labels'?"},
    {"not one that is there already",
     "{\"properties\":{\"labels\":{}},\"additionalProperties\":false}",
     "{\"labels\":1,\"label\":1}", "'label' is not known here; accepted: 'labels'."},
    {"nothing at all", "{\"additionalProperties\":false}", "{\"a\":1}",
     "'a' is not known here; nothing is accepted."},
    {"further ones of a kind", "{\"additionalProperties\":{\"type\":\"number\"}}",
     "{\"a\":1,\"b\":\"x\"}", "'b' is a string; accepted: a number."},
    {"names by pattern",
     "{\"patternProperties\":{\"^x_\":{\"type\":\"number\"}},\"additionalProperties\":false}",
     "{\"x_1\":1}", NULL},
    {"a value by pattern", "{\"patternProperties\":{\"^x_\":{\"type\":\"number\"}}}",
     "{\"x_1\":\"y\"}", "'x_1' is a string; accepted: a number."},
    {"no name by pattern", "{\"patternProperties\":{\"^x_\":{}},\"additionalProperties\":false}",
     "{\"y\":1}", "'y' is not known here; nothing is accepted."},
    {"a broken pattern lets names through",
     "{\"patternProperties\":{\"(\":{}},\"additionalProperties\":false}", "{\"y\":1}", NULL},
    {"inside", OBJECT("\"a\":" OBJECT("\"b\":{\"items\":" OBJECT("\"c\":{\"type\":\"null\"}") "}")),
     "{\"a\":{\"b\":[{\"c\":null},{\"c\":1}]}}", "'a.b[1].c' is 1; accepted: null."},
    {"several problems", "{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"b\"]}",
     "{\"a\":1}", "'b' is required and was not given. 'a' is 1; accepted: a string."},
    // Combined.
    {"any of them", OBJECT("\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"),
     "{\"a\":null}", NULL},
    {"none of them", OBJECT("\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"),
     "{\"a\":1}",
     "'a' is 1, which fits none of what is accepted: {\"type\":\"string\"}, {\"type\":\"null\"}."},
    {"the one that was meant",
     OBJECT("\"a\":{\"anyOf\":[{\"type\":\"string\",\"maxLength\":1},{\"type\":\"null\"}]}"),
     "{\"a\":\"xyz\"}", "'a' has 3 characters; accepted: at most 1."},
    {"one of them", OBJECT("\"a\":{\"oneOf\":[{\"const\":1},{\"const\":2}]}"), "{\"a\":2}", NULL},
    {"two of them", OBJECT("\"a\":{\"oneOf\":[{\"type\":\"number\"},{\"type\":\"integer\"}]}"),
     "{\"a\":2}", NULL},
    {"all of them", OBJECT("\"a\":{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}"), "{\"a\":4}",
     "'a' is 4; accepted: at most 3."},
    {"none of all", OBJECT("\"a\":{\"anyOf\":[]}"), "{\"a\":4}", NULL},
    {"not this", OBJECT("\"a\":{\"not\":{\"const\":\"x\"}}"), "{\"a\":\"x\"}",
     "'a' is \"x\", which is excluded by {\"const\":\"x\"}."},
    {"but that", OBJECT("\"a\":{\"not\":{\"const\":\"x\"}}"), "{\"a\":\"y\"}", NULL},
    {"not what is not understood", OBJECT("\"a\":{\"not\":{\"format\":\"email\"}}"),
     "{\"a\":\"x\"}", NULL},
    {"not what is surely wrong in spite of that",
     OBJECT("\"a\":{\"not\":{\"not\":{\"format\":\"email\",\"type\":\"string\"}}}"), "{\"a\":1}",
     "'a' is 1, which is excluded by {\"not\":{\"format\":\"email\",\"type\":\"string\"}}."},
    {"an alternative that is not understood",
     OBJECT("\"a\":{\"anyOf\":[{\"type\":\"null\"},{\"madeUp\":1}]}"), "{\"a\":1}", NULL},
    {"true", OBJECT("\"a\":true"), "{\"a\":1}", NULL},
    {"false", OBJECT("\"a\":false"), "{\"a\":1}", "'a' is not accepted."},
    {"no schema at all", OBJECT("\"a\":\"string\""), "{\"a\":1}", NULL},
    {"if is the server's", "{\"if\":{\"required\":[\"x\"]},\"then\":false}", "{\"x\":1}", NULL},
    // References.
    {"a reference",
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":{\"type\":"
     "\"string\"}}}",
     "{\"a\":1}", "'a' is 1; accepted: a string."},
    {"as it was before",
     "{\"properties\":{\"a\":{\"$ref\":\"#/definitions/x\"}},\"definitions\":{"
     "\"x\":{\"type\":\"string\"}}}",
     "{\"a\":1}", "'a' is 1; accepted: a string."},
    {"names that need escapes",
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x~1y%20~0z\"}},\"$defs\":{\"x/y ~z\":false}}",
     "{\"a\":1}", "'a' is not accepted."},
    {"into an array", "{\"properties\":{\"a\":{\"$ref\":\"#/x/1\"}},\"x\":[true,false]}",
     "{\"a\":1}", "'a' is not accepted."},
    {"past the end of one", "{\"properties\":{\"a\":{\"$ref\":\"#/x/7\"}},\"x\":[true,false]}",
     "{\"a\":1}", NULL},
    {"by no number", "{\"properties\":{\"a\":{\"$ref\":\"#/x/y\"}},\"x\":[false]}", "{\"a\":1}",
     NULL},
    {"to the whole", "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"b\"]}",
     "{\"b\":1,\"a\":{}}", "'a.b' is required and was not given."},
    {"to nothing", OBJECT("\"a\":{\"$ref\":\"#/$defs/none\"}"), "{\"a\":1}", NULL},
    {"to another document", OBJECT("\"a\":{\"$ref\":\"http://example.com/x\"}"), "{\"a\":1}", NULL},
    {"by an anchor", OBJECT("\"a\":{\"$ref\":\"#x\"}"), "{\"a\":1}", NULL},
    {"that is none", OBJECT("\"a\":{\"$ref\":7}"), "{\"a\":1}", NULL},
    {"with something beside it",
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\",\"maximum\":1}},\"$defs\":{\"x\":{}}}",
     "{\"a\":2}", "'a' is 2; accepted: at most 1."},
    {"which older drafts ignore",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"properties\":{\"a\":{\"$ref\":"
     "\"#/$defs/x\",\"maximum\":1}},\"$defs\":{\"x\":{}}}",
     "{\"a\":2}", NULL},
    {"inside a schema of another name",
     "{\"properties\":{\"a\":{\"$id\":\"other\",\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":false}}",
     "{\"a\":2}", NULL},
    {"the whole may have a name",
     "{\"$id\":\"mine\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":false}}",
     "{\"a\":2}", "'a' is not accepted."},
    {"a reference to itself", "{\"$ref\":\"#\"}", "{\"a\":1}", NULL},
    {"two to one another",
     "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/"
     "a\"}}}",
     "{}", NULL},
    {"a tree",
     "{\"$defs\":{\"t\":{\"type\":\"object\",\"properties\":{\"l\":{\"$ref\":\"#/$defs/"
     "t\"}}}},\"$ref\":\"#/$defs/t\"}",
     "{\"l\":{\"l\":{\"l\":7}}}", "'l.l.l' is 7; accepted: an object."},
    // Nothing to go by.
    {"an empty schema", "", "{\"a\":1}", NULL},
    {"a schema that is no JSON", "{", "{\"a\":1}", NULL},
    {"a schema that is no object", "[]", "{\"a\":1}", NULL},
    // Text from outside.
    {"a name with a line end", "{\"additionalProperties\":false}", "{\"a\\nb\":1}",
     "'a b' is not known here; nothing is accepted."},
    {"a schema that hides text", OBJECT("\"a\":{\"const\":\"x\\u0000\xE2\x80\x8Fy\nz\"}"),
     "{\"a\":1}", NULL}, // raw control characters are no JSON, so there is no schema
};

static void write_problems(const char *schema, const char *arguments, deft_buffer *out)
{
    deft_error          error = DEFT_ERROR_INIT;
    test_guard          guards[2];
    deft_schema_report *report =
        deft_schema_check(test_guard_copy(&guards[0], deft_view_of(schema)),
                          test_guard_copy(&guards[1], deft_view_of(arguments)), NULL, NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(report);
    assert_int_equal(deft_schema_report_write(report, out), DEFT_OK);
    deft_schema_report_free(report);
    test_guard_clear(&guards[0]);
    test_guard_clear(&guards[1]);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        case_name(cases[i].name);
        write_problems(cases[i].schema, cases[i].arguments, &out);
        assert_view_equal(deft_buffer_view(&out), cases[i].told != NULL ? cases[i].told : "");
        deft_buffer_clear(&out);
    }
}

static void problems_one_by_one(void **state)
{
    (void)state;
    deft_error          error = DEFT_ERROR_INIT;
    size_t              count = 0;
    deft_schema_report *report =
        deft_schema_check(deft_view_of("{\"properties\":{\"title\":{},\"n\":{\"minimum\":1}},"
                                       "\"required\":[\"title\"]}"),
                          deft_view_of("{\"titel\":1,\"n\":0}"), NULL, NULL, &error);
    assert_non_null(report);
    const deft_schema_problem *problems = deft_schema_report_problems(report, &count);
    assert_int_equal(count, 2);
    assert_view_equal(problems[0].path, "title");
    assert_view_equal(problems[0].nearest, "titel");
    assert_view_equal(problems[1].path, "n");
    assert_view_equal(problems[1].message, "is 0; accepted: at least 1");
    assert_view_equal(problems[1].nearest, "");
    assert_true(deft_schema_report_is_whole(report));
    deft_schema_report_free(report);
    deft_schema_report_free(NULL);
}

static void no_more_problems_than_asked_for(void **state)
{
    (void)state;
    const deft_schema_options options = {.problems_max = 2};
    size_t                    count   = 0;
    deft_schema_report *report = deft_schema_check(deft_view_of("{\"items\":{\"type\":\"null\"}}"),
                                                   deft_view_of("[1,2,3]"), &options, NULL, NULL);
    assert_non_null(report);
    (void)deft_schema_report_problems(report, &count);
    assert_int_equal(count, 2);
    deft_schema_report_free(report);
}

static void arguments_that_are_no_json(void **state)
{
    (void)state;
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft_schema_check(deft_view_of("{}"), deft_view_of("{\"a\":"), NULL, NULL, &error));
    assert_int_equal(error.status, DEFT_INVALID);
}

// Appends `text` so many times.
static void repeat(deft_buffer *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(out, text);
    }
}

// Checks without problems, and tells whether all could be checked.
static bool check_hostile(const deft_buffer *schema, deft_view arguments)
{
    deft_error          error = DEFT_ERROR_INIT;
    size_t              count = 0;
    deft_schema_report *report =
        deft_schema_check(deft_buffer_view(schema), arguments, NULL, NULL, &error);
    assert_ok(error.status, error);
    (void)deft_schema_report_problems(report, &count);
    assert_int_equal(count, 0);
    const bool is_whole = deft_schema_report_is_whole(report);
    deft_schema_report_free(report);
    return is_whole;
}

// What a hostile server may send. Each of these ends, soon, and lets the call through.
static void hostile_schemas_come_to_an_end(void **state)
{
    (void)state;
    deft_buffer schema;
    deft_buffer_init(&schema, NULL);

    case_name("schemas inside one another, deeper than we go");
    repeat(&schema, "{\"not\":", 120);
    deft_buffer_append_text(&schema, "false");
    repeat(&schema, "}", 120);
    assert_false(check_hostile(&schema, deft_view_of("1")));

    case_name("each alternative asks for all of them again");
    deft_buffer_reset(&schema);
    deft_buffer_append_text(&schema, "{\"anyOf\":[");
    repeat(&schema, "{\"allOf\":[{\"$ref\":\"#\"},{\"type\":\"null\"}]},", 20);
    deft_buffer_append_text(&schema, "{\"type\":\"null\"}]}");
    assert_false(check_hostile(&schema, deft_view_of("1")));

    case_name("a definition doubles with each level");
    deft_buffer_reset(&schema);
    deft_buffer_append_text(&schema, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (size_t i = 0; i < 40; i++) {
        char text[120];
        (void)snprintf(
            text, sizeof text,
            "\"d%zu\":{\"allOf\":[{\"$ref\":\"#/$defs/d%zu\"},{\"$ref\":\"#/$defs/d%zu\"}"
            "]},",
            i, i + 1, i + 1);
        deft_buffer_append_text(&schema, text);
    }
    deft_buffer_append_text(&schema, "\"d40\":{\"type\":\"number\"}}}");
    assert_false(check_hostile(&schema, deft_view_of("1")));

    case_name("a megabyte of choices");
    deft_buffer_reset(&schema);
    deft_buffer_append_text(&schema, "{\"enum\":[");
    repeat(&schema, "1,", 500000);
    deft_buffer_append_text(&schema, "2]}");
    assert_false(check_hostile(&schema, deft_view_of("3")));

    case_name("a schema that is too large");
    repeat(&schema, " ", 100000);
    assert_false(check_hostile(&schema, deft_view_of("3")));
    deft_buffer_clear(&schema);
}

static void hostile_arguments_come_to_an_end(void **state)
{
    (void)state;
    deft_buffer schema;
    deft_buffer arguments;
    deft_buffer_init(&schema, NULL);
    deft_buffer_init(&arguments, NULL);

    case_name("many members against many properties");
    deft_buffer_append_text(&schema, "{\"properties\":{\"z\":{}");
    deft_buffer_append_text(&arguments, "{\"z\":1");
    for (size_t i = 0; i < 5000; i++) {
        char text[40];
        (void)snprintf(text, sizeof text, ",\"p%zu\":{}", i);
        deft_buffer_append_text(&schema, text);
        (void)snprintf(text, sizeof text, ",\"q%zu\":{}", i);
        deft_buffer_append_text(&arguments, text);
    }
    deft_buffer_append_text(&schema, "}}");
    deft_buffer_append_text(&arguments, "}");
    assert_false(check_hostile(&schema, deft_buffer_view(&arguments)));

    case_name("many texts against a costly pattern");
    deft_buffer_reset(&schema);
    deft_buffer_reset(&arguments);
    deft_buffer_append_text(&schema, "{\"items\":{\"pattern\":\"^(a|aa)+$\"}}");
    deft_buffer_append_text(&arguments, "[\"a\"");
    repeat(&arguments, ",\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", 20000);
    deft_buffer_append_text(&arguments, "]");
    assert_false(check_hostile(&schema, deft_buffer_view(&arguments)));

    case_name("a long array is checked whole");
    deft_buffer_reset(&schema);
    deft_buffer_reset(&arguments);
    deft_buffer_append_text(&schema, "{\"items\":{\"type\":\"integer\",\"minimum\":0}}");
    deft_buffer_append_text(&arguments, "[0");
    repeat(&arguments, ",1", 50000);
    deft_buffer_append_text(&arguments, "]");
    assert_true(check_hostile(&schema, deft_buffer_view(&arguments)));
    deft_buffer_clear(&schema);
    deft_buffer_clear(&arguments);
}

// --- Whatever is made to fit, fits. --------------------------------------------------------------

// Writes a random schema and a value that fits it.
static void make_pair(test_random *random, size_t depth, deft_buffer *schema, deft_buffer *value);

static void make_object(test_random *random, size_t depth, deft_buffer *schema, deft_buffer *value)
{
    const size_t count = test_random_below(random, 4);
    deft_buffer  required;
    bool         is_first = true;
    deft_buffer_init(&required, NULL);
    deft_buffer_append_text(schema, "{\"type\":\"object\",\"properties\":{");
    deft_buffer_append_byte(value, '{');
    for (size_t i = 0; i < count; i++) {
        const char  name[] = {'"', (char)('a' + (int)i), '"', '\0'};
        deft_buffer inner;
        deft_buffer_init(&inner, NULL);
        deft_buffer_append_text(schema, i > 0 ? "," : "");
        deft_buffer_append_text(schema, name);
        deft_buffer_append_text(schema, ":");
        make_pair(random, depth - 1, schema, &inner);
        if (!test_random_once_in(random, 3)) {
            deft_buffer_append_text(value, is_first ? "" : ",");
            deft_buffer_append_text(value, name);
            deft_buffer_append_text(value, ":");
            deft_buffer_append(value, deft_buffer_view(&inner));
            deft_buffer_append_text(&required, is_first ? "" : ",");
            deft_buffer_append_text(&required, name);
            is_first = false;
        }
        deft_buffer_clear(&inner);
    }
    deft_buffer_append_text(schema, "},\"required\":[");
    deft_buffer_append(schema, deft_buffer_view(&required));
    deft_buffer_append_text(
        schema, test_random_once_in(random, 2) ? "],\"additionalProperties\":false}" : "]}");
    deft_buffer_append_byte(value, '}');
    deft_buffer_clear(&required);
}

static void make_array(test_random *random, size_t depth, deft_buffer *schema, deft_buffer *value)
{
    const size_t count = test_random_below(random, 4);
    deft_buffer  other;
    deft_buffer_init(&other, NULL);
    deft_buffer_append_text(schema, "{\"type\":\"array\",\"prefixItems\":[");
    deft_buffer_append_byte(value, '[');
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(schema, i > 0 ? "," : "");
        deft_buffer_append_text(value, i > 0 ? "," : "");
        make_pair(random, depth - 1, schema, value);
    }
    deft_buffer_append_text(schema, "],\"items\":false,\"maxItems\":3}");
    deft_buffer_append_byte(value, ']');
    deft_buffer_clear(&other);
}

// A choice in which the fitting one is at a random place among others.
static void make_choice(test_random *random, size_t depth, deft_buffer *schema, deft_buffer *value)
{
    static const char *const words[] = {"anyOf", "oneOf"};
    const size_t             place   = test_random_below(random, 3);
    deft_buffer_append_text(schema, "{\"");
    deft_buffer_append_text(schema, words[test_random_below(random, 2)]);
    deft_buffer_append_text(schema, "\":[");
    for (size_t i = 0; i < 3; i++) {
        deft_buffer unused;
        deft_buffer_init(&unused, NULL);
        deft_buffer_append_text(schema, i > 0 ? "," : "");
        make_pair(random, depth - 1, schema, i == place ? value : &unused);
        deft_buffer_clear(&unused);
    }
    deft_buffer_append_text(schema, "]}");
}

static void make_pair(test_random *random, size_t depth, deft_buffer *schema, deft_buffer *value)
{
    static const struct {
        const char *schema;
        const char *value;
    } leaves[] = {
        {"{\"type\":\"string\"}", "\"x\\u00e9\""},
        {"{\"type\":[\"null\",\"integer\"]}", "null"},
        {"{\"type\":\"integer\",\"minimum\":-5,\"exclusiveMaximum\":1e1}", "9"},
        {"{\"type\":\"number\",\"multipleOf\":3}", "-12"},
        {"{\"type\":\"boolean\"}", "false"},
        {"{\"enum\":[1,\"a\",[2],{\"b\":null}]}", "{\"b\":null}"},
        {"{\"const\":[1.0]}", "[1]"},
        {"{\"type\":\"string\",\"pattern\":\"^[a-z]+_[0-9]{2}$\"}", "\"ab_12\""},
        {"{\"type\":\"string\",\"minLength\":2,\"maxLength\":2}", "\"\xF0\x9F\x98\x80x\""},
        {"{\"not\":{\"type\":\"string\"}}", "7"},
        {"{\"$ref\":\"#/$defs/leaf\"}", "\"leaf\""},
        {"true", "{\"any\":[]}"},
        {"{\"madeUp\":1}", "0"},
    };
    const size_t kind = depth > 0 ? test_random_below(random, 6) : 0;
    if (kind == 1) {
        make_object(random, depth, schema, value);
    } else if (kind == 2) {
        make_array(random, depth, schema, value);
    } else if (kind == 3) {
        make_choice(random, depth, schema, value);
    } else {
        const size_t leaf = test_random_below(random, array_size(leaves));
        deft_buffer_append_text(schema, leaves[leaf].schema);
        deft_buffer_append_text(value, leaves[leaf].value);
    }
}

static void what_fits_is_let_through(void **state)
{
    (void)state;
    test_random random = {20261115};
    for (size_t i = 0; i < 3000; i++) {
        deft_buffer schema;
        deft_buffer value;
        size_t      count = 0;
        deft_buffer_init(&schema, NULL);
        deft_buffer_init(&value, NULL);
        deft_buffer_append_text(&schema, "{\"$defs\":{\"leaf\":{\"const\":\"leaf\"}},\"allOf\":[");
        make_pair(&random, 4, &schema, &value);
        deft_buffer_append_text(&schema, "]}");
        deft_schema_report *report = deft_schema_check(deft_buffer_view(&schema),
                                                       deft_buffer_view(&value), NULL, NULL, NULL);
        assert_non_null(report);
        const deft_schema_problem *problems = deft_schema_report_problems(report, &count);
        if (count > 0) {
            print_error("%.*s\n%.*s\n%.*s: %.*s\n", (int)schema.size, schema.data, (int)value.size,
                        value.data, (int)problems[0].path.size, problems[0].path.data,
                        (int)problems[0].message.size, problems[0].message.data);
            fail();
        }
        assert_true(deft_schema_report_is_whole(report));
        deft_schema_report_free(report);
        deft_buffer_clear(&schema);
        deft_buffer_clear(&value);
    }
}

// --- Memory. -------------------------------------------------------------------------------------

static bool check_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    static const char schema[] =
        "{\"properties\":{\"a\":{\"pattern\":\"^\\u0078$\",\"minLength\":9},\"b\":{\"enum\":"
        "[\"\\u0061c\",{\"\\u0062\":1}]},\"c\":{\"$ref\":\"#/$defs/"
        "\\u0064\"},\"e\":{\"anyOf\":[false]"
        "}},\"required\":[\"t\\u0069tle\"],\"additionalProperties\":false,\"$defs\":{\"d\":false}}";
    static const char arguments[] = "{\"a\":\"\\u0079\",\"b\":\"ab\",\"c\":1,\"titel\":2,\"e\":1}";
    deft_error        error       = DEFT_ERROR_INIT;
    deft_buffer       out;
    deft_buffer_init(&out, allocator);
    deft_schema_report *report =
        deft_schema_check(deft_view_of(schema), deft_view_of(arguments), NULL, allocator, &error);
    if (report == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        return false;
    }
    size_t count = 0;
    (void)deft_schema_report_problems(report, &count);
    assert_int_equal(count, 7);
    const bool is_good = deft_schema_report_write(report, &out) == DEFT_OK;
    assert_true(is_good || out.size == 0);
    deft_buffer_clear(&out);
    deft_schema_report_free(report);
    return is_good;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(check_with, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(problems_one_by_one),
        cmocka_unit_test(no_more_problems_than_asked_for),
        cmocka_unit_test(arguments_that_are_no_json),
        cmocka_unit_test(hostile_schemas_come_to_an_end),
        cmocka_unit_test(hostile_arguments_come_to_an_end),
        cmocka_unit_test(what_fits_is_let_through),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
