// Any bytes as a configuration file. A bad one changes nothing and says why; what a good one means
// can be set again, key by key, and means the same.
#include "deft/config.h"
#include "fuzz/fuzz.h"

static void check_again(const deft_config *config)
{
    deft_config *again = deft_config_new(NULL, NULL);
    check(again != NULL);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        const deft_config_entry entry = deft_config_entry_at(config, i);
        if (entry.layer != DEFT_LAYER_DEFAULT) {
            check(deft_config_set(again, DEFT_LAYER_COMMAND_LINE, deft_view_of(entry.key),
                                  entry.value, deft_view_of("--set"), NULL) == DEFT_OK);
        }
    }
    check(deft_config_resolve(again, NULL) == DEFT_OK);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        check(deft_view_equal(deft_config_entry_at(config, i).value,
                              deft_config_entry_at(again, i).value));
    }
    deft_config_free(again);
}

static void check_servers(const deft_config *config)
{
    for (size_t i = 0; i < deft_config_server_count(config); i++) {
        const deft_server_config *server = deft_config_server(config, i);
        check(server->name.size > 0 && server->line > 0);
        check(server->transport == DEFT_TRANSPORT_STDIO ? server->command.size > 0
                                                        : server->url.size > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view text   = deft_view_make((const char *)data, size);
    deft_error      error  = DEFT_ERROR_INIT;
    deft_config    *config = deft_config_new(NULL, NULL);
    check(config != NULL);
    const deft_status added =
        deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f"), text, &error);
    check((added == DEFT_OK) == (error.message[0] == '\0'));
    check(error.offset <= size * 8); // TOML grows when it is rewritten
    const deft_status resolved = deft_config_resolve(config, &error);
    if (added != DEFT_OK) {
        check(resolved == DEFT_OK && deft_config_server_count(config) == 0);
        check(deft_config_warning_count(config) == 0);
    } else if (resolved == DEFT_OK) {
        check_servers(config);
        check_again(config);
    } else {
        check(resolved == DEFT_CONFLICT && error.message[0] != '\0');
    }
    for (size_t i = 0; i < deft_config_warning_count(config); i++) {
        check(deft_config_warning(config, i)->message.size > 0);
    }
    deft_config_free(config);
    return 0;
}
