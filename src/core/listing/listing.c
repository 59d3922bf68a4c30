// A listing is tried level by level, from the richest that is asked for, until one fits its budget.
// A try ends as soon as it is clearly too long: of 100,000 tools no more is written than the budget
// holds and an eighth.
#include "deft/listing.h"

#include "base/memory.h"
#include "core/listing/clean.h"
#include "core/listing/topics.h"

typedef struct listing_draft {
    const deft_settings *settings;
    const deft_catalog  *catalog;
    const uint32_t      *tools; // the shown ones, in catalog order: each server's stand together
    size_t               tool_count;
    deft_buffer         *out;
    size_t               start;        // of the listing in `out`
    size_t               counted_size; // bytes of `out` whose tokens are in counted_tokens
    uint64_t             counted_tokens;
} listing_draft;

// Estimating after every line would cost more than writing it.
static const size_t chunk_size = 2048;

// Whether it makes no sense to go on. The pieces' tokens add up to about those of the whole, so the
// last word is left to an estimate of the whole, and this one stops only well past the budget.
static bool is_clearly_over(listing_draft *draft)
{
    const deft_buffer *out    = draft->out;
    const uint64_t     budget = draft->settings->listing_budget_tokens;
    if (out->status != DEFT_OK) {
        return true;
    } else if (budget == 0 || out->size - draft->counted_size < chunk_size) {
        return false;
    }
    draft->counted_tokens +=
        deft_tokens_estimate(deft_view_slice(deft_buffer_view(out), draft->counted_size, out->size),
                             draft->settings->token_family);
    draft->counted_size = out->size;
    return draft->counted_tokens > budget && draft->counted_tokens - budget > budget / 8 + 64;
}

static const deft_tool *tool_at(const listing_draft *draft, size_t at)
{
    return deft_catalog_tool(draft->catalog, (deft_tool_id){draft->tools[at]});
}

// Shown tools from `at` on that are of the same server.
static size_t group_count(const listing_draft *draft, size_t at)
{
    const uint32_t server = tool_at(draft, at)->server.index;
    size_t         end    = at + 1;
    while (end < draft->tool_count && tool_at(draft, end)->server.index == server) {
        end++;
    }
    return end - at;
}

static void append_server_name(deft_buffer *out, const deft_server *server)
{
    if (server->name.size > 0) {
        deft__clean_append(out, server->name, SIZE_MAX);
    } else {
        deft_buffer_append_text(out, "(no server)");
    }
}

static void append_server_count(deft_buffer *out, const deft_server *server, size_t count)
{
    append_server_name(out, server);
    deft_buffer_append_text(out, " (");
    deft_buffer_append_u64(out, count);
    deft_buffer_append_text(out, count == 1 ? " tool)" : " tools)");
}

// `separator` and what `append` makes of `text`; nothing at all where that is nothing.
static void append_after(deft_buffer *out, const char *separator, deft_view text, size_t size_max,
                         void (*append)(deft_buffer *out, deft_view text, size_t size_max))
{
    const size_t start = out->size;
    deft_buffer_append_text(out, separator);
    const size_t text_start = out->size;
    append(out, text, size_max);
    if (out->size == text_start) {
        deft_buffer_truncate(out, start);
    }
}

// server::tool: description
static void write_described(listing_draft *draft,
                            void (*append)(deft_buffer *out, deft_view text, size_t size_max))
{
    for (size_t at = 0; at < draft->tool_count && !is_clearly_over(draft); at++) {
        const deft_tool *tool = tool_at(draft, at);
        deft__clean_append(draft->out, tool->id, SIZE_MAX);
        append_after(draft->out, ": ", tool->description,
                     draft->settings->listing_description_size_max, append);
        deft_buffer_append_byte(draft->out, '\n');
    }
}

static void write_full(listing_draft *draft)
{
    write_described(draft, deft__clean_append);
}

static void write_short(listing_draft *draft)
{
    write_described(draft, deft__clean_append_short);
}

// server: instructions
//   tool, tool, tool
//
// Only deft writes at the start of a line.
static void write_names_with(listing_draft *draft, size_t instructions_size_max,
                             void (*append)(deft_buffer *out, deft_view text, size_t size_max))
{
    deft_buffer *out = draft->out;
    for (size_t at = 0; at < draft->tool_count;) {
        const deft_server *server = deft_catalog_server(draft->catalog, tool_at(draft, at)->server);
        const size_t       end    = at + group_count(draft, at);
        append_server_name(out, server);
        deft_buffer_append_byte(out, ':');
        append_after(out, " ", server->instructions, instructions_size_max, append);
        for (const char *separator = "\n  "; at < end; at++, separator = ", ") {
            if (is_clearly_over(draft)) {
                return;
            }
            deft_buffer_append_text(out, separator);
            deft__clean_append(out, tool_at(draft, at)->name, SIZE_MAX);
        }
        deft_buffer_append_byte(out, '\n');
    }
}

static void write_names(listing_draft *draft)
{
    write_names_with(draft, draft->settings->listing_instructions_size_max, deft__clean_append);
}

static void write_names_short(listing_draft *draft)
{
    write_names_with(draft, draft->settings->listing_instructions_size_max,
                     deft__clean_append_short);
}

static void write_names_only(listing_draft *draft)
{
    write_names_with(draft, 0, deft__clean_append);
}

// server (26 tools): issue, pull request, file - Manages repositories
static void write_categories(listing_draft *draft)
{
    deft_buffer *out = draft->out;
    for (size_t at = 0; at < draft->tool_count && !is_clearly_over(draft);) {
        const deft_server *server = deft_catalog_server(draft->catalog, tool_at(draft, at)->server);
        const size_t       count  = group_count(draft, at);
        append_server_count(out, server, count);
        deft_buffer_append_text(out, ": ");
        const size_t topics = deft__topics_append(out, draft->catalog, draft->tools + at, count);
        if (topics == 0) {
            deft_buffer_truncate(out, out->size - 2);
        }
        const deft_view about =
            server->instructions.size > 0 ? server->instructions : server->title;
        append_after(out, topics > 0 ? " - " : ": ", about,
                     draft->settings->listing_instructions_size_max, deft__clean_append_short);
        deft_buffer_append_byte(out, '\n');
        at += count;
    }
}

// server (26 tools)
static void write_servers(listing_draft *draft)
{
    for (size_t at = 0; at < draft->tool_count && !is_clearly_over(draft);) {
        const size_t count = group_count(draft, at);
        append_server_count(draft->out,
                            deft_catalog_server(draft->catalog, tool_at(draft, at)->server), count);
        deft_buffer_append_byte(draft->out, '\n');
        at += count;
    }
}

// From the richest to the poorest. Names are worth more than instructions, so these go first.
static const struct {
    deft_listing_level level;
    bool               is_naming; // every tool is named
    void (*write)(listing_draft *draft);
} steps[] = {
    {DEFT_LISTING_FULL, true, write_full},
    {DEFT_LISTING_SHORT, true, write_short},
    {DEFT_LISTING_NAMES, true, write_names},
    {DEFT_LISTING_NAMES, true, write_names_short},
    {DEFT_LISTING_NAMES, true, write_names_only},
    {DEFT_LISTING_CATEGORIES, false, write_categories},
    {DEFT_LISTING_SERVERS, false, write_servers},
};

// Tries the steps in order; leaves the first that fits in `out`, or nothing.
static deft_listing_report write_best(listing_draft *draft)
{
    deft_buffer   *out    = draft->out;
    const uint64_t budget = draft->settings->listing_budget_tokens;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i].level < draft->settings->listing) {
            continue;
        }
        draft->counted_size   = draft->start;
        draft->counted_tokens = 0;
        steps[i].write(draft);

        const deft_view text =
            deft_view_slice(deft_buffer_view(out), draft->start, out->size - draft->start);
        const uint64_t tokens =
            out->status == DEFT_OK ? deft_tokens_estimate(text, draft->settings->token_family) : 0;
        if (out->status == DEFT_OK && (budget == 0 || tokens <= budget)) {
            return (deft_listing_report){.level       = steps[i].level,
                                         .tokens      = tokens,
                                         .tool_count  = draft->tool_count,
                                         .named_count = steps[i].is_naming ? draft->tool_count : 0};
        }
        deft_buffer_truncate(out, draft->start);
    }
    return (deft_listing_report){.level = DEFT_LISTING_NONE, .tool_count = draft->tool_count};
}

static size_t collect(const deft_plan *plan, const deft_tool_filter *filter, uint32_t *tools)
{
    const size_t tool_count = deft_catalog_tool_count(deft_plan_catalog(plan));
    size_t       count      = 0;
    for (uint32_t i = 0; i < tool_count; i++) {
        const deft_tool_id id = {i};
        if (deft_plan_decision(plan, id).place == DEFT_PLACE_DEFERRED &&
            (filter == NULL || filter->is_shown == NULL || filter->is_shown(filter->context, id))) {
            tools[count++] = i;
        }
    }
    return count;
}

deft_status deft_listing_write_filtered(const deft_plan *plan, const deft_settings *settings,
                                        const deft_tool_filter *filter, deft_buffer *out,
                                        deft_listing_report *report)
{
    if (out->status != DEFT_OK) {
        return out->status;
    }
    const size_t deferred_count = deft_plan_summary_of(plan)->deferred_count;
    const size_t bytes          = (deferred_count + 1) * sizeof(uint32_t); // never zero
    uint32_t    *tools          = deft__new(out->allocator, bytes);
    if (tools == NULL) {
        out->status = DEFT_OUT_OF_MEMORY;
        return out->status;
    }

    listing_draft draft = {
        .settings   = settings,
        .catalog    = deft_plan_catalog(plan),
        .tools      = tools,
        .tool_count = collect(plan, filter, tools),
        .out        = out,
        .start      = out->size,
    };
    const deft_listing_report result = write_best(&draft);
    if (out->status == DEFT_OK && report != NULL) {
        *report = result;
    }
    deft__free(out->allocator, tools, bytes);
    return out->status;
}

deft_status deft_listing_write(const deft_plan *plan, const deft_settings *settings,
                               deft_buffer *out, deft_listing_report *report)
{
    return deft_listing_write_filtered(plan, settings, NULL, out, report);
}
