// Names and what is wrong with them; problems and how they are put.
#include "core/catalog/builder.h"
#include "core/catalog/wire.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>

// Text that cannot be shown on one line, or that is not what the server calls the tool: a lone
// surrogate was decoded to U+FFFD.
static bool is_unprintable(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           code == 0xFFFD;
}

const char *deft__name_flaw(deft_view name, size_t size_max, deft__reason *reason)
{
    if (name.size == 0) {
        snprintf(reason->text, sizeof reason->text, "is empty; 1 to %zu bytes are accepted",
                 size_max);
        return reason->text;
    } else if (name.size > size_max) {
        snprintf(reason->text, sizeof reason->text, "has %zu bytes; 1 to %zu are accepted",
                 name.size, size_max);
        return reason->text;
    }
    for (size_t at = 0; at < name.size;) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(name, at, &code);
        if (size == 0 || is_unprintable(code)) {
            return "holds a control character or a lone surrogate; printable text is accepted";
        }
        at += size;
    }
    return NULL;
}

static bool holds_separator(deft_view name)
{
    for (size_t i = 1; i < name.size; i++) {
        if (name.data[i - 1] == ':' && name.data[i] == ':') {
            return true;
        }
    }
    return false;
}

// An id is split at its first "::". Hence there is none in a server's name, nor can its last
// character be taken for the first half of one; and there is none in the name of a tool without a
// server, or it could pass for another server's.
const char *deft__server_name_flaw(deft_view name, size_t size_max, deft__reason *reason)
{
    const char *flaw = deft__name_flaw(name, size_max, reason);
    if (flaw == NULL && (holds_separator(name) || name.data[name.size - 1] == ':')) {
        flaw = "holds '::' or ends in ':'; '::' stands between a server and its tool";
    }
    return flaw;
}

const char *deft__nameless_tool_flaw(deft_view name)
{
    return holds_separator(name)
               ? "holds '::', which stands between a server and its tool; name its server"
               : NULL;
}

// A name short enough to leave room for the sentence about it.
typedef struct short_name {
    deft__quoted quoted;
} short_name;

static const char *shorten(short_name *name, deft_view text)
{
    const size_t shown_max = 48;
    const size_t cut       = deft__utf8_cut(text, shown_max);
    deft__quote(&name->quoted, deft_view_slice(text, 0, cut));
    if (cut < text.size) {
        const size_t size = strlen(name->quoted.text);
        memcpy(name->quoted.text + size, "...", sizeof "...");
    }
    return name->quoted.text;
}

// "tool 'create_issue' of server 'github'", or what of it is known.
static void describe_place(const deft__place *place, deft_error *out)
{
    short_name tool;
    short_name server;
    char       who[80];
    if (!place->is_tool) {
        snprintf(who, sizeof who, "%s", place->server.size > 0 ? "server" : "the source");
    } else if (place->tool.size > 0) {
        snprintf(who, sizeof who, "tool '%s'", shorten(&tool, place->tool));
    } else {
        snprintf(who, sizeof who, "tool at position %zu", place->position);
    }
    if (place->server.size == 0) {
        deft__fail(out, DEFT_OK, 0, "%s", who);
    } else {
        deft__fail(out, DEFT_OK, 0, "%s%s '%s'", who, place->is_tool ? " of server" : "",
                   shorten(&server, place->server));
    }
}

static bool add_problem(deft_catalog_builder *builder, const deft_problem *problem)
{
    void *items = builder->problems;
    if (!deft__grow(builder->allocator, &items, &builder->problem_capacity, builder->problem_count,
                    sizeof *builder->problems)) {
        return false;
    }
    builder->problems                           = items;
    builder->problems[builder->problem_count++] = *problem;
    return true;
}

bool deft__builder_report_list(deft_catalog_builder *builder, const deft__place *place,
                               deft_status status, const char *format, va_list arguments)
{
    if (builder->problem_count >= DEFT_PROBLEMS_MAX) {
        builder->problem_hidden_count++;
        return true;
    }
    char reason[DEFT_ERROR_MESSAGE_SIZE];
    vsnprintf(reason, sizeof reason, format, arguments);

    deft_error who;
    deft_error whole;
    describe_place(place, &who);
    deft__fail(&whole, status, place->offset, "%s: %s (byte %zu)", who.message, reason,
               place->offset);

    deft_problem problem = {
        .status   = status,
        .label    = place->label,
        .server   = place->server,
        .tool     = place->tool,
        .position = place->position,
        .offset   = place->offset,
    };
    return deft__arena_copy(&builder->decoded, deft_view_of(whole.message), &problem.message) &&
           add_problem(builder, &problem);
}

bool deft__builder_report(deft_catalog_builder *builder, const deft__place *place,
                          deft_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool is_good = deft__builder_report_list(builder, place, status, format, arguments);
    va_end(arguments);
    return is_good;
}

bool deft__builder_report_hidden(deft_catalog_builder *builder)
{
    if (builder->problem_hidden_count == 0) {
        return true;
    }
    deft_error whole;
    deft__fail(&whole, DEFT_LIMIT, 0, "%zu more problems are not listed; at most %u are",
               builder->problem_hidden_count, DEFT_PROBLEMS_MAX);
    deft_problem problem = {.status = DEFT_LIMIT};
    return deft__arena_copy(&builder->decoded, deft_view_of(whole.message), &problem.message) &&
           add_problem(builder, &problem);
}
