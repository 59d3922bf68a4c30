// The hash is SipHash-2-4, checked against the values that its authors publish (and OpenSSL's
// SipHash gives): key 00 01 .. 0f, input the bytes 00 01 .. size-1.
#include "base/hash.h"

#include "support/guard.h"
#include "support/test.h"

static const uint64_t published_seed = UINT64_C(0x0706050403020100);

static const struct {
    size_t   size;
    uint64_t hash;
} cases[] = {
    {0, UINT64_C(0x726fdb47dd0e0e31)},  {1, UINT64_C(0x74f839c593dc67fd)},
    {2, UINT64_C(0x0d6c8009d9a94f5a)},  {7, UINT64_C(0xab0200f58b01d137)},
    {8, UINT64_C(0x93f5f5799a932462)},  {9, UINT64_C(0x9e0082df0ba9e4b0)},
    {15, UINT64_C(0xa129ca6149be45e5)}, {16, UINT64_C(0x3f2acc7f57c29bdb)},
    {63, UINT64_C(0x958a324ceb064572)},
};

static void published_values(void **state)
{
    (void)state;
    char bytes[64];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)i;
    }
    for (size_t i = 0; i < array_size(cases); i++) {
        // Against a guard page: nothing behind the input is read.
        test_guard      guard;
        const deft_view input = test_guard_copy(&guard, deft_view_make(bytes, cases[i].size));
        if (deft__hash(input, published_seed) != cases[i].hash) {
            fail_msg("%zu bytes", cases[i].size);
        }
        test_guard_clear(&guard);
    }
}

static void the_seed_matters(void **state)
{
    (void)state;
    const deft_view text = deft_view_of("create_issue");
    assert_true(deft__hash(text, 1) != deft__hash(text, 2));
    assert_true(deft__hash(text, 1) == deft__hash(text, 1));
}

static void zero_bytes_at_the_end_matter(void **state)
{
    (void)state;
    assert_true(deft__hash(deft_view_make("a\0", 1), 0) != deft__hash(deft_view_make("a\0", 2), 0));
    assert_true(deft__hash(deft_view_make(NULL, 0), 0) != deft__hash(deft_view_make("\0", 1), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values),
        cmocka_unit_test(the_seed_matters),
        cmocka_unit_test(zero_bytes_at_the_end_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
