// store.h - a store in a folder of its own, for one test.
#ifndef DEFT_TESTS_STORE_H
#define DEFT_TESTS_STORE_H

#include "store/store.h"
#include "support/folder.h"
#include "support/test.h"

typedef struct test_store {
    test_folder  folder;
    deft__store *store; // deft.db in it
} test_store;

// A test between these has a test_store as its state.
int test_store_set_up(void **state);
int test_store_tear_down(void **state);
#define test_with_store(name)                                                                      \
    cmocka_unit_test_setup_teardown(name, test_store_set_up, test_store_tear_down)

// Closes the store and opens it again; options NULL: the usual ones.
void test_store_reopen(test_store *here, const deft__store_options *options);

#endif
