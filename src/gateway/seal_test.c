// A state is good for what it was given for, by whom it was given to, until it is too old.
#include "gateway/seal.h"

#include "support/allocator.h"
#include "support/test.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static const deft__seal_key     key     = {{1, 2, 3}};
static const deft__seal_binding binding = {
    .principal = 7, .server = 3, .method = "tools/call", .subject = {"a::b", 4}};

static deft_buffer state_of(deft__seal_kind kind, const char *text)
{
    const deft__sealed sealed = {
        .kind = kind, .number = 3, .expires_ms = 1000, .text = deft_view_of(text)};
    deft_buffer state;
    deft_buffer_init(&state, NULL);
    deft__seal_write(&key, &sealed, &binding, &state);
    assert_int_equal(state.status, DEFT_OK);
    return state;
}

static deft_status read_state(deft_view state, const deft__seal_binding *bound, uint64_t now_ms)
{
    deft__sealed sealed;
    return deft__seal_read(&key, state, bound, now_ms, NULL, &sealed);
}

static void a_state_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\"opaque \\\"1\\\"\"", "\"a.b.c\"", "."};
    for (size_t i = 0; i < array_size(texts); i++) {
        deft__sealed sealed;
        deft_buffer  text = state_of(DEFT__SEAL_SERVER, texts[i]);
        assert_int_equal(
            deft__seal_read(&key, deft_buffer_view(&text), &binding, 999, NULL, &sealed), DEFT_OK);
        assert_int_equal(sealed.kind, DEFT__SEAL_SERVER);
        assert_int_equal(sealed.number, 3);
        assert_int_equal(sealed.expires_ms, 1000);
        assert_view_equal(sealed.text, texts[i]);
        deft_buffer_clear(&text);
    }
}

static void a_state_is_for_one_call_of_one_principal(void **state)
{
    (void)state;
    static const struct {
        const char        *name;
        deft__seal_binding bound;
    } cases[] = {
        {"another principal", {8, 3, "tools/call", {"a::b", 4}}},
        {"another server", {7, 4, "tools/call", {"a::b", 4}}},
        {"another method", {7, 3, "prompts/get", {"a::b", 4}}},
        {"another tool", {7, 3, "tools/call", {"a::c", 4}}},
        {"no tool", {7, 3, "tools/call", {NULL, 0}}},
        {"the same bytes, divided otherwise", {7, 3, "tools/calla", {"::b", 3}}},
    };
    deft_buffer text = state_of(DEFT__SEAL_PARKED, "");
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_int_equal(read_state(deft_buffer_view(&text), &cases[i].bound, 0), DEFT_INVALID);
    }
    deft_buffer_clear(&text);
}

static void a_state_ends(void **state)
{
    (void)state;
    deft_buffer text = state_of(DEFT__SEAL_PARKED, "");
    assert_int_equal(read_state(deft_buffer_view(&text), &binding, 999), DEFT_OK);
    assert_int_equal(read_state(deft_buffer_view(&text), &binding, 1000), DEFT_LIMIT);
    assert_int_equal(read_state(deft_buffer_view(&text), &binding, UINT64_MAX), DEFT_LIMIT);
    deft_buffer_clear(&text);
}

static void another_key_made_another_state(void **state)
{
    (void)state;
    static const deft__seal_key other = {{1, 2, 4}};
    deft__sealed                sealed;
    deft_buffer                 text = state_of(DEFT__SEAL_PARKED, "");
    assert_int_equal(deft__seal_read(&other, deft_buffer_view(&text), &binding, 0, NULL, &sealed),
                     DEFT_INVALID);
    deft_buffer_clear(&text);
}

// Every byte counts: the kind, the numbers, the time, the seal, the text.
static void no_byte_can_be_changed_or_left_out(void **state)
{
    (void)state;
    deft_buffer text = state_of(DEFT__SEAL_SERVER, "\"opaque\"");
    for (size_t i = 0; i < text.size; i++) {
        const char was = text.data[i];
        for (int bit = 0; bit < 8; bit++) {
            text.data[i] = (char)(was ^ (1 << bit));
            assert_int_equal(read_state(deft_buffer_view(&text), &binding, 0), DEFT_INVALID);
        }
        text.data[i] = was;
        assert_int_equal(read_state(deft_view_make(text.data, i), &binding, 0), DEFT_INVALID);
    }
    deft_buffer_append_byte(&text, ' ');
    assert_int_equal(read_state(deft_buffer_view(&text), &binding, 0), DEFT_INVALID);
    deft_buffer_clear(&text);
}

static void what_is_no_state_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "deft",
        "deft.",
        "deft.s",
        "deft.s.",
        "deft.sx1.2.",
        "deft.x.1.2." ZEROS ".",
        "deft.s..2." ZEROS ".",
        "deft.s.1.-2." ZEROS ".",
        "deft.s.18446744073709551616.2." ZEROS ".",
        "deft.s.1.2.0" ZEROS ".",
        "deft.s.1.2." ZEROS,
        "deft.s.1.2." ZEROS ".",
        "deft.s.18446744073709551615.18446744073709551615." ZEROS ".",
    };
    for (size_t i = 0; i < array_size(texts); i++) {
        case_name(texts[i]);
        assert_int_equal(read_state(deft_view_of(texts[i]), &binding, 0), DEFT_INVALID);
    }
}

// A number is written in one way only, so that a state has one form.
static void a_number_has_one_form(void **state)
{
    (void)state;
    deft_buffer text = state_of(DEFT__SEAL_PARKED, "");
    deft_buffer other;
    deft_buffer_init(&other, NULL);
    deft_buffer_append_text(&other, "deft.p.0");
    deft_buffer_append(&other, deft_view_slice(deft_buffer_view(&text), 7, text.size));
    assert_int_equal(read_state(deft_buffer_view(&other), &binding, 0), DEFT_INVALID);
    deft_buffer_clear(&other);
    deft_buffer_clear(&text);
}

static bool seal_and_read(const deft_allocator *allocator, void *context)
{
    const deft__sealed sealed = {
        .kind = DEFT__SEAL_SERVER, .number = 3, .expires_ms = 9, .text = deft_view_of("\"x\"")};
    deft__sealed found;
    deft_buffer  text;
    (void)context;
    deft_buffer_init(&text, allocator);
    deft__seal_write(&key, &sealed, &binding, &text);
    deft_status status = text.status;
    if (status == DEFT_OK) {
        status = deft__seal_read(&key, deft_buffer_view(&text), &binding, 0, allocator, &found);
    }
    deft_buffer_clear(&text);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(seal_and_read, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_comes_back_as_it_was),
        cmocka_unit_test(a_state_is_for_one_call_of_one_principal),
        cmocka_unit_test(a_state_ends),
        cmocka_unit_test(another_key_made_another_state),
        cmocka_unit_test(no_byte_can_be_changed_or_left_out),
        cmocka_unit_test(what_is_no_state_is_refused),
        cmocka_unit_test(a_number_has_one_form),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
