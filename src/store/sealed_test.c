// The file of logins as sealed text.
#include "store/sealed.h"

#include "support/allocator.h"
#include "support/test.h"

#include <string.h>

#define BEGINNING "{\"version\":2,\"sealedWith\":\"keyring\",\"box\":\""

static const deft__box_key key = {.bytes = "0123456789abcdef0123456789abcde"};
static const uint8_t       nonce[DEFT__BOX_NONCE_BYTES] = "nonce-nonce";

static void what_is_sealed_is_read_again(void **state)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer out;
    (void)state;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&out, NULL);
    assert_true(deft__sealed_write(deft_view_of("{\"version\":1}"), &key, nonce, &text));
    assert_true(deft__sealed_is(deft_buffer_view(&text)));
    deft_buffer_append_byte(&text, '\n');
    assert_ok(deft__sealed_read(deft_buffer_view(&text), &key, &out, &error), error);
    assert_view_equal(deft_buffer_view(&out), "{\"version\":1}");
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
}

static void what_is_not_is_told_apart(void **state)
{
    static const char *const plain[] = {"", "{}", "{\"version\":1,\"logins\":[]}",
                                        "{\"version\":2}"};
    static const char *const bad[]   = {
          BEGINNING "",
          BEGINNING "\"}",
          BEGINNING "no base64\"}",
          BEGINNING "AAAA\"}",
          BEGINNING "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}",
          "{\"version\":1}",
    };
    (void)state;
    for (size_t i = 0; i < array_size(plain); i++) {
        assert_false(deft__sealed_is(deft_view_of(plain[i])));
    }
    for (size_t i = 0; i < array_size(bad); i++) {
        deft_error  error = DEFT_ERROR_INIT;
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        assert_int_equal(deft__sealed_read(deft_view_of(bad[i]), &key, &out, &error), DEFT_INVALID);
        assert_non_null(strstr(error.message, "is damaged, or sealed with a key"));
        assert_int_equal(out.size, 0);
        deft_buffer_clear(&out);
    }
}

static bool there_and_back(const deft_allocator *allocator, void *context)
{
    deft_buffer text;
    deft_buffer out;
    (void)context;
    deft_buffer_init(&text, allocator);
    deft_buffer_init(&out, allocator);
    const bool is_done = deft__sealed_write(deft_view_of("secret"), &key, nonce, &text) &&
                         deft__sealed_read(deft_buffer_view(&text), &key, &out, NULL) == DEFT_OK;
    deft_buffer_clear(&text);
    deft_buffer_clear(&out);
    return is_done;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(there_and_back, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_is_read_again),
        cmocka_unit_test(what_is_not_is_told_apart),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
