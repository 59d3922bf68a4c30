// The manual page in the man macros, which both groff and mandoc read. Everything that varies comes
// from the tables; what is left to write here is what help has no room for: files, variables, exit
// codes.
#include "cli/help.h"

#include "deft/config.h"
#include "deft/version.h"

// A dash is written \- so that it can be copied as a flag, a backslash as \e, and a line must not
// start with a control character.
static void append_roff(deft_buffer *out, const char *text)
{
    bool is_line_start = out->size == 0 || out->data[out->size - 1] == '\n';
    for (; *text != '\0'; text++) {
        if (is_line_start && (*text == '.' || *text == '\'')) {
            deft_buffer_append_text(out, "\\&");
        }
        if (*text == '-') {
            deft_buffer_append_text(out, "\\-");
        } else if (*text == '\\') {
            deft_buffer_append_text(out, "\\e");
        } else if (*text == '\'') {
            deft_buffer_append_text(out, "\\(aq");
        } else if (text[0] == '\n' && text[1] == '\n') {
            deft_buffer_append_text(out, "\n.PP\n");
            text++;
        } else {
            deft_buffer_append_byte(out, *text);
        }
        is_line_start = *text == '\n';
    }
}

static void append_line(deft_buffer *out, const char *request, const char *text)
{
    deft_buffer_append_text(out, request);
    append_roff(out, text);
    deft_buffer_append_byte(out, '\n');
}

static void append_flag(deft_buffer *out, const deft__flag *flag)
{
    deft_buffer_append_text(out, ".TP\n\\fB");
    if (flag->letter != 0) {
        const char letter[] = {'-', flag->letter, '\0'};
        append_roff(out, letter);
        deft_buffer_append_text(out, "\\fR, \\fB");
    }
    append_roff(out, "--");
    append_roff(out, flag->name);
    deft_buffer_append_text(out, "\\fR");
    if (flag->kind != DEFT__VALUE_NONE) {
        deft_buffer_append_text(out, " \\fI");
        append_roff(out, flag->value_name);
        deft_buffer_append_text(out, "\\fR");
    }
    deft_buffer_append_byte(out, '\n');
    append_roff(out, flag->help);
    if (flag->choices != NULL) {
        deft_buffer_append_text(out, ": ");
        for (size_t i = 0; flag->choices[i] != NULL; i++) {
            append_roff(out, i == 0 ? "" : ", ");
            append_roff(out, flag->choices[i]);
        }
    }
    deft_buffer_append_text(out, flag->is_repeatable ? ". May be given several times.\n" : ".\n");
}

static void append_command(deft_buffer *out, const deft__command *command)
{
    append_line(out, ".SS deft ", command->name);
    deft_buffer_append_text(out, "\\fBdeft ");
    append_roff(out, command->name);
    deft_buffer_append_text(out, "\\fR ");
    append_roff(out, command->operands);
    deft_buffer_append_text(out, command->operands[0] != '\0' ? " [FLAG...]\n" : "[FLAG...]\n");
    append_line(out, ".PP\n", command->description);
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if ((command->flags & DEFT__FLAG_BIT(i)) != 0) {
            append_flag(out, deft__flag_at((deft__flag_id)i));
        }
    }
    for (size_t i = 0; command->examples != NULL && command->examples[i] != NULL; i += 2) {
        append_line(out, ".PP\n", command->examples[i + 1]);
        append_line(out, ".PP\n.EX\n    ", command->examples[i]);
        deft_buffer_append_text(out, ".EE\n");
    }
}

// Pairs of a term and its explanation.
static void append_terms(deft_buffer *out, const char *const *terms)
{
    for (size_t i = 0; terms[i] != NULL; i += 2) {
        append_line(out, ".TP\n.B ", terms[i]);
        append_line(out, "", terms[i + 1]);
    }
}

static const char *const files[] = {
    "deft.json, .deft.json",
    ("The project's settings: the nearest one in the current directory or above it, up to the "
     "directory with .git or the home directory. It holds toolSearch and mcpServers, as JSON with "
     "comments."),
    ".mcp.json",
    "Servers, in the current directory.",
    "$XDG_CONFIG_HOME/deft/config.json",
    "The user's settings; ~/.config is used where XDG_CONFIG_HOME is not set.",
    NULL,
};

static const char *const variables[] = {
    "DEFT_MIN_PCT, DEFT_NO_MCP, ...",
    "Every setting has a variable: DEFT_MIN_PCT is toolSearch.minPct, DEFT_NO_MCP is noMcp.",
    "ENABLE_TOOL_SEARCH, PIZZAPI_NO_MCP, KIRO_CLI_TOOL_SEARCH_MATCHING_THRESHOLD",
    "Those of other products are honoured; deft's own win over them.",
    "XDG_CONFIG_HOME, HOME",
    "Where the user's settings are.",
    "NO_COLOR",
    "Any value turns colour off; so does TERM=dumb.",
    NULL,
};

static const char *const exit_codes[] = {
    "0",  "Found, or done.", "1", "Nothing found.", "2", "Something is wrong; stderr says what.",
    NULL,
};

// Every key there is, from the table of the configuration.
static void append_settings(deft_buffer *out)
{
    deft_config *config = deft_config_new(NULL, NULL);
    if (config == NULL) {
        out->status = DEFT_OUT_OF_MEMORY;
        return;
    }
    for (size_t i = 0; i < deft_config_entry_count(config); i++) {
        const deft_config_entry entry = deft_config_entry_at(config, i);
        append_line(out, ".TP\n.B ", entry.key);
        append_line(out, "", entry.description);
        append_line(out, "(", entry.accepts);
        deft_buffer_truncate(out, out->size - 1);
        deft_buffer_append_text(out, ").\n");
    }
    deft_config_free(config);
}

void deft__manual_write(deft_buffer *out)
{
    deft_buffer_append_text(out, ".TH DEFT 1 \"\" \"deft ");
    append_roff(out, deft_version());
    deft_buffer_append_text(out, "\" \"User Commands\"\n.SH NAME\n");
    append_line(out, "", "deft - finds the right tool among thousands");
    deft_buffer_append_text(out, ".SH SYNOPSIS\n.B deft\n.I COMMAND\n[FLAG...]\n.SH DESCRIPTION\n");
    append_line(out, "",
                "Definitions of tools fill a model's context window before it has done anything. "
                "deft measures what they cost, decides which of them to withhold, and lets the "
                "model find these by searching.");
    deft_buffer_append_text(out, ".SH COMMANDS\n");
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        append_command(out, deft__command_at(i));
    }
    deft_buffer_append_text(out, ".SH FLAGS OF EVERY COMMAND\n");
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if (deft__flag_at((deft__flag_id)i)->is_global) {
            append_flag(out, deft__flag_at((deft__flag_id)i));
        }
    }
    deft_buffer_append_text(out, ".SH SETTINGS\n");
    append_settings(out);
    deft_buffer_append_text(out, ".SH FILES\n");
    append_terms(out, files);
    deft_buffer_append_text(out, ".SH ENVIRONMENT\n");
    append_terms(out, variables);
    deft_buffer_append_text(out, ".SH EXIT STATUS\n");
    append_terms(out, exit_codes);
}
