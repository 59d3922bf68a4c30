// Servers that the user has put aside stay aside.
#include "store/quarantine.h"

#include "support/store.h"

static void add(void *context, deft_view name, uint64_t since)
{
    deft_buffer *out = context;
    deft_buffer_append(out, name);
    deft_buffer_append_byte(out, '@');
    deft_buffer_append_u64(out, since);
    deft_buffer_append_byte(out, ' ');
}

static void expect(deft__store *store, const char *text)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__quarantine_load(store, add, &found, &error), error);
    assert_view_equal(deft_buffer_view(&found), text);
    deft_buffer_clear(&found);
}

static void set(deft__store *store, const char *name, bool is_quarantined, uint64_t now_s)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__quarantine_set(store, deft_view_of(name), is_quarantined, now_s, &error),
              error);
}

static void servers_stay_aside_until_let_go(void **state)
{
    test_store *here = *state;
    expect(here->store, "");
    set(here->store, "slack", true, 1000);
    set(here->store, "files", true, 2000);
    set(here->store, "slack", true, 3000); // since then already
    set(here->store, "other", false, 3000);
    expect(here->store, "files@2000 slack@1000 ");
    test_store_reopen(here, NULL);
    set(here->store, "files", false, 4000);
    expect(here->store, "slack@1000 ");
}

static void without_a_store_none_is(void **state)
{
    (void)state;
    set(NULL, "slack", true, 1000);
    expect(NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_store(servers_stay_aside_until_let_go),
        cmocka_unit_test(without_a_store_none_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
