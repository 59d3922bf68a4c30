// The library that remote servers need: loaded, missing, too old.
#include "transport/curl.h"

#include "support/test.h"

static void the_library_is_loaded_once_and_whole(void **state)
{
    (void)state;
    deft_error        error = DEFT_ERROR_INIT;
    const deft__curl *curl  = deft__curl_load(&error);
    assert_non_null(curl);
    assert_ptr_equal(curl, deft__curl_load(NULL));
    CURL *easy = curl->easy_init();
    assert_non_null(easy);
    curl->easy_cleanup(easy);
}

static void a_missing_library_is_named_with_what_to_install(void **state)
{
    (void)state;
    static const char *const names[] = {"libcurl-of-nobody.so.4", "libcurl-of-nobody.so.5", NULL};
    deft_error               error   = DEFT_ERROR_INIT;
    deft__curl               curl;
    assert_false(deft__curl_load_named(&curl, names, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    assert_non_null(strstr(error.message, "apt install libcurl4"));
}

static void a_library_without_our_functions_is_too_old(void **state)
{
    (void)state;
    static const char *const names[] = {"libm.so.6", NULL};
    deft_error               error   = DEFT_ERROR_INIT;
    deft__curl               curl;
    assert_false(deft__curl_load_named(&curl, names, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    assert_non_null(strstr(error.message, "curl_global_init"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_is_loaded_once_and_whole),
        cmocka_unit_test(a_missing_library_is_named_with_what_to_install),
        cmocka_unit_test(a_library_without_our_functions_is_too_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
