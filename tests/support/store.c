#include "support/store.h"

void test_store_reopen(test_store *here, const deft__store_options *options)
{
    deft_error error = DEFT_ERROR_INIT;
    deft__store_close(here->store);
    here->store = deft__store_open(test_folder_join(&here->folder, "deft.db"), options, &error);
    if (here->store == NULL) {
        fail_msg("%s", error.message);
    }
}

int test_store_set_up(void **state)
{
    static test_store here;
    here = (test_store){.store = NULL};
    test_folder_init(&here.folder);
    test_store_reopen(&here, NULL);
    *state = &here;
    return 0;
}

int test_store_tear_down(void **state)
{
    test_store *here = *state;
    deft__store_close(here->store);
    test_folder_clear(&here->folder);
    return 0;
}
