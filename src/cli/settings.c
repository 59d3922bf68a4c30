// deft settings: reads and writes single settings, and shows where each came from (E2, E3).
#include "deft/settings.h"

#include "cli/discovery.h"
#include "cli/files.h"
#include "cli/table.h"
#include "cli/text.h"
#include "json/writer.h"

#include <string.h>

static const char *layer_word(deft_layer layer)
{
    switch (layer) {
    case DEFT_LAYER_DEFAULT:
        return "default";
    case DEFT_LAYER_PRESET:
        return "preset";
    case DEFT_LAYER_USER_FILE:
        return "user";
    case DEFT_LAYER_PROJECT_FILE:
        return "project";
    case DEFT_LAYER_ENVIRONMENT:
        return "environment";
    case DEFT_LAYER_COMMAND_LINE:
        return "command-line";
    }
    return "unknown";
}

static void append_origin(deft_buffer *out, const deft_config_entry *entry)
{
    deft_buffer_reset(out);
    if (deft_config_write_origin(entry, out) != DEFT_OK) {
        out->status = DEFT_OUT_OF_MEMORY;
    }
}

// --- Reading. ------------------------------------------------------------------------------------

static void write_entry(deft__json_writer *json, const deft_config_entry *entry,
                        deft_buffer *origin)
{
    append_origin(origin, entry);
    deft__json_begin_object(json);
    deft__json_name(json, "key");
    deft__json_write_text(json, entry->key);
    deft__json_name(json, "value");
    if (entry->value.size > 0) {
        deft__json_write_string(json, entry->value);
    } else {
        deft__json_write_null(json);
    }
    deft__json_name(json, "layer");
    deft__json_write_text(json, layer_word(entry->layer));
    deft__json_name(json, "origin");
    deft__json_write_string(json, deft_buffer_view(origin));
    deft__json_name(json, "description");
    deft__json_write_text(json, entry->description);
    deft__json_name(json, "accepts");
    deft__json_write_text(json, entry->accepts);
    deft__json_end_object(json);
}

static void print_all_json(deft__cli *cli, const deft_config *config)
{
    deft_buffer       text;
    deft_buffer       origin;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&origin, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "settings");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        const deft_config_entry entry = deft_config_entry_at(config, i);
        write_entry(&json, &entry, &origin);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    deft_buffer_clear(&origin);
    deft__print_result(&cli->output, &text);
}

static void print_all(deft__cli *cli, const deft_config *config)
{
    static const deft__column columns[] = {{"KEY", false}, {"VALUE", false}, {"ORIGIN", false}};

    const bool  has_origin = deft__invocation_has(&cli->invocation, DEFT__FLAG_ORIGIN);
    deft__table table;
    deft_buffer origin;
    deft__table_init(&table, columns, has_origin ? 3 : 2);
    deft_buffer_init(&origin, NULL);
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        const deft_config_entry entry = deft_config_entry_at(config, i);
        deft__table_text(&table, deft_view_of(entry.key));
        if (entry.value.size > 0) {
            deft__table_text(&table, entry.value);
        } else {
            deft__table_colored(&table, DEFT__COLOR_DIM, deft_view_of("(unset)"));
        }
        if (has_origin) {
            append_origin(&origin, &entry);
            deft__table_text(&table, deft_buffer_view(&origin));
        }
    }
    if (deft__table_print(&table, &cli->output) != DEFT_OK) {
        cli->output.text.status = DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_clear(&origin);
    deft__table_clear(&table);
}

// The value alone, so that a script can use it; its origin behind a tab.
static int print_one(deft__cli *cli, const deft_config *config, const char *key)
{
    deft_error        error = DEFT_ERROR_INIT;
    deft_config_entry entry;
    if (deft_config_find_entry(config, deft_view_of(key), &entry, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return DEFT__EXIT_WRONG;
    }
    const bool  is_set = entry.value.size > 0;
    deft_buffer origin;
    deft_buffer_init(&origin, NULL);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft_buffer       text;
        deft__json_writer json;
        deft_buffer_init(&text, NULL);
        deft__json_writer_init(&json, &text);
        write_entry(&json, &entry, &origin);
        deft__print_result(&cli->output, &text);
    } else if (is_set || deft__invocation_has(&cli->invocation, DEFT__FLAG_ORIGIN)) {
        deft__append_safe_text(&cli->output.text, entry.value);
        if (deft__invocation_has(&cli->invocation, DEFT__FLAG_ORIGIN)) {
            append_origin(&origin, &entry);
            deft__print(&cli->output, "\t");
            deft__append_safe_text(&cli->output.text, deft_buffer_view(&origin));
        }
        deft__print(&cli->output, "\n");
    }
    deft_buffer_clear(&origin);
    return is_set ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}

static int read_settings(deft__cli *cli, const char *key)
{
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_USER)) {
        deft__complain(&cli->output, "--user says where to write; a key and a value are missing");
        return DEFT__EXIT_WRONG;
    }
    deft_config *config = deft__config_read(cli);
    if (config == NULL) {
        return DEFT__EXIT_WRONG;
    }
    int exit_code = DEFT__EXIT_FOUND;
    if (key != NULL) {
        exit_code = print_one(cli, config, key);
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_all_json(cli, config);
    } else {
        print_all(cli, config);
    }
    deft_config_free(config);
    return exit_code;
}

// --- Writing. ------------------------------------------------------------------------------------

// Which file: the one named with --config, the user's, the project's, or a new one right here.
static bool file_to_write(deft__cli *cli, deft_buffer *path)
{
    const char *named = deft__invocation_value(&cli->invocation, DEFT__FLAG_CONFIG);
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_USER)) {
        if (named != NULL) {
            deft__complain(&cli->output, "--user and --config both say where to write; give one");
            return false;
        }
        if (!deft__user_file(path)) {
            deft__complain(&cli->output, "there is no home directory to write to; set HOME");
            return false;
        }
    } else if (named != NULL) {
        deft_buffer_append_text(path, named);
        deft_buffer_append_byte(path, '\0');
    } else if (!deft__project_file(path)) {
        deft_buffer_reset(path);
        deft_buffer_append(path, deft_view_make("deft.json", sizeof "deft.json")); // with its NUL
    }
    return path->status == DEFT_OK;
}

// The file's text with the key set, checked as a whole: a file that contradicts itself helps
// nobody. Where a file cannot be changed because of what is in it, its line is named.
static deft_status edit(const char *path, const char *key, const char *value, deft_buffer *out,
                        deft_error *error)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_status status =
        deft__file_read(path, DEFT__CONFIG_FILE_SIZE_MAX, "settings as JSON", &text, error);
    if (status == DEFT_NOT_FOUND || deft__file_is_empty(path)) {
        status = DEFT_OK; // a new file
    }
    if (status == DEFT_OK) {
        status = deft_config_edit(deft_buffer_view(&text), deft_view_of(key), deft_view_of(value),
                                  out, error);
        if (status == DEFT_OK) {
            status = deft__config_check_text(path, deft_buffer_view(out), error);
        } else if (text.size > 0) {
            (void)deft__config_check_text(path, deft_buffer_view(&text),
                                          error); // a better reason, if it has one
        }
    }
    deft_buffer_clear(&text);
    return status;
}

// A value that something stronger hides was written, but will not be seen: that is worth a word.
static void tell_hidden(deft__cli *cli, const char *key, deft_layer written)
{
    deft_config      *config = deft__config_read(cli);
    deft_config_entry entry;
    if (config != NULL &&
        deft_config_find_entry(config, deft_view_of(key), &entry, NULL) == DEFT_OK &&
        entry.layer > written) {
        deft_buffer origin;
        deft_buffer_init(&origin, NULL);
        append_origin(&origin, &entry);
        deft__note(&cli->output, "%s stays %.*s: %.*s is stronger", entry.key,
                   (int)entry.value.size, entry.value.data, (int)origin.size, origin.data);
        deft_buffer_clear(&origin);
    }
    deft_config_free(config);
}

static int write_setting(deft__cli *cli, const char *key, const char *value)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer path;
    deft_buffer text;
    deft_buffer_init(&path, NULL);
    deft_buffer_init(&text, NULL);
    bool is_done = file_to_write(cli, &path);
    if (is_done) {
        deft_status status = edit(path.data, key, value, &text, &error);
        if (status == DEFT_OK) {
            status = deft__file_replace(path.data, deft_buffer_view(&text), &error);
        }
        is_done = status == DEFT_OK;
        if (is_done) {
            deft__detail(&cli->output, "wrote %s to %s", key, path.data);
            tell_hidden(cli, key,
                        deft__invocation_has(&cli->invocation, DEFT__FLAG_USER)
                            ? DEFT_LAYER_USER_FILE
                            : DEFT_LAYER_PROJECT_FILE);
        } else {
            deft__complain(&cli->output, "%s", error.message);
        }
    }
    deft_buffer_clear(&text);
    deft_buffer_clear(&path);
    return is_done ? DEFT__EXIT_FOUND : DEFT__EXIT_WRONG;
}

int deft__command_settings(deft__cli *cli)
{
    const char *const *words  = (const char *const *)cli->invocation.operands;
    size_t             count  = cli->invocation.operand_count;
    const char        *verb   = count > 0 ? words[0] : "";
    const bool         is_get = strcmp(verb, "get") == 0;
    const bool         is_set = strcmp(verb, "set") == 0;
    if (is_get || is_set) {
        words++;
        count--;
    }
    if (is_set && count != 2) {
        deft__complain(&cli->output, "'deft settings set' needs a key and a value");
        return DEFT__EXIT_WRONG;
    } else if (is_get && count != 1) {
        deft__complain(&cli->output, "'deft settings get' needs one key");
        return DEFT__EXIT_WRONG;
    } else if (count > 2) {
        deft__complain(&cli->output, "'deft settings' does not know what to do with '%s'",
                       words[2]);
        return DEFT__EXIT_WRONG;
    } else if (count == 2) {
        return write_setting(cli, words[0], words[1]);
    } else {
        return read_settings(cli, count == 1 ? words[0] : NULL);
    }
}
