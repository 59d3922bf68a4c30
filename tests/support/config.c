#include "support/config.h"

deft_config *test_config_new(void)
{
    deft_config *config = deft_config_new(NULL, NULL);
    assert_non_null(config);
    return config;
}

deft_status test_config_add(deft_config *config, deft_layer layer, const char *name,
                            const char *text, deft_error *error)
{
    return deft_config_add_file(config, layer, deft_view_of(name), deft_view_of(text), error);
}

deft_config_entry test_config_find(const deft_config *config, const char *key)
{
    deft_config_entry entry;
    assert_int_equal(deft_config_find_entry(config, deft_view_of(key), &entry, NULL), DEFT_OK);
    return entry;
}

void test_config_hold(const deft_config *config, const char *key, const char *wanted)
{
    const deft_config_entry entry = test_config_find(config, key);
    deft_buffer             text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append(&text, entry.value);
    deft_buffer_append_text(&text, " from ");
    assert_int_equal(deft_config_write_origin(&entry, &text), DEFT_OK);
    assert_view_equal(deft_buffer_view(&text), wanted);
    deft_buffer_clear(&text);
}
