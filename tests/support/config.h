// config.h - settings in a test: files are added as text, and what came of them is told in one line.
#ifndef DEFT_TESTS_CONFIG_H
#define DEFT_TESTS_CONFIG_H

#include "deft/config.h"
#include "support/test.h"

deft_config *test_config_new(void); // free with deft_config_free()
deft_status  test_config_add(deft_config *config, deft_layer layer, const char *name,
                             const char *text, deft_error *error);

deft_config_entry test_config_find(const deft_config *config, const char *key);

// Fails the test unless the key is as `wanted` says: "value from origin".
void test_config_hold(const deft_config *config, const char *key, const char *wanted);

#endif
