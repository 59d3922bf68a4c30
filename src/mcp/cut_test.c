// Members cut out of JSON text: every choice of members, with and without something put in.
#include "mcp/cut.h"

#include "support/test.h"

#define MEMBERS 5

static const char *const texts[] = {
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}",
    " { \"a\" : 1 , \"b\" : 2 ,\n\"c\" : 3 , \"d\" : 4 , \"e\" : 5 } ",
    "{\"a\":{\"x\":1},\"b\":[1,2],\"c\":\"},{\",\"d\":{},\"e\":null}",
};

// Cuts the members whose bits are set, and puts one in where `is_put`.
static void cut_members(deft_buffer *out, deft__json_value root, unsigned bits, bool is_put)
{
    deft__cut cut;
    deft__cut_init(&cut, out, root.document->text);
    deft__cut_object object = deft__cut_enter(&cut, root);
    for (unsigned bit = 1; deft__cut_next(&cut, &object); bit <<= 1) {
        if ((bits & bit) != 0) {
            deft__cut_member(&cut, &object);
        }
    }
    if (is_put) {
        deft__json_writer writer = deft__cut_leave(&cut, &object);
        deft__json_name(&writer, "z");
        deft__json_write_bool(&writer, true);
    }
    deft__cut_finish(&cut);
}

static void expect_members(deft_view text, deft__json_value root, unsigned bits, bool is_put)
{
    deft__json document;
    deft_error error = DEFT_ERROR_INIT;
    deft__json_init(&document, NULL);
    assert_ok(deft__json_parse(&document, text, NULL, &error), error);
    deft__json_iterator was = deft__json_iterate(root);
    deft__json_iterator is  = deft__json_iterate(deft__json_root(&document));
    for (unsigned bit = 1; deft__json_next(&was); bit <<= 1) {
        if ((bits & bit) == 0) {
            assert_true(deft__json_next(&is));
            assert_true(deft_view_equal(deft__json_raw(was.name), deft__json_raw(is.name)));
            assert_true(deft_view_equal(deft__json_raw(was.value), deft__json_raw(is.value)));
        }
    }
    assert_int_equal(deft__json_next(&is), is_put);
    assert_true(!is_put || deft__json_string_equals(is.name, deft_view_of("z")));
    deft__json_clear(&document);
}

static void every_choice_of_members(void **state)
{
    (void)state;
    deft__json  document;
    deft_buffer out;
    deft__json_init(&document, NULL);
    deft_buffer_init(&out, NULL);
    for (size_t i = 0; i < array_size(texts); i++) {
        assert_int_equal(deft__json_parse(&document, deft_view_of(texts[i]), NULL, NULL), DEFT_OK);
        const deft__json_value root = deft__json_root(&document);
        for (unsigned bits = 0; bits < 1u << MEMBERS; bits++) {
            for (int is_put = 0; is_put <= 1; is_put++) {
                deft_buffer_reset(&out);
                cut_members(&out, root, bits, is_put != 0);
                expect_members(deft_buffer_view(&out), root, bits, is_put != 0);
            }
        }
        deft_buffer_reset(&out);
        cut_members(&out, root, 0, false);
        assert_view_equal(deft_buffer_view(&out), texts[i]);
    }
    deft_buffer_clear(&out);
    deft__json_clear(&document);
}

static void an_empty_object(void **state)
{
    (void)state;
    deft__json  document;
    deft_buffer out;
    deft__json_init(&document, NULL);
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft__json_parse(&document, deft_view_of("{ }"), NULL, NULL), DEFT_OK);
    cut_members(&out, deft__json_root(&document), 0, true);
    assert_view_equal(deft_buffer_view(&out), "{ \"z\":true}");
    deft_buffer_clear(&out);
    deft__json_clear(&document);
}

// Cuts inside a member that stays, before one that goes.
static void objects_inside_objects(void **state)
{
    (void)state;
    deft__json  document;
    deft_buffer out;
    deft__cut   cut;
    deft__json_init(&document, NULL);
    deft_buffer_init(&out, NULL);
    assert_int_equal(
        deft__json_parse(
            &document,
            deft_view_of(
                "{\"x\":0,\"in\":{\"x\":1,\"a\":2,\"x\":3},\"x\":{\"a\":1},\"in\":{\"x\":1}}"),
            NULL, NULL),
        DEFT_OK);
    deft__cut_init(&cut, &out, document.text);
    deft__cut_object outer = deft__cut_enter(&cut, deft__json_root(&document));
    while (deft__cut_next(&cut, &outer)) {
        if (deft__json_string_equals(outer.i.name, deft_view_of("x"))) {
            deft__cut_member(&cut, &outer);
            continue;
        }
        deft__cut_object inner = deft__cut_enter(&cut, outer.i.value);
        while (deft__cut_next(&cut, &inner)) {
            if (deft__json_string_equals(inner.i.name, deft_view_of("x"))) {
                deft__cut_member(&cut, &inner);
            }
        }
    }
    deft__cut_finish(&cut);
    assert_view_equal(deft_buffer_view(&out), "{\"in\":{\"a\":2},\"in\":{}}");
    deft_buffer_clear(&out);
    deft__json_clear(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_of_members),
        cmocka_unit_test(an_empty_object),
        cmocka_unit_test(objects_inside_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
