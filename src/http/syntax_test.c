// Characters, lists, quoted strings, and base64 beside them.
#include "http/syntax.h"

#include "http/base64.h"
#include "support/guard.h"
#include "support/test.h"

static void classes_are_those_of_the_specifications(void **state)
{
    (void)state;
    for (int code = 0; code < 256; code++) {
        const char byte       = (char)code;
        const bool is_digit   = code >= '0' && code <= '9';
        const bool is_letter  = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
        const bool is_visible = code > 0x20 && code < 0x7f;
        const bool is_word    = is_digit || is_letter;
        const bool is_mark    = code != 0 && strchr("!#$%&'*+-.^_`|~", code) != NULL;
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_TOKEN), is_word || is_mark);
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_TARGET), is_visible && code != '#');
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_HOST),
                         is_word || (code != 0 && strchr("-._", code) != NULL));
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_TOKEN68),
                         is_word || (code != 0 && strchr("-._~+/", code) != NULL));
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_DIGIT), is_digit);
        const char *hex    = code != 0 ? strchr("0123456789abcdef", code | 0x20) : NULL;
        const bool  is_hex = hex != NULL && is_word;
        assert_int_equal(deft__http_is(byte, DEFT__HTTP_HEX), is_hex);
        assert_int_equal(deft__http_hex_value(byte), is_hex ? hex - "0123456789abcdef" : -1);
    }
}

// Every byte at every place of a word, since eight are looked at together.
static void values_hold_no_control_bytes(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 20; size++) {
        for (size_t at = 0; at < size; at++) {
            for (int code = 0; code < 256; code++) {
                char       text[20];
                test_guard guard;
                memset(text, code % 2 == 0 ? 'x' : '\xff', sizeof text);
                text[at]             = (char)code;
                const bool is_value  = (code >= 0x20 && code != 0x7f) || code == '\t';
                const bool is_sample = code % 16 == 0 || code < 0x22 || code == 0x7f;
                if (is_sample) {
                    const deft_view copy = test_guard_copy(&guard, deft_view_make(text, size));
                    assert_int_equal(deft__http_is_value(copy), is_value);
                    test_guard_clear(&guard);
                }
            }
        }
    }
    assert_true(deft__http_is_value(deft_view_make(NULL, 0)));
}

static void letters_are_the_same_in_any_case(void **state)
{
    (void)state;
    assert_true(deft__http_same_text(deft_view_of("Content-TYPE"), "content-type"));
    assert_false(deft__http_same_text(deft_view_of("Content-Typ"), "content-type"));
    assert_false(deft__http_same_text(deft_view_of("a@"), "a`")); // differ by the same bit
    assert_false(deft__http_same_text(deft_view_of("a["), "a{"));
    assert_view_equal(deft__http_trim(deft_view_of(" \t a b\t ")), "a b");
    assert_view_equal(deft__http_trim(deft_view_of(" \t ")), "");
}

static const struct {
    const char *name;
    const char *list;
    const char *items; // each in brackets
} lists[] = {
    {"items are trimmed", " a ,b,\tc d ", "[a][b][c d]"},
    {"empty items are none", ",, a,,b, ,", "[a][b]"},
    {"nothing", " , ", ""},
    {"commas in quotes are text", "a=\"b,c\",d", "[a=\"b,c\"][d]"},
    {"quotes in quotes are escaped", "\"a\\\",b\",c", "[\"a\\\",b\"][c]"},
    {"a quote without end takes the rest", "a,\"b,c", "[a][\"b,c]"},
    {"a backslash at the end", "\"a\\", "[\"a\\]"},
};

static void lists_are_split_at_commas(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(lists); i++) {
        deft_view   item;
        deft_buffer out;
        test_guard  guard;
        deft_view   rest = test_guard_copy(&guard, deft_view_of(lists[i].list));
        case_name(lists[i].name);
        deft_buffer_init(&out, NULL);
        while (deft__http_list_next(&rest, &item)) {
            deft_buffer_append_byte(&out, '[');
            deft_buffer_append(&out, item);
            deft_buffer_append_byte(&out, ']');
        }
        assert_view_equal(deft_buffer_view(&out), lists[i].items);
        deft_buffer_clear(&out);
        test_guard_clear(&guard);
    }
}

static const struct {
    const char *name;
    const char *text;
    size_t      size; // 0: no parameter
    const char *value;
} parameters[] = {
    {"a token", "a=b;c", 3, "b"},
    {"a string", "a=\"b c\" d", 7, "b c"},
    {"escapes", "a=\"b\\\"\\\\c\\d\"", 12, "b\"\\cd"},
    {"blanks around the sign", "a = b", 5, "b"},
    {"the empty string", "a=\"\"", 4, ""},
    {"no name", "=b", 0, NULL},
    {"no sign", "a", 0, NULL},
    {"no value", "a=", 0, NULL},
    {"a string without end", "a=\"b", 0, NULL},
};

static void parameters_are_names_with_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(parameters); i++) {
        deft_view   name;
        deft_view   value;
        deft_buffer out;
        case_name(parameters[i].name);
        deft_buffer_init(&out, NULL);
        assert_int_equal(deft__http_parameter(deft_view_of(parameters[i].text), &name, &value),
                         parameters[i].size);
        if (parameters[i].size > 0) {
            assert_view_equal(name, "a");
            deft__http_unquote(&out, value);
            assert_view_equal(deft_buffer_view(&out), parameters[i].value);
        }
        deft_buffer_clear(&out);
    }
}

static const struct {
    const char *bytes;
    const char *text;
} encoded[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"foobar", "Zm9vYmFy"},
    {"\xff\xfe\xfd", "//79"},
    {"Hello, \xe4\xb8\x96\xe7\x95\x8c", "SGVsbG8sIOS4lueVjA=="},
};

static void base64_is_written_and_read_in_one_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(encoded); i++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__base64_write(&out, deft_view_of(encoded[i].bytes));
        assert_view_equal(deft_buffer_view(&out), encoded[i].text);
        deft_buffer_reset(&out);
        assert_true(deft__base64_read(&out, deft_view_of(encoded[i].text)));
        assert_view_equal(deft_buffer_view(&out), encoded[i].bytes);
        deft_buffer_clear(&out);
    }
    static const char *const bad[] = {
        "Z",    "Zg",   "Zg=",  "Zg==Zg==", "Zh==",     "Zm9=", "Zm 9",
        "====", "=AAA", "A===", "Zm9v\n",   "Zm9vYg=A", "Zm-_", "Zm9v===="};
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_buffer out;
        case_name(bad[i]);
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, "kept");
        assert_false(deft__base64_read(&out, deft_view_of(bad[i])));
        assert_view_equal(deft_buffer_view(&out), "kept");
        deft_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_those_of_the_specifications),
        cmocka_unit_test(values_hold_no_control_bytes),
        cmocka_unit_test(letters_are_the_same_in_any_case),
        cmocka_unit_test(lists_are_split_at_commas),
        cmocka_unit_test(parameters_are_names_with_values),
        cmocka_unit_test(base64_is_written_and_read_in_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
