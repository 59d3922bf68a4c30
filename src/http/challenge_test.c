// Challenges of servers that want a login, as real ones write them and as they should not.
#include "http/challenge.h"

#include "support/guard.h"
#include "support/test.h"

// Every challenge as scheme(token)[parameters], `!` where the value is malformed.
static void describe(deft_view rest, deft_buffer *out)
{
    deft__http_challenge challenge;
    deft_status          status;
    while ((status = deft__http_challenge_next(&rest, &challenge)) == DEFT_OK) {
        deft_buffer_append(out, challenge.scheme);
        if (challenge.token.size > 0) {
            deft_buffer_append_byte(out, '(');
            deft_buffer_append(out, challenge.token);
            deft_buffer_append_byte(out, ')');
        }
        deft_buffer_append_byte(out, '[');
        deft_buffer_append(out, challenge.parameters);
        deft_buffer_append_byte(out, ']');
    }
    if (status == DEFT_INVALID) {
        deft_buffer_append_byte(out, '!');
        assert_int_equal(deft__http_challenge_next(&rest, &challenge), DEFT_NOT_FOUND);
    }
}

static const struct {
    const char *name;
    const char *value;
    const char *challenges;
} cases[] = {
    {"nothing", "", ""},
    {"commas", " , ,", ""},
    {"a scheme alone", "Bearer", "Bearer[]"},
    {"two schemes alone", "Negotiate, Basic", "Negotiate[]Basic[]"},
    {"parameters", "Bearer realm=\"x\", error=invalid_token",
     "Bearer[realm=\"x\", error=invalid_token]"},
    {"two challenges", "Bearer realm=\"x\", scope=\"a b\", Basic realm=\"y\"",
     "Bearer[realm=\"x\", scope=\"a b\"]Basic[realm=\"y\"]"},
    {"a comma in quotes", "Bearer error_description=\"a, Basic realm=b\", scope=c",
     "Bearer[error_description=\"a, Basic realm=b\", scope=c]"},
    {"a quote in quotes", "Bearer a=\"b\\\"c, d\"", "Bearer[a=\"b\\\"c, d\"]"},
    {"a token", "Negotiate a+b/c==", "Negotiate(a+b/c==)[]"},
    {"a token and another challenge", "Negotiate abc=, Bearer scope=x",
     "Negotiate(abc=)[]Bearer[scope=x]"},
    {"a scheme between others", "Basic realm=\"x\", Negotiate, Bearer scope=\"y\"",
     "Basic[realm=\"x\"]Negotiate[]Bearer[scope=\"y\"]"},
    {"empty items", ",, Bearer a=b,, c=d,", "Bearer[a=b,, c=d]"},
    {"blanks around the sign", "Bearer a = b, c= \"d\"", "Bearer[a = b, c= \"d\"]"},
    {"several blanks", "Bearer   a=b", "Bearer[a=b]"},
    {"no comma", "Bearer a=b c=d", "!"},
    {"a string without end", "Bearer a=\"b", "!"},
    {"no value", "Bearer a=\"x\", b=", "Bearer[a=\"x\"]!"},
    {"no scheme", "\"x\"", "!"},
    {"a parameter first", "a=b", "!"},
    {"nonsense behind the scheme", "Bearer @", "!"},
    {"a good one and a bad one", "Basic realm=x, Bearer @", "Basic[realm=x]!"},
};

static void challenges_are_taken_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_buffer out;
        test_guard  guard;
        case_name(cases[i].name);
        deft_buffer_init(&out, NULL);
        describe(test_guard_copy(&guard, deft_view_of(cases[i].value)), &out);
        assert_view_equal(deft_buffer_view(&out), cases[i].challenges);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

static void parameters_are_found_by_name(void **state)
{
    (void)state;
    deft_view rest = deft_view_of("bearer Resource_Metadata=\"https://h/.well-known/x\", "
                                  "scope=\"a \\\"b\\\"\", scope=other, error = e");
    deft__http_challenge challenge;
    deft_buffer          value;
    deft_buffer_init(&value, NULL);
    assert_int_equal(deft__http_challenge_next(&rest, &challenge), DEFT_OK);
    assert_true(deft__http_challenge_parameter(&challenge, "resource_metadata", &value));
    assert_view_equal(deft_buffer_view(&value), "https://h/.well-known/x");
    deft_buffer_reset(&value);
    assert_true(deft__http_challenge_parameter(&challenge, "scope", &value));
    assert_view_equal(deft_buffer_view(&value), "a \"b\"");
    deft_buffer_reset(&value);
    assert_true(deft__http_challenge_parameter(&challenge, "error", &value));
    assert_view_equal(deft_buffer_view(&value), "e");
    assert_false(deft__http_challenge_parameter(&challenge, "realm", &value));
    deft_buffer_clear(&value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(challenges_are_taken_apart),
        cmocka_unit_test(parameters_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
