// One server, its life and our conversation with it: the scripts of tests/golden/link, played and
// compared, and each played again with every allocation failing once. With DEFT_REWRITE set the
// files are made to say what happens now.
#include "gateway/link.h"

#include "support/allocator.h"
#include "support/link_script.h"
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>

#define SCRIPTS DEFT_TESTS_GOLDEN "/link"

static void read_file(const char *path, deft_buffer *text)
{
    char  block[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = 0;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        deft_buffer_append(text, deft_view_make(block, size));
    }
    (void)fclose(file);
    assert_int_equal(text->status, DEFT_OK);
}

static void write_file(const char *path, deft_view text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
}

// The first line in which two texts differ, for a person.
static void show_difference(deft_view got, deft_view want)
{
    size_t start = 0;
    for (size_t i = 0; i < got.size && i < want.size && got.data[i] == want.data[i]; i++) {
        start = got.data[i] == '\n' ? i + 1 : start;
    }
    const deft_view texts[] = {want, got};
    for (size_t i = 0; i < 2; i++) {
        const deft_view rest = deft_view_slice(texts[i], start, SIZE_MAX);
        const char     *end  = rest.size > 0 ? memchr(rest.data, '\n', rest.size) : NULL;
        print_error("%s %.*s\n", i == 0 ? "want" : "got ",
                    (int)(end != NULL ? (size_t)(end - rest.data) : rest.size),
                    rest.size > 0 ? rest.data : "");
    }
}

static size_t for_each_script(bool (*check)(const char *path, deft_view script))
{
    size_t count       = 0;
    bool   is_all_well = true;
    DIR   *folder      = opendir(SCRIPTS);
    assert_non_null(folder);
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (strstr(entry->d_name, ".txt") == NULL) {
            continue;
        }
        char        path[512];
        deft_buffer script;
        const int   size = snprintf(path, sizeof path, "%s/%s", SCRIPTS, entry->d_name);
        assert_true(size > 0 && (size_t)size < sizeof path);
        deft_buffer_init(&script, NULL);
        read_file(path, &script);
        case_name(entry->d_name);
        is_all_well = check(path, deft_buffer_view(&script)) && is_all_well;
        deft_buffer_clear(&script);
        count++;
    }
    (void)closedir(folder);
    assert_true(is_all_well);
    return count;
}

static bool check_script(const char *path, deft_view script)
{
    deft_buffer transcript;
    deft_buffer_init(&transcript, NULL);
    test_link_script_play(script, NULL, &transcript);
    const bool is_same = deft_view_equal(deft_buffer_view(&transcript), script);
    if (!is_same && getenv("DEFT_REWRITE") != NULL) {
        write_file(path, deft_buffer_view(&transcript));
    } else if (!is_same) {
        show_difference(deft_buffer_view(&transcript), script);
    }
    deft_buffer_clear(&transcript);
    return is_same || getenv("DEFT_REWRITE") != NULL;
}

static void conversations(void **state)
{
    (void)state;
    assert_true(for_each_script(check_script) > 0);
}

// Whatever fails, each request that was accepted ends exactly once (the player looks at that), and
// nothing is left behind.
static bool check_allocations(const char *path, deft_view script)
{
    (void)path;
    size_t fail_at = 0;
    size_t made    = 0;
    do {
        test_allocator failing;
        deft_buffer    transcript;
        test_allocator_init(&failing);
        deft_buffer_init(&transcript, NULL);
        failing.fail_at = ++fail_at;
        test_link_script_play(script, &failing.allocator, &transcript);
        deft_buffer_clear(&transcript);
        made = failing.requests;
        if (failing.blocks != 0) {
            print_error("request %zu failed: %zu blocks not given back\n", fail_at, failing.blocks);
            return false;
        }
    } while (made >= fail_at);
    return true;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_true(for_each_script(check_allocations) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversations),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
