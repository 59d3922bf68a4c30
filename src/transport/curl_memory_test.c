// libcurl's memory behaves as that of the C library. That it is overwritten is proved in crypto/wiping_test.c.
#include "transport/curl_memory.h"

#include "support/test.h"

#include <stdint.h>
#include <string.h>

static void it_grows_and_shrinks_and_keeps_its_content(void **state)
{
    char *text = deft__curl_malloc(6);
    (void)state;
    assert_non_null(text);
    assert_int_equal((uintptr_t)text % _Alignof(max_align_t), 0);
    memcpy(text, "token", 6);
    text = deft__curl_realloc(text, 60000);
    assert_string_equal(text, "token");
    text = deft__curl_realloc(text, 6);
    assert_string_equal(text, "token");
    char *copy = deft__curl_strdup(text);
    deft__curl_free(text);
    assert_string_equal(copy, "token");
    deft__curl_free(copy);
    deft__curl_free(NULL);
    char *made = deft__curl_realloc(NULL, 0); // something, or nothing: it can be freed
    deft__curl_free(made);
}

static void an_array_is_all_zeros(void **state)
{
    static const char zeros[35] = {0};
    char             *array     = deft__curl_calloc(5, 7);
    (void)state;
    assert_memory_equal(array, zeros, 35);
    deft__curl_free(array);
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    assert_null(deft__curl_malloc(SIZE_MAX));
    assert_null(deft__curl_calloc(SIZE_MAX / 2, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_and_shrinks_and_keeps_its_content),
        cmocka_unit_test(an_array_is_all_zeros),
        cmocka_unit_test(sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
