// What is in a box comes out as it went in, for who has the key, and for nobody else.
#include "crypto/box.h"

#include "support/allocator.h"
#include "support/test.h"

#include <string.h>

static const deft__box_key key = {.bytes = "0123456789abcdef0123456789abcde"};
static const uint8_t       nonce[DEFT__BOX_NONCE_BYTES] = "nonce-nonce";

static void what_goes_in_comes_out(void **state)
{
    static const char *const texts[] = {"", "x", "{\"version\": 1}",
                                        "longer than a block of the cipher, which has 16 bytes"};
    (void)state;
    for (size_t i = 0; i < array_size(texts); i++) {
        deft_buffer box;
        deft_buffer out;
        deft_buffer_init(&box, NULL);
        deft_buffer_init(&out, NULL);
        deft_buffer_append_text(&out, ">");
        assert_true(deft__box_seal(&key, nonce, deft_view_of(texts[i]), &box));
        assert_int_equal(box.size, 28 + strlen(texts[i]));
        assert_int_equal(deft__box_open(&key, deft_buffer_view(&box), &out), DEFT_OK);
        assert_view_equal(deft_view_slice(deft_buffer_view(&out), 1, out.size), texts[i]);
        deft_buffer_clear(&box);
        deft_buffer_clear(&out);
    }
}

// Test case 15 of the specification of GCM: a key, a nonce and a text whose tag is known.
static void it_is_the_cipher_that_it_says(void **state)
{
    static const deft__box_key known   = {.bytes = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                                    0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08,
                                                    0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                                    0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08}};
    static const uint8_t       once[]  = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
                                          0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
    static const uint8_t       plain[] = {
              0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf,
              0xf5, 0x26, 0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c,
              0x30, 0x3d, 0x8a, 0x31, 0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09,
              0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49, 0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5,
              0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39, 0x1a, 0xaf, 0xd2, 0x55};
    static const uint8_t tag[] = {0xb0, 0x94, 0xda, 0xc5, 0xd9, 0x34, 0x71, 0xbd,
                                  0xec, 0x1a, 0x50, 0x22, 0x70, 0xe3, 0xcc, 0x6c};
    deft_buffer          box;
    (void)state;
    deft_buffer_init(&box, NULL);
    assert_true(
        deft__box_seal(&known, once, deft_view_make((const char *)plain, sizeof plain), &box));
    assert_memory_equal(box.data + 12 + sizeof plain, tag, sizeof tag);
    deft_buffer_clear(&box);
}

static void what_was_changed_does_not_come_out(void **state)
{
    deft__box_key other = key;
    deft_buffer   box;
    deft_buffer   out;
    (void)state;
    deft_buffer_init(&box, NULL);
    deft_buffer_init(&out, NULL);
    assert_true(deft__box_seal(&key, nonce, deft_view_of("secret"), &box));
    other.bytes[31] ^= 1;
    assert_int_equal(deft__box_open(&other, deft_buffer_view(&box), &out), DEFT_INVALID);
    for (size_t i = 0; i < box.size; i++) {
        box.data[i] ^= 1;
        assert_int_equal(deft__box_open(&key, deft_buffer_view(&box), &out), DEFT_INVALID);
        box.data[i] ^= 1;
        assert_int_equal(deft__box_open(&key, deft_view_slice(deft_buffer_view(&box), 0, i), &out),
                         DEFT_INVALID);
    }
    assert_int_equal(out.size, 0);
    deft_buffer_clear(&box);
    deft_buffer_clear(&out);
}

static bool there_and_back(const deft_allocator *allocator, void *context)
{
    deft_buffer box;
    deft_buffer out;
    (void)context;
    deft_buffer_init(&box, allocator);
    deft_buffer_init(&out, allocator);
    const bool is_done = deft__box_seal(&key, nonce, deft_view_of("secret"), &box) &&
                         deft__box_open(&key, deft_buffer_view(&box), &out) == DEFT_OK;
    deft_buffer_clear(&box);
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
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(it_is_the_cipher_that_it_says),
        cmocka_unit_test(what_was_changed_does_not_come_out),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
