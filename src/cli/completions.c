// Completion scripts for three shells, printed from the tables of commands.h. The keys of settings
// are written into the script: completing must not start a program at every key press.
#include "cli/cli.h"
#include "deft/config.h"
#include "json/writer.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static void append_words(deft_buffer *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        deft_buffer_append_text(out, i == 0 ? "" : " ");
        deft_buffer_append_text(out, words[i]);
    }
}

static void append_command_names(deft_buffer *out, const char *separator)
{
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        deft_buffer_append_text(out, i == 0 ? "" : separator);
        deft_buffer_append_text(out, deft__command_at(i)->name);
    }
}

static void append_setting_keys(deft_buffer *out)
{
    deft_config *config = deft_config_new(NULL, NULL);
    if (config == NULL) {
        out->status = DEFT_OUT_OF_MEMORY;
        return;
    }
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        deft_buffer_append_text(out, i == 0 ? "" : " ");
        deft_buffer_append_text(out, deft_config_entry_at(config, i).key);
    }
    deft_config_free(config);
}

// What may stand where `command` (NULL: none yet) takes an operand, with spaces between.
static void append_operand_words(deft_buffer *out, const deft__command *command)
{
    switch (command != NULL ? command->operand_kind : DEFT__OPERAND_COMMAND) {
    case DEFT__OPERAND_COMMAND:
        append_command_names(out, " ");
        break;
    case DEFT__OPERAND_SHELL:
        append_words(out, shells);
        break;
    case DEFT__OPERAND_TOOL_SEARCH:
        deft_buffer_append_text(out, "status reset");
        break;
    case DEFT__OPERAND_QUARANTINE:
        deft_buffer_append_text(out, "add remove");
        break;
    case DEFT__OPERAND_TOKEN:
        deft_buffer_append_text(out, "list new remove");
        break;
    case DEFT__OPERAND_SETTING:
        deft_buffer_append_text(out, "get set ");
        append_setting_keys(out);
        break;
    case DEFT__OPERAND_NONE:
    case DEFT__OPERAND_TEXT:
    case DEFT__OPERAND_DIRECTORY: // the shell knows them
        break;
    }
}

// Text inside single quotes: a quote ends them, stands for itself, and begins them again. For zsh,
// `also` is escaped with a backslash, since its descriptions have a syntax of their own.
static void append_quoted(deft_buffer *out, const char *text, const char *also)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            deft_buffer_append_text(out, "'\\''");
        } else {
            if (strchr(also, *text) != NULL) {
                deft_buffer_append_byte(out, '\\');
            }
            deft_buffer_append_byte(out, *text);
        }
    }
}

// --- bash. ---------------------------------------------------------------------------------------

static void append_bash_flags(deft_buffer *out, const deft__command *command)
{
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag_id id = (deft__flag_id)i;
        if (command != NULL ? deft__command_takes(command, id) : deft__flag_at(id)->is_global) {
            deft_buffer_append_text(out, i == 0 ? "--" : " --");
            deft_buffer_append_text(out, deft__flag_at(id)->name);
        }
    }
}

// What may stand behind a flag that takes a value.
static void append_bash_values(deft_buffer *out)
{
    deft_buffer_append_text(out, "    case $previous in\n");
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag *flag = deft__flag_at((deft__flag_id)i);
        if (flag->kind == DEFT__VALUE_NONE) {
            continue;
        }
        deft_buffer_append_text(out, "    --");
        deft_buffer_append_text(out, flag->name);
        if (flag->kind == DEFT__VALUE_FILE || flag->kind == DEFT__VALUE_PATH) {
            deft_buffer_append_text(out, ")\n        _deft_files\n        return\n        ;;\n");
        } else {
            deft_buffer_append_text(out, ")\n        words=\"");
            if (flag->kind == DEFT__VALUE_CHOICE) {
                append_words(out, flag->choices);
            } else if (flag->kind == DEFT__VALUE_PAIR) {
                append_setting_keys(out);
            }
            deft_buffer_append_text(out, "\"\n        _deft_words\n        return\n        ;;\n");
        }
    }
    deft_buffer_append_text(out, "    esac\n");
}

static void append_bash_case(deft_buffer *out, const deft__command *command)
{
    deft_buffer_append_text(out, "    ");
    deft_buffer_append_text(out, command != NULL ? command->name : "''");
    deft_buffer_append_text(out, ")\n        flags=\"");
    append_bash_flags(out, command);
    deft_buffer_append_text(out, "\"\n        words=\"");
    append_operand_words(out, command);
    deft_buffer_append_text(out, "\"\n");
    if (command != NULL && command->operand_kind == DEFT__OPERAND_DIRECTORY) {
        deft_buffer_append_text(out, "        if [[ $current != -* ]]; then\n"
                                     "            _deft_files\n"
                                     "            return\n"
                                     "        fi\n");
    }
    deft_buffer_append_text(out, "        ;;\n");
}

static void append_bash(deft_buffer *out)
{
    deft_buffer_append_text(
        out, "# bash completion for deft, written by 'deft completions bash'\n"
             "\n"
             "_deft_words() {\n"
             "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
             "}\n"
             "\n"
             "_deft_files() {\n"
             "    compopt -o filenames 2>/dev/null\n"
             "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
             "}\n"
             "\n"
             "_deft() {\n"
             "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
             "    local command='' flags='' words='' i\n"
             "    # --flag=value comes as three words\n"
             "    if [[ $current == '=' ]]; then\n"
             "        current=''\n"
             "    elif [[ $previous == '=' && $COMP_CWORD -gt 2 ]]; then\n"
             "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
             "    fi\n");
    append_bash_values(out);
    deft_buffer_append_text(out, "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                 "        case ${COMP_WORDS[i]} in\n        ");
    append_command_names(out, " | ");
    deft_buffer_append_text(out, ")\n"
                                 "            command=${COMP_WORDS[i]}\n"
                                 "            break\n"
                                 "            ;;\n"
                                 "        esac\n"
                                 "    done\n"
                                 "    case $command in\n");
    append_bash_case(out, NULL);
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        append_bash_case(out, deft__command_at(i));
    }
    deft_buffer_append_text(out, "    esac\n"
                                 "    if [[ $current == -* ]]; then\n"
                                 "        words=$flags\n"
                                 "    fi\n"
                                 "    _deft_words\n"
                                 "}\n"
                                 "\n"
                                 "complete -F _deft deft\n");
}

// --- zsh. ----------------------------------------------------------------------------------------

// One specification of _arguments: '*--flag=[help]:VALUE:action'.
static void append_zsh_flag(deft_buffer *out, const deft__flag *flag, const char *name)
{
    deft_buffer_append_text(out, flag->is_repeatable ? " \\\n        '*" : " \\\n        '");
    deft_buffer_append_text(out, name);
    deft_buffer_append_text(out, flag->kind != DEFT__VALUE_NONE ? "=[" : "[");
    append_quoted(out, flag->help, "[]:\\");
    deft_buffer_append_byte(out, ']');
    if (flag->kind != DEFT__VALUE_NONE) {
        deft_buffer_append_byte(out, ':');
        append_quoted(out, flag->value_name, "[]:\\");
        deft_buffer_append_byte(out, ':');
        if (flag->kind == DEFT__VALUE_CHOICE) {
            deft_buffer_append_byte(out, '(');
            append_words(out, flag->choices);
            deft_buffer_append_byte(out, ')');
        } else if (flag->kind == DEFT__VALUE_PAIR) {
            deft_buffer_append_byte(out, '(');
            append_setting_keys(out);
            deft_buffer_append_byte(out, ')');
        } else if (flag->kind == DEFT__VALUE_FILE || flag->kind == DEFT__VALUE_PATH) {
            deft_buffer_append_text(out, "_files");
        }
    }
    deft_buffer_append_byte(out, '\'');
}

static void append_zsh_flags(deft_buffer *out, const deft__command *command)
{
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag_id id   = (deft__flag_id)i;
        const deft__flag   *flag = deft__flag_at(id);
        if (command != NULL ? (command->flags & DEFT__FLAG_BIT(i)) != 0 : flag->is_global) {
            deft_buffer name;
            deft_buffer_init(&name, out->allocator);
            deft_buffer_append_text(&name, "--");
            deft_buffer_append_text(&name, flag->name);
            deft_buffer_append_byte(&name, '\0');
            append_zsh_flag(out, flag, name.status == DEFT_OK ? name.data : "");
            deft_buffer_clear(&name);
            if (flag->letter != 0) {
                const char letter[] = {'-', flag->letter, '\0'};
                append_zsh_flag(out, flag, letter);
            }
        }
    }
}

static void append_zsh_case(deft_buffer *out, const deft__command *command)
{
    deft_buffer_append_text(out, "    ");
    deft_buffer_append_text(out, command->name);
    deft_buffer_append_text(out, ")\n        _arguments $global");
    append_zsh_flags(out, command);
    deft_buffer words;
    deft_buffer_init(&words, out->allocator);
    append_operand_words(&words, command);
    if (command->operand_kind == DEFT__OPERAND_DIRECTORY) {
        deft_buffer_append_text(out, " \\\n        '*:directory:_files -/'");
    } else if (words.size > 0) {
        deft_buffer_append_text(out, " \\\n        '*:");
        append_quoted(out, command->operands, "[]:\\");
        deft_buffer_append_text(out, ":(");
        deft_buffer_append(out, deft_buffer_view(&words));
        deft_buffer_append_text(out, ")'");
    }
    deft_buffer_clear(&words);
    deft_buffer_append_text(out, "\n        ;;\n");
}

static void append_zsh(deft_buffer *out)
{
    deft_buffer_append_text(out, "#compdef deft\n"
                                 "# zsh completion for deft, written by 'deft completions zsh'\n"
                                 "\n"
                                 "_deft() {\n"
                                 "    local curcontext=$curcontext state line\n"
                                 "    local -a commands global\n"
                                 "    commands=(\n");
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        deft_buffer_append_text(out, "        '");
        deft_buffer_append_text(out, deft__command_at(i)->name);
        deft_buffer_append_byte(out, ':');
        append_quoted(out, deft__command_at(i)->summary, ":\\");
        deft_buffer_append_text(out, "'\n");
    }
    deft_buffer_append_text(out, "    )\n    global=(");
    append_zsh_flags(out, NULL);
    deft_buffer_append_text(out, "\n    )\n"
                                 "    _arguments -C $global '1:command:->command' "
                                 "'*::argument:->argument'\n"
                                 "    case $state in\n"
                                 "    command)\n"
                                 "        _describe -t commands command commands\n"
                                 "        return\n"
                                 "        ;;\n"
                                 "    esac\n"
                                 "    case $line[1] in\n");
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        append_zsh_case(out, deft__command_at(i));
    }
    // Read from a file of $fpath the body is the function; sourced, it has to be announced.
    deft_buffer_append_text(out, "    esac\n"
                                 "}\n"
                                 "\n"
                                 "if [[ $funcstack[1] == _deft ]]; then\n"
                                 "    _deft \"$@\"\n"
                                 "else\n"
                                 "    compdef _deft deft\n"
                                 "fi\n");
}

// --- fish. ---------------------------------------------------------------------------------------

static void append_fish_flag(deft_buffer *out, const deft__flag *flag, const char *command)
{
    deft_buffer_append_text(out, "complete -c deft");
    if (command != NULL) {
        deft_buffer_append_text(out, " -n '__fish_seen_subcommand_from ");
        deft_buffer_append_text(out, command);
        deft_buffer_append_byte(out, '\'');
    }
    deft_buffer_append_text(out, " -l ");
    deft_buffer_append_text(out, flag->name);
    if (flag->letter != 0) {
        deft_buffer_append_text(out, " -s ");
        deft_buffer_append_byte(out, flag->letter);
    }
    if (flag->kind == DEFT__VALUE_FILE || flag->kind == DEFT__VALUE_PATH) {
        deft_buffer_append_text(out, " -r -F");
    } else if (flag->kind != DEFT__VALUE_NONE) {
        deft_buffer_append_text(out, " -x");
    }
    if (flag->kind == DEFT__VALUE_CHOICE || flag->kind == DEFT__VALUE_PAIR) {
        deft_buffer_append_text(out, " -a '");
        if (flag->kind == DEFT__VALUE_CHOICE) {
            append_words(out, flag->choices);
        } else {
            append_setting_keys(out);
        }
        deft_buffer_append_byte(out, '\'');
    }
    deft_buffer_append_text(out, " -d '");
    append_quoted(out, flag->help, "");
    deft_buffer_append_text(out, "'\n");
}

static void append_fish_command(deft_buffer *out, const deft__command *command)
{
    deft_buffer_append_text(out, "complete -c deft -n __fish_use_subcommand -a ");
    deft_buffer_append_text(out, command->name);
    deft_buffer_append_text(out, " -d '");
    append_quoted(out, command->summary, "");
    deft_buffer_append_text(out, "'\n");
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if ((command->flags & DEFT__FLAG_BIT(i)) != 0) {
            append_fish_flag(out, deft__flag_at((deft__flag_id)i), command->name);
        }
    }
    deft_buffer words;
    deft_buffer_init(&words, out->allocator);
    append_operand_words(&words, command);
    if (command->operand_kind == DEFT__OPERAND_DIRECTORY) {
        deft_buffer_append_text(&words, "(__fish_complete_directories)");
    }
    if (words.size > 0) {
        deft_buffer_append_text(out, "complete -c deft -n '__fish_seen_subcommand_from ");
        deft_buffer_append_text(out, command->name);
        deft_buffer_append_text(out, "' -a '");
        deft_buffer_append(out, deft_buffer_view(&words));
        deft_buffer_append_text(out, "'\n");
    }
    deft_buffer_clear(&words);
}

static void append_fish(deft_buffer *out)
{
    deft_buffer_append_text(out, "# fish completion for deft, written by 'deft completions fish'\n"
                                 "complete -c deft -f\n");
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if (deft__flag_at((deft__flag_id)i)->is_global) {
            append_fish_flag(out, deft__flag_at((deft__flag_id)i), NULL);
        }
    }
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        append_fish_command(out, deft__command_at(i));
    }
}

typedef void (*script_writer)(deft_buffer *out);

// In the order of `shells`.
static const script_writer writers[] = {append_bash, append_zsh, append_fish};

int deft__command_completions(deft__cli *cli)
{
    const char   *shell = cli->invocation.operands[0];
    script_writer write = NULL;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (strcmp(shells[i], shell) == 0) {
            write = writers[i];
        }
    }
    if (write == NULL) {
        deft__complain(&cli->output, "there are no completions for '%s', only for bash, zsh, fish",
                       shell);
        return DEFT__EXIT_WRONG;
    }
    if (!deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        write(&cli->output.text);
        return DEFT__EXIT_FOUND;
    }
    deft_buffer       text;
    deft_buffer       script;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&script, NULL);
    write(&script);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "shell");
    deft__json_write_text(&json, shell);
    deft__json_name(&json, "script");
    deft__json_write_string(&json, deft_buffer_view(&script));
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
    deft_buffer_clear(&script);
    return DEFT__EXIT_FOUND;
}
