// Bytes that several hold: freed once, after the last.
#include "base/bytes.h"

#include "support/allocator.h"
#include "support/test.h"

static int freed_count;

static void count_free(deft__bytes *bytes)
{
    (void)bytes;
    freed_count++;
}

static void the_last_release_frees(void **state)
{
    (void)state;
    deft__bytes bytes;
    freed_count = 0;
    deft__bytes_init(&bytes, deft_view_of("abc"), count_free);
    assert_ptr_equal(deft__bytes_retain(&bytes), &bytes);
    deft__bytes_release(&bytes);
    assert_int_equal(freed_count, 0);
    deft__bytes_release(&bytes);
    assert_int_equal(freed_count, 1);
}

static void nothing_is_fine(void **state)
{
    (void)state;
    assert_null(deft__bytes_retain(NULL));
    deft__bytes_release(NULL);
}

static bool copy(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__bytes *bytes = deft__bytes_copy(deft_view_of("abc"), allocator);
    if (bytes != NULL) {
        assert_view_equal(bytes->view, "abc");
        assert_int_equal((uintptr_t)bytes->view.data % _Alignof(max_align_t), 0);
    }
    deft__bytes_release(bytes);
    return bytes != NULL;
}

static void a_copy_is_whole_or_not_there(void **state)
{
    (void)state;
    assert_int_equal(test_every_allocation_fails(copy, NULL), 1);
    deft__bytes *nothing = deft__bytes_copy(deft_view_make(NULL, 0), NULL);
    assert_int_equal(nothing->view.size, 0);
    deft__bytes_release(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_release_frees),
        cmocka_unit_test(nothing_is_fine),
        cmocka_unit_test(a_copy_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
