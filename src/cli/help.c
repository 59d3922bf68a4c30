#include "cli/help.h"

#include "cli/cli.h"
#include "cli/text.h"
#include "json/writer.h"

#include <stdio.h>

#define LEFT_WIDTH 28 // columns for a flag and its value, and two spaces

static void append_padded(deft_buffer *out, size_t start, size_t width)
{
    const size_t used = deft__text_width(deft_view_slice(deft_buffer_view(out), start, out->size));
    for (size_t i = used; i < width; i++) {
        deft_buffer_append_byte(out, ' ');
    }
}

// A term on the left and its explanation wrapped on the right. The wrapped text starts with its
// own indent; on the first line the term stands in that place.
static void append_entry(deft_buffer *out, size_t start, size_t indent, const char *help)
{
    const size_t used = deft__text_width(deft_view_slice(deft_buffer_view(out), start, out->size));
    if (used + 2 > indent) {
        deft_buffer_append_byte(out, '\n');
        deft__append_wrapped(out, help, indent);
        return;
    }
    append_padded(out, start, indent);
    deft_buffer wrapped;
    deft_buffer_init(&wrapped, out->allocator);
    deft__append_wrapped(&wrapped, help, indent);
    deft_buffer_append(out, deft_view_slice(deft_buffer_view(&wrapped), indent, wrapped.size));
    deft_buffer_clear(&wrapped);
}

static void append_flag_name(deft_buffer *out, const deft__flag *flag)
{
    if (flag->letter != 0) {
        const char letter[] = {'-', flag->letter, ',', ' ', '\0'};
        deft_buffer_append_text(out, letter);
    } else {
        deft_buffer_append_text(out, "    ");
    }
    deft_buffer_append_text(out, "--");
    deft_buffer_append_text(out, flag->name);
    if (flag->kind != DEFT__VALUE_NONE) {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append_text(out, flag->value_name);
    }
}

// What help says of a flag, with what it accepts.
static void append_flag_help(deft_buffer *out, const deft__flag *flag)
{
    deft_buffer_append_text(out, flag->help);
    if (flag->kind == DEFT__VALUE_CHOICE) {
        deft_buffer_append_text(out, ": ");
        for (size_t i = 0; flag->choices[i] != NULL; i++) {
            deft_buffer_append_text(out, i == 0 ? "" : ", ");
            deft_buffer_append_text(out, flag->choices[i]);
        }
    }
    if (flag->is_repeatable) {
        deft_buffer_append_text(out, "; may be given several times");
    }
}

static void append_flag(deft_buffer *out, const deft__flag *flag)
{
    const size_t start = out->size;
    deft_buffer  help;
    deft_buffer_init(&help, out->allocator);
    append_flag_help(&help, flag);
    deft_buffer_append_byte(&help, '\0');
    deft_buffer_append_text(out, "  ");
    append_flag_name(out, flag);
    append_entry(out, start, LEFT_WIDTH, help.status == DEFT_OK ? help.data : flag->help);
    deft_buffer_clear(&help);
}

static void append_global_flags(deft_buffer *out)
{
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag *flag = deft__flag_at((deft__flag_id)i);
        if (flag->is_global) {
            append_flag(out, flag);
        }
    }
}

void deft__help_write(deft_buffer *out)
{
    deft_buffer_append_text(out, "deft - finds the right tool among thousands\n\n"
                                 "Usage: deft COMMAND [FLAG...]\n\nCommands:\n");
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        const size_t start = out->size;
        deft_buffer_append_text(out, "  ");
        deft_buffer_append_text(out, deft__command_at(i)->name);
        append_entry(out, start, 16, deft__command_at(i)->summary);
    }
    deft_buffer_append_text(out, "\nFlags of every command:\n");
    append_global_flags(out);
    deft_buffer_append_text(out, "\n'deft help COMMAND' says more about a command; 'deft demo' "
                                 "shows what it is all about.\n"
                                 "Exit codes: 0 found, 1 nothing found, 2 something wrong.\n");
}

static void append_usage(deft_buffer *out, const deft__command *command)
{
    deft_buffer_append_text(out, "deft ");
    deft_buffer_append_text(out, command->name);
    if (command->operands[0] != '\0') {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append_text(out, command->operands);
    }
    deft_buffer_append_text(out, " [FLAG...]");
}

void deft__help_write_command(deft_buffer *out, const deft__command *command)
{
    deft_buffer_append_text(out, command->summary);
    deft_buffer_append_text(out, ".\n\nUsage: ");
    append_usage(out, command);
    deft_buffer_append_text(out, "\n\n");
    deft__append_wrapped(out, command->description, 0);
    if (command->flags != 0) {
        deft_buffer_append_text(out, "\nFlags:\n");
        for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
            if ((command->flags & DEFT__FLAG_BIT(i)) != 0) {
                append_flag(out, deft__flag_at((deft__flag_id)i));
            }
        }
    }
    deft_buffer_append_text(out, "\nFlags of every command:\n");
    append_global_flags(out);
    if (command->examples != NULL) {
        deft_buffer_append_text(out, "\nExamples:\n");
        for (size_t i = 0; command->examples[i] != NULL; i += 2) {
            deft_buffer_append_text(out, "  ");
            deft_buffer_append_text(out, command->examples[i]);
            deft_buffer_append_byte(out, '\n');
            deft__append_wrapped(out, command->examples[i + 1], 6);
        }
    }
}

static void write_flag_json(deft__json_writer *json, const deft__flag *flag)
{
    deft__json_begin_object(json);
    deft__json_name(json, "name");
    deft__json_write_text(json, flag->name);
    if (flag->letter != 0) {
        deft__json_name(json, "letter");
        deft__json_write_string(json, deft_view_make(&flag->letter, 1));
    }
    deft__json_name(json, "value");
    if (flag->kind == DEFT__VALUE_NONE) {
        deft__json_write_null(json);
    } else {
        deft__json_write_text(json, flag->value_name);
    }
    if (flag->choices != NULL) {
        deft__json_name(json, "choices");
        deft__json_begin_array(json);
        for (size_t i = 0; flag->choices[i] != NULL; i++) {
            deft__json_write_text(json, flag->choices[i]);
        }
        deft__json_end_array(json);
    }
    deft__json_name(json, "repeatable");
    deft__json_write_bool(json, flag->is_repeatable);
    deft__json_name(json, "help");
    deft__json_write_text(json, flag->help);
    deft__json_end_object(json);
}

// The global flags when `command` is NULL, else its own.
static void write_flags_json(deft__json_writer *json, const deft__command *command)
{
    deft__json_name(json, "flags");
    deft__json_begin_array(json);
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag *flag = deft__flag_at((deft__flag_id)i);
        if (command == NULL ? flag->is_global : (command->flags & DEFT__FLAG_BIT(i)) != 0) {
            write_flag_json(json, flag);
        }
    }
    deft__json_end_array(json);
}

void deft__help_write_json(deft_buffer *out)
{
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    deft__json_name(&json, "commands");
    deft__json_begin_array(&json);
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        const deft__command *command = deft__command_at(i);
        deft__json_begin_object(&json);
        deft__json_name(&json, "name");
        deft__json_write_text(&json, command->name);
        deft__json_name(&json, "operands");
        deft__json_write_text(&json, command->operands);
        deft__json_name(&json, "summary");
        deft__json_write_text(&json, command->summary);
        write_flags_json(&json, command);
        deft__json_end_object(&json);
    }
    deft__json_end_array(&json);
    write_flags_json(&json, NULL);
    deft__json_end_object(&json);
}

int deft__command_help(deft__cli *cli)
{
    deft_buffer         *out     = &cli->output.text;
    const deft__command *command = NULL;
    if (cli->invocation.operand_count > 0) {
        // The parser's own words for an unknown command, with the nearest one. Asked for help, it
        // does not miss the operands that the command needs.
        const char *const words[] = {cli->invocation.operands[0], "--help"};
        deft_error        error   = DEFT_ERROR_INIT;
        deft__invocation  named;
        deft__invocation_init(&named);
        const bool is_known = deft__invocation_parse(&named, 2, words, &error) == DEFT_OK;
        command             = named.command;
        deft__invocation_clear(&named);
        // A command that lacks its operands is known all the same.
        if (command == NULL) {
            deft__complain(&cli->output, "%s",
                           is_known ? "a command was expected behind 'help'" : error.message);
            return DEFT__EXIT_WRONG;
        }
    }
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_MAN)) {
        deft__manual_write(out);
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        deft_buffer json;
        deft_buffer_init(&json, NULL);
        deft__help_write_json(&json);
        deft__print_result(&cli->output, &json);
    } else if (command != NULL) {
        deft__help_write_command(out, command);
    } else {
        deft__help_write(out);
    }
    return DEFT__EXIT_FOUND;
}
