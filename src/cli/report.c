#include "cli/report.h"

#include "cli/table.h"
#include "cli/text.h"

#include <string.h>

void deft__append_age(deft_buffer *out, uint64_t seconds)
{
    static const struct {
        uint64_t    seconds;
        const char *unit;
    } units[] = {{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}};

    size_t i = 0;
    while (i < 3 && seconds < units[i].seconds) {
        i++;
    }
    deft_buffer_append_u64(out, seconds / units[i].seconds);
    deft_buffer_append_text(out, units[i].unit);
}

// A member that is a string, decoded into `scratch`; empty where it is not there.
static deft_view text_of(deft__json_value object, const char *name, deft_buffer *scratch)
{
    return deft__json_string(deft__json_member(object, name), scratch);
}

static bool number_of(deft__json_value object, const char *name, uint64_t *number)
{
    return deft__json_uint64(deft__json_member(object, name), number) == DEFT_OK;
}

// --- Searches. -----------------------------------------------------------------------------------

void deft__report_search(deft__output *output, deft_view ranking, deft_view model)
{
    deft__print(output, "Search: ");
    deft__append_safe_line(&output->text, ranking);
    if (model.size > 0) {
        deft__print(output, ", by words and by what they mean (model ");
        deft__append_safe_line(&output->text, model);
        deft__print(output, ")\n");
    } else if (deft_view_equals(ranking, "hybrid")) {
        deft__print(output,
                    ", by words and synonyms, without a model of what they mean; 'deft help "
                    "model' says how to get one\n");
    } else {
        deft__print(output, ", by words alone; what they mean counts in hybrid\n");
    }
}

// --- Servers. ------------------------------------------------------------------------------------

static deft__color state_color(deft_view state)
{
    if (deft_view_equals(state, "ready") || deft_view_equals(state, "starting")) {
        return DEFT__COLOR_GREEN;
    } else if (deft_view_equals(state, "known")) {
        return DEFT__COLOR_CYAN;
    } else if (deft_view_equals(state, "configured") || deft_view_equals(state, "disabled")) {
        return DEFT__COLOR_DIM;
    } else {
        return DEFT__COLOR_YELLOW;
    }
}

static void add_number(deft__table *table, deft__json_value server, const char *name)
{
    uint64_t number = 0;
    if (number_of(server, name, &number)) {
        deft__table_number(table, number);
    } else {
        deft__table_empty(table);
    }
}

// What went wrong last, and when it is tried again.
static void add_reason(deft__table *table, deft__json_value server, deft_buffer *scratch)
{
    uint64_t    retry_ms = 0;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append(&text, text_of(server, "reason", scratch));
    if (text.size > 0 && number_of(server, "retryInMs", &retry_ms)) {
        deft_buffer_append_text(&text, "; tried again ");
        if (retry_ms > 0) {
            deft_buffer_append_text(&text, "in ");
            deft__append_age(&text, (retry_ms + 999) / 1000);
        } else {
            deft_buffer_append_text(&text, "with the next call");
        }
    }
    deft__table_text(table, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

static void add_server(deft__table *table, deft__json_value server, uint64_t now_s,
                       deft_buffer *scratch)
{
    uint64_t checked_at = 0;
    deft_buffer_reset(scratch); // what is decoded stays until the next text is
    deft__table_colored(table, DEFT__COLOR_BOLD, text_of(server, "name", scratch));
    const deft_view state = text_of(server, "state", scratch);
    deft__table_colored(table, state_color(state), state);
    const deft_view version = text_of(server, "version", scratch);
    deft__table_text(table, version.size > 0 ? version : deft_view_of("-"));
    add_number(table, server, "tools");
    add_number(table, server, "tokens");
    if (number_of(server, "checkedAt", &checked_at) && checked_at <= now_s) {
        deft_buffer age;
        deft_buffer_init(&age, NULL);
        deft__append_age(&age, now_s - checked_at);
        deft__table_text(table, deft_buffer_view(&age));
        deft_buffer_clear(&age);
    } else {
        deft__table_empty(table);
    }
    add_reason(table, server, scratch);
}

bool deft__report_servers(deft__output *output, deft__json_value servers, uint64_t now_s)
{
    static const deft__column columns[] = {
        {"SERVER", false}, {"STATE", false}, {"PROTOCOL", false},  {"TOOLS", true},
        {"TOKENS", true},  {"AGE", true},    {"LAST ERROR", false}};

    deft_buffer scratch;
    deft__table table;
    deft_buffer_init(&scratch, NULL);
    deft__table_init(&table, columns, sizeof columns / sizeof columns[0]);
    deft__json_iterator i = deft__json_iterate(servers);
    while (deft__json_next(&i)) {
        add_server(&table, i.value, now_s, &scratch);
    }
    const bool is_some = deft__json_count(servers) > 0;
    if (is_some && deft__table_print(&table, output) != DEFT_OK) {
        output->text.status = DEFT_OUT_OF_MEMORY;
    }
    deft__table_clear(&table);
    deft_buffer_clear(&scratch);
    return is_some;
}

void deft__report_server_states(deft__output *output, deft__json_value servers)
{
    static const char *const states[] = {"ready",  "starting", "known",       "configured",
                                         "failed", "disabled", "quarantined", "unauthorized"};

    const char *separator = ": ";
    deft__append_count(&output->text, deft__json_count(servers), "server", "servers");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        size_t              count = 0;
        deft__json_iterator at    = deft__json_iterate(servers);
        while (deft__json_next(&at)) {
            count += deft__json_string_equals(deft__json_member(at.value, "state"),
                                              deft_view_of(states[i]));
        }
        if (count > 0) {
            deft__print(output, separator);
            deft__append_number(&output->text, count);
            deft__print(output, " ");
            deft__print(output, states[i]);
            separator = ", ";
        }
    }
    deft__print(output, "\n");
}

// --- The result of a call. -----------------------------------------------------------------------

// Content that is no text: what it is, and how much. Base64 has four characters for three bytes.
static void append_other(deft_buffer *out, deft__json_value content, deft_buffer *scratch)
{
    const deft_view data = deft__json_raw(deft__json_member(content, "data"));
    const deft_view kind = text_of(content, "type", scratch);
    deft_buffer_append_text(out, "[");
    deft__append_safe_line(out, kind.size > 0 ? kind : deft_view_of("content"));
    const char *const names[] = {"mimeType", "name", "uri"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const deft_view text = text_of(content, names[i], scratch);
        if (text.size > 0) {
            deft_buffer_append_text(out, " ");
            deft__append_safe_line(out, text);
        }
    }
    if (data.size > 2) {
        deft_buffer_append_text(out, ", ");
        deft__append_count(out, (data.size - 2) / 4 * 3, "byte", "bytes");
    }
    deft_buffer_append_text(out, "]\n");
}

static void append_line(deft_buffer *out, deft_view text)
{
    deft__append_safe_text(out, text);
    if (out->size > 0 && out->data[out->size - 1] != '\n') {
        deft_buffer_append_byte(out, '\n');
    }
}

static void append_content(deft_buffer *out, deft__json_value content, deft_buffer *scratch)
{
    const deft__json_value resource = deft__json_member(content, "resource");
    const deft__json_value embedded = deft__json_member(resource, "text");
    deft_buffer_reset(scratch);
    if (deft__json_string_equals(deft__json_member(content, "type"), deft_view_of("text"))) {
        append_line(out, text_of(content, "text", scratch));
    } else if (deft__json_is(embedded, DEFT__JSON_STRING)) {
        append_line(out, deft__json_string(embedded, scratch));
    } else {
        append_other(out, content, scratch);
    }
}

void deft__report_call(deft__output *output, deft__json_value result)
{
    const deft__json_value contents   = deft__json_member(result, "content");
    const deft__json_value structured = deft__json_member(result, "structuredContent");
    deft_buffer            scratch;
    deft_buffer_init(&scratch, NULL);
    deft__json_iterator i = deft__json_iterate(contents);
    while (deft__json_next(&i)) {
        append_content(&output->text, i.value, &scratch);
    }
    if (deft__json_count(contents) == 0 && !deft__json_is(structured, DEFT__JSON_NONE)) {
        append_line(&output->text, deft__json_raw(structured));
    }
    deft_buffer_clear(&scratch);
}

const char *deft__call_failure(deft__json_value answer)
{
    const deft__json_value result  = deft__json_member(answer, "result");
    const deft__json_value failure = deft__json_member(answer, "failure");
    if (!deft__json_is(deft__json_member(result, "isError"), DEFT__JSON_TRUE)) {
        return NULL;
    } else if (deft__json_string_equals(failure, deft_view_of("refused"))) {
        return "was not called";
    } else {
        return deft__json_is(failure, DEFT__JSON_STRING) ? "gave no answer" : "says that it failed";
    }
}
