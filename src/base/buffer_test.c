// The growing text, and that its failures stick.
#include "deft/buffer.h"

#include "support/allocator.h"
#include "support/test.h"

static void what_is_appended_is_there(void **state)
{
    (void)state;
    deft_buffer buffer;
    deft_buffer_init(&buffer, NULL);
    assert_int_equal(deft_buffer_view(&buffer).size, 0);

    deft_buffer_append_text(&buffer, "tools: ");
    deft_buffer_append_u64(&buffer, 10000);
    deft_buffer_append_byte(&buffer, ',');
    deft_buffer_append(&buffer, deft_view_make(" more", 5));
    deft_buffer_append(&buffer, deft_view_make(NULL, 0));
    deft_buffer_append_text(&buffer, NULL);
    assert_view_equal(deft_buffer_view(&buffer), "tools: 10000, more");
    assert_int_equal(buffer.status, DEFT_OK);
    deft_buffer_clear(&buffer);
    assert_null(buffer.data);
}

static const struct {
    uint64_t    value;
    const char *text;
} numbers[] = {
    {0, "0"},
    {7, "7"},
    {10, "10"},
    {1234567890, "1234567890"},
    {UINT64_MAX, "18446744073709551615"},
};

static void numbers_in_decimal(void **state)
{
    (void)state;
    deft_buffer buffer;
    deft_buffer_init(&buffer, NULL);
    for (size_t i = 0; i < array_size(numbers); i++) {
        deft_buffer_reset(&buffer);
        deft_buffer_append_u64(&buffer, numbers[i].value);
        assert_view_equal(deft_buffer_view(&buffer), numbers[i].text);
    }
    deft_buffer_clear(&buffer);
}

static void truncating_only_shortens(void **state)
{
    (void)state;
    deft_buffer buffer;
    deft_buffer_init(&buffer, NULL);
    deft_buffer_append_text(&buffer, "deferred");
    deft_buffer_truncate(&buffer, 100);
    assert_view_equal(deft_buffer_view(&buffer), "deferred");
    deft_buffer_truncate(&buffer, 5);
    assert_view_equal(deft_buffer_view(&buffer), "defer");
    deft_buffer_clear(&buffer);
}

static void reset_keeps_the_memory(void **state)
{
    (void)state;
    test_allocator counting;
    test_allocator_init(&counting);
    deft_buffer buffer;
    deft_buffer_init(&buffer, &counting.allocator);
    for (int round = 0; round < 10; round++) {
        deft_buffer_append_text(&buffer, "the same length each time");
        deft_buffer_reset(&buffer);
    }
    assert_int_equal(counting.requests, 1);
    deft_buffer_clear(&buffer);
    assert_int_equal(counting.blocks, 0);
}

static void a_byte_at_a_time_asks_rarely(void **state)
{
    (void)state;
    test_allocator counting;
    test_allocator_init(&counting);
    deft_buffer buffer;
    deft_buffer_init(&buffer, &counting.allocator);
    for (int i = 0; i < 1 << 20; i++) {
        deft_buffer_append_byte(&buffer, 'x');
    }
    assert_int_equal(buffer.size, 1 << 20);
    assert_int_equal(counting.requests, 15); // 64 bytes, 128, ... 2^20
    deft_buffer_clear(&buffer);
}

static void a_failure_sticks_until_reset(void **state)
{
    (void)state;
    test_allocator failing;
    test_allocator_init(&failing);
    deft_buffer buffer;
    deft_buffer_init(&buffer, &failing.allocator);
    deft_buffer_append_text(&buffer, "before");

    failing.fail_at = 2;
    assert_false(deft_buffer_reserve(&buffer, 1000));
    assert_int_equal(buffer.status, DEFT_OUT_OF_MEMORY);
    assert_false(deft_buffer_reserve(&buffer, 1)); // though there would be room
    deft_buffer_append_text(&buffer, " after");
    deft_buffer_append_byte(&buffer, '!');
    deft_buffer_append_u64(&buffer, 1);
    assert_view_equal(deft_buffer_view(&buffer), "before");
    assert_int_equal(failing.requests, 2);

    deft_buffer_reset(&buffer);
    deft_buffer_append_text(&buffer, "again");
    assert_view_equal(deft_buffer_view(&buffer), "again");
    assert_int_equal(buffer.status, DEFT_OK);
    deft_buffer_clear(&buffer);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    deft_buffer buffer;
    deft_buffer_init(&buffer, NULL);
    deft_buffer_append_byte(&buffer, 'x');
    assert_false(deft_buffer_reserve(&buffer, SIZE_MAX));
    assert_int_equal(buffer.status, DEFT_OUT_OF_MEMORY);
    assert_view_equal(deft_buffer_view(&buffer), "x");
    deft_buffer_clear(&buffer);
}

static bool write_text(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_buffer buffer;
    deft_buffer_init(&buffer, allocator);
    for (int i = 0; i < 100; i++) {
        deft_buffer_append_text(&buffer, "word ");
    }
    const bool is_successful = buffer.status == DEFT_OK;
    assert_int_equal(buffer.size % 5, 0); // never half a word
    deft_buffer_clear(&buffer);
    return is_successful;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(write_text, NULL), 4); // 64, 128, 256, 512
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_appended_is_there),
        cmocka_unit_test(numbers_in_decimal),
        cmocka_unit_test(truncating_only_shortens),
        cmocka_unit_test(reset_keeps_the_memory),
        cmocka_unit_test(a_byte_at_a_time_asks_rarely),
        cmocka_unit_test(a_failure_sticks_until_reset),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
