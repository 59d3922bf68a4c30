// A key, a value and any bytes as a file to set it in: the first byte chooses the key, the first
// line is the value, the rest is the file. What comes out loads wherever what went in did, holds
// the value, and does not change when the same is set again.
#include "config/keys.h"
#include "deft/config.h"
#include "fuzz/fuzz.h"

// What a file says for `key`. Other keys may contradict the new value; where they do not, it is the
// one in force.
static void check_value(const deft_config *config, deft_view key, deft_view value)
{
    deft_config      *typed = deft_config_new(NULL, NULL);
    deft_config_entry entry;
    deft_config_entry wanted;
    check(typed != NULL);
    check(deft_config_set(typed, DEFT_LAYER_USER_FILE, key, value, deft_view_of("f"), NULL) ==
          DEFT_OK);
    if (deft_config_resolve(typed, NULL) == DEFT_OK) {
        check(deft_config_find_entry(config, key, &entry, NULL) == DEFT_OK);
        check(deft_config_find_entry(typed, key, &wanted, NULL) == DEFT_OK);
        // Rules of servers join those of the key.
        const bool is_rules = strcmp(entry.key, "toolSearch.servers") == 0 ||
                              strcmp(entry.key, "toolSearch.tools") == 0;
        check(is_rules || deft_view_equal(entry.value, wanted.value));
    }
    deft_config_free(typed);
}

static void check_edited(deft_view before, deft_view after, deft_view key, deft_view value)
{
    const deft_view name   = deft_view_of("f");
    deft_config    *config = deft_config_new(NULL, NULL);
    check(config != NULL);
    if (deft_config_add_file(config, DEFT_LAYER_USER_FILE, name, after, NULL) != DEFT_OK) {
        check(deft_config_add_file(config, DEFT_LAYER_USER_FILE, name, before, NULL) != DEFT_OK);
    } else if (deft_config_resolve(config, NULL) == DEFT_OK) {
        check_value(config, key, value);
    }
    deft_config_free(config);
}

// A token joins the file and leaves it again: both load where the file did, with it and without.
static void check_token(deft_view text)
{
    const deft_token_config token = {.name = deft_view_of("fuzz")};
    const deft_view         name  = deft_view_of("f");
    deft_config            *config;
    deft_buffer             with;
    deft_buffer             without;
    deft_buffer_init(&with, NULL);
    deft_buffer_init(&without, NULL);
    if (deft_config_add_token(text, &token, deft_view_of(NULL), &with, NULL) == DEFT_OK) {
        config = deft_config_new(NULL, NULL);
        check(config != NULL);
        const bool is_fine =
            deft_config_add_file(config, DEFT_LAYER_USER_FILE, name, text, NULL) == DEFT_OK;
        deft_config_free(config);
        config = deft_config_new(NULL, NULL);
        check(config != NULL);
        if (deft_config_add_file(config, DEFT_LAYER_USER_FILE, name, deft_buffer_view(&with),
                                 NULL) == DEFT_OK &&
            deft_config_resolve(config, NULL) == DEFT_OK) {
            check(deft_config_token_count(config) > 0);
        }
        deft_config_free(config);
        check(deft_config_remove_token(deft_buffer_view(&with), token.name, &without, NULL) ==
              DEFT_OK);
        config = deft_config_new(NULL, NULL);
        check(config != NULL);
        check(!is_fine || deft_config_add_file(config, DEFT_LAYER_USER_FILE, name,
                                               deft_buffer_view(&without), NULL) == DEFT_OK);
        deft_config_free(config);
    }
    deft_buffer_clear(&with);
    deft_buffer_clear(&without);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view input = deft_view_make((const char *)data, size);
    const char     *end   = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;
    if (end == NULL) {
        return 0;
    }
    const size_t    value_size = (size_t)(end - (input.data + 1));
    const deft_view value      = deft_view_slice(input, 1, value_size);
    const deft_view text       = deft_view_slice(input, value_size + 2, size);

    const deft_view key = deft_view_of(deft__key_info_of(data[0] % DEFT__KEY_COUNT)->name);

    check_token(text);
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer once;
    deft_buffer twice;
    deft_buffer_init(&once, NULL);
    deft_buffer_init(&twice, NULL);
    if (deft_config_edit(text, key, value, &once, &error) == DEFT_OK) {
        check(deft_config_edit(deft_buffer_view(&once), key, value, &twice, &error) == DEFT_OK);
        check(deft_view_equal(deft_buffer_view(&once), deft_buffer_view(&twice)));
        check_edited(text, deft_buffer_view(&once), key, value);
    } else {
        check(once.size == 0 && error.message[0] != '\0');
    }
    deft_buffer_clear(&once);
    deft_buffer_clear(&twice);
    return 0;
}
