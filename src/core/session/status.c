// What a session can say about itself: for a person as text, for a program as JSON. Both are
// written from the same tool_counts.
#include "core/listing/clean.h"
#include "core/session/session.h"
#include "deft/listing.h"

typedef struct tool_counts {
    size_t upfront; // visible from the start
    size_t loaded;
    size_t deferred;
    size_t gone;
} tool_counts;

typedef struct status_sums {
    tool_counts         tools;
    deft_size           visible;  // what the visible tools cost now
    deft_size           deferred; // what is saved now
    deft_listing_report listing;
} status_sums;

static void add_size(deft_size *sum, deft_size size)
{
    sum->characters += size.characters;
    sum->tokens += size.tokens;
}

// Counts the allowed tools from `first` on.
static tool_counts count_tools(const deft__visible *visible, uint32_t first, size_t count)
{
    tool_counts tools = {0};
    for (uint32_t i = first; i < first + count; i++) {
        if (!deft__visible_allows(visible, i)) {
            continue;
        } else if (visible->places[i] == 0) {
            tools.deferred++;
        } else if (visible->notes[visible->places[i] - 1].was_loaded) {
            tools.loaded++;
        } else {
            tools.upfront++;
        }
    }
    return tools;
}

static bool is_allowed(void *context, deft_tool_id tool)
{
    return deft_session_is_allowed(context, tool);
}

// False: no memory.
static bool sum_up(const deft_session *session, status_sums *sums)
{
    const deft__visible *visible = &session->visible;
    *sums                        = (struct status_sums){0};
    sums->tools                  = count_tools(visible, 0, visible->place_count);
    for (uint32_t i = 0; i < visible->place_count; i++) {
        if (deft__visible_allows(visible, i)) {
            add_size(visible->places[i] > 0 ? &sums->visible : &sums->deferred,
                     deft_plan_size(visible->plan, (deft_tool_id){i}));
        }
    }
    for (size_t i = 0; i < visible->count; i++) {
        sums->tools.gone += visible->tools[i].state == DEFT_SEEN_GONE ? 1 : 0;
    }

    // The listing is written to know its level; its text is not wanted here. The filter only
    // reads the session.
    deft_buffer text;
    deft_buffer_init(&text, session->allocator);
    const deft_tool_filter filter = {.is_shown = is_allowed, .context = (void *)(uintptr_t)session};
    const deft_status      status = deft_listing_write_filtered(visible->plan, &session->settings,
                                                                &filter, &text, &sums->listing);
    deft_buffer_clear(&text);
    return status == DEFT_OK;
}

// "label: 12 tools, 3400 tokens, 15000 characters"
static void append_amount(deft_buffer *out, const char *label, size_t count, deft_size size)
{
    deft_buffer_append_text(out, label);
    deft_buffer_append_u64(out, count);
    deft_buffer_append_text(out, count == 1 ? " tool, " : " tools, ");
    deft_buffer_append_u64(out, size.tokens);
    deft_buffer_append_text(out, " tokens, ");
    deft_buffer_append_u64(out, size.characters);
    deft_buffer_append_text(out, " characters\n");
}

static void append_threshold(deft_buffer *out, const char **separator, uint64_t value,
                             const char *unit)
{
    deft_buffer_append_text(out, *separator);
    deft_buffer_append_u64(out, value);
    deft_buffer_append_text(out, unit);
    *separator = ", ";
}

static void append_thresholds(deft_buffer *out, const deft_session *session)
{
    const deft_settings *settings  = &session->settings;
    const char          *separator = "Thresholds: ";
    if (settings->threshold_characters.is_set) {
        append_threshold(out, &separator, settings->threshold_characters.value, " characters");
    }
    if (settings->threshold_tokens.is_set) {
        append_threshold(out, &separator, settings->threshold_tokens.value, " tokens");
    }
    if (settings->threshold_permyriad.is_set) {
        const uint64_t hundredths = settings->threshold_permyriad.value % 100;
        append_threshold(out, &separator, settings->threshold_permyriad.value / 100, "");
        if (hundredths > 0) {
            deft_buffer_append_text(out, hundredths < 10 ? ".0" : ".");
            deft_buffer_append_u64(out, hundredths % 10 == 0 ? hundredths / 10 : hundredths);
        }
        deft_buffer_append_text(out, " % of ");
        deft_buffer_append_u64(out, settings->context_window_tokens);
        deft_buffer_append_text(out, " tokens (");
        deft_buffer_append_u64(
            out, deft_plan_summary_of(session->visible.plan)->threshold_percent_tokens);
        deft_buffer_append_text(out, ")");
    }
    deft_buffer_append_text(out, *separator == ',' ? "\n" : "Thresholds: none\n");
}

static void append_listing(deft_buffer *out, const deft_listing_report *listing)
{
    deft_buffer_append_text(out, "Listing: level ");
    deft_buffer_append_text(out, deft_listing_level_name(listing->level));
    deft_buffer_append_text(out, ", ");
    deft_buffer_append_u64(out, listing->tokens);
    deft_buffer_append_text(out, " tokens, names ");
    deft_buffer_append_u64(out, listing->named_count);
    deft_buffer_append_text(out, " of ");
    deft_buffer_append_u64(out, listing->tool_count);
    deft_buffer_append_text(out,
                            listing->tool_count == 1 ? " deferred tool\n" : " deferred tools\n");
}

static void append_turns(deft_buffer *out, const deft_session *session)
{
    deft_buffer_append_text(out, "Searches: ");
    deft_buffer_append_u64(out, session->search_count);
    deft_buffer_append_text(out, "; turns ended: ");
    deft_buffer_append_u64(out, session->turn_count);
    deft_buffer_append_text(out, session->settings.is_loaded_kept
                                     ? "; loaded tools are kept\n"
                                     : "; loaded tools are dropped at the end of a turn\n");
}

// By what a tool was loaded: `search 2 "create issue"`.
static void append_search(deft_buffer *out, const deft_session *session, uint32_t number)
{
    if (number == 0) {
        deft_buffer_append_text(out, "direct call");
        return;
    }
    deft_buffer_append_text(out, "search ");
    deft_buffer_append_u64(out, number);
    const deft_view query = deft__session_query(session, number);
    if (query.size > 0) {
        deft_buffer_append_text(out, " \"");
        deft__clean_append(out, query, 200);
        deft_buffer_append_byte(out, '"');
    }
}

static void append_name(deft_buffer *out, const char *indent, deft_view name)
{
    deft_buffer_append_text(out, indent);
    deft__clean_append(out, name, DEFT_NAME_SIZE_MAX);
}

static void append_server(deft_buffer *out, const deft_session *session, const deft_server *server)
{
    const deft__visible *visible = &session->visible;
    const uint32_t       first   = server->first_tool.index;
    const tool_counts    tools   = count_tools(visible, first, server->tool_count);
    if (tools.upfront + tools.loaded + tools.deferred == 0) {
        return;
    }
    append_name(out, "", server->name.size > 0 ? server->name : deft_view_of("(no server)"));
    deft_buffer_append_text(out, ": ");
    deft_buffer_append_u64(out, tools.upfront);
    deft_buffer_append_text(out, " upfront, ");
    deft_buffer_append_u64(out, tools.loaded);
    deft_buffer_append_text(out, " loaded, ");
    deft_buffer_append_u64(out, tools.deferred);
    deft_buffer_append_text(out, " deferred\n");

    for (uint32_t i = first; tools.loaded > 0 && i < first + server->tool_count; i++) {
        if (deft_session_is_loaded(session, (deft_tool_id){i})) {
            const deft_seen_tool *seen = &visible->tools[visible->places[i] - 1];
            append_name(out, "  ", deft_catalog_tool(seen->catalog, seen->tool)->name);
            deft_buffer_append_text(out, ": ");
            append_search(out, session, seen->search);
            deft_buffer_append_byte(out, '\n');
        }
    }
}

static void append_gone(deft_buffer *out, const deft__visible *visible)
{
    const char *indent = "Gone, but still in the list: ";
    for (size_t i = 0; i < visible->count; i++) {
        const deft_seen_tool *seen = &visible->tools[i];
        if (seen->state == DEFT_SEEN_GONE) {
            append_name(out, indent, deft_catalog_tool(seen->catalog, seen->tool)->id);
            indent = ", ";
        }
    }
    deft_buffer_append_text(out, *indent == ',' ? "\n" : "");
}

// What was written is taken back when it could not be finished.
static deft_status finish(deft_buffer *out, size_t start, bool is_done)
{
    const deft_status status = is_done ? out->status : DEFT_OUT_OF_MEMORY;
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}

deft_status deft_session_write_status(const deft_session *session, deft_buffer *out)
{
    const deft__visible     *visible = &session->visible;
    const deft_catalog      *catalog = deft_plan_catalog(visible->plan);
    const deft_plan_summary *summary = deft_plan_summary_of(visible->plan);
    const size_t             start   = out->size;
    status_sums              sums;
    if (!sum_up(session, &sums)) {
        return finish(out, start, false);
    }

    // Who may not reach everything is not told how much there is.
    const bool  is_restricted = session->restrictions.count > 0;
    deft_status status        = DEFT_OK;
    deft_buffer_append_text(out, "Tool search is ");
    if (is_restricted) {
        deft_buffer_append_text(out, summary->is_active ? "active" : "not active");
    } else {
        status = deft_plan_explain_cause(visible->plan, out);
    }
    deft_buffer_append_text(out, ".\n");
    append_thresholds(out, session);
    if (!is_restricted) {
        append_amount(out, "Measured: ", summary->deferrable_count, summary->measured);
    }
    append_amount(out, "Visible: ", sums.tools.upfront + sums.tools.loaded, sums.visible);
    append_amount(out, "Deferred: ", sums.tools.deferred, sums.deferred);
    append_listing(out, &sums.listing);
    append_turns(out, session);
    append_gone(out, visible);
    deft_buffer_append_byte(out, '\n');
    for (uint32_t i = 0; i < deft_catalog_server_count(catalog); i++) {
        append_server(out, session, deft_catalog_server(catalog, (deft_server_id){i}));
    }
    return finish(out, start, status == DEFT_OK);
}

static void write_number(deft__json_writer *writer, const char *name, uint64_t number)
{
    deft__json_name(writer, name);
    deft__json_write_uint64(writer, number);
}

static void write_text(deft__json_writer *writer, const char *name, const char *text)
{
    deft__json_name(writer, name);
    deft__json_write_text(writer, text);
}

static void write_amount(deft__json_writer *writer, const char *name, size_t count, deft_size size)
{
    deft__json_name(writer, name);
    deft__json_begin_object(writer);
    write_number(writer, "tools", count);
    write_number(writer, "tokens", size.tokens);
    write_number(writer, "characters", size.characters);
    deft__json_end_object(writer);
}

static void write_threshold(deft__json_writer *writer, const char *name, deft_threshold threshold)
{
    deft__json_name(writer, name);
    if (threshold.is_set) {
        deft__json_write_uint64(writer, threshold.value);
    } else {
        deft__json_write_null(writer);
    }
}

static void write_thresholds(deft__json_writer *writer, const deft_session *session)
{
    const deft_settings *settings = &session->settings;
    deft__json_name(writer, "thresholds");
    deft__json_begin_object(writer);
    write_threshold(writer, "characters", settings->threshold_characters);
    write_threshold(writer, "tokens", settings->threshold_tokens);
    deft__json_name(writer, "percent");
    if (settings->threshold_permyriad.is_set) {
        deft__json_write_double(writer, (double)settings->threshold_permyriad.value / 100);
    } else {
        deft__json_write_null(writer);
    }
    write_number(writer, "percentTokens",
                 deft_plan_summary_of(session->visible.plan)->threshold_percent_tokens);
    deft__json_end_object(writer);
}

static void write_listing(deft__json_writer *writer, const deft_listing_report *listing)
{
    deft__json_name(writer, "listing");
    deft__json_begin_object(writer);
    write_text(writer, "level", deft_listing_level_name(listing->level));
    write_number(writer, "tokens", listing->tokens);
    write_number(writer, "tools", listing->tool_count);
    write_number(writer, "named", listing->named_count);
    deft__json_end_object(writer);
}

static void write_searches(deft__json_writer *writer, const deft_session *session)
{
    const uint32_t kept = (uint32_t)session->search_kept;
    deft__json_name(writer, "searches");
    deft__json_begin_array(writer);
    for (uint32_t number = session->search_count - kept; number < session->search_count;) {
        number++;
        deft__json_begin_object(writer);
        write_number(writer, "number", number);
        deft__json_name(writer, "query");
        deft__json_write_string(writer, deft__session_query(session, number));
        deft__json_end_object(writer);
    }
    deft__json_end_array(writer);
}

static void write_server(deft__json_writer *writer, const deft_session *session,
                         const deft_server *server)
{
    const deft__visible *visible = &session->visible;
    const uint32_t       first   = server->first_tool.index;
    const tool_counts    tools   = count_tools(visible, first, server->tool_count);
    if (tools.upfront + tools.loaded + tools.deferred == 0) {
        return;
    }
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_string(writer, server->name);
    write_number(writer, "upfront", tools.upfront);
    write_number(writer, "deferred", tools.deferred);
    deft__json_name(writer, "loaded");
    deft__json_begin_array(writer);
    for (uint32_t i = first; tools.loaded > 0 && i < first + server->tool_count; i++) {
        if (deft_session_is_loaded(session, (deft_tool_id){i})) {
            const deft_seen_tool *seen = &visible->tools[visible->places[i] - 1];
            deft__json_begin_object(writer);
            deft__json_name(writer, "id");
            deft__json_write_string(writer, deft_catalog_tool(seen->catalog, seen->tool)->id);
            write_number(writer, "search", seen->search);
            deft__json_end_object(writer);
        }
    }
    deft__json_end_array(writer);
    deft__json_end_object(writer);
}

static void write_servers(deft__json_writer *writer, const deft_session *session)
{
    const deft_catalog *catalog = deft_plan_catalog(session->visible.plan);
    deft__json_name(writer, "servers");
    deft__json_begin_array(writer);
    for (uint32_t i = 0; i < deft_catalog_server_count(catalog); i++) {
        write_server(writer, session, deft_catalog_server(catalog, (deft_server_id){i}));
    }
    deft__json_end_array(writer);
}

static void write_gone(deft__json_writer *writer, const deft__visible *visible)
{
    deft__json_name(writer, "gone");
    deft__json_begin_array(writer);
    for (size_t i = 0; i < visible->count; i++) {
        const deft_seen_tool *seen = &visible->tools[i];
        if (seen->state == DEFT_SEEN_GONE) {
            deft__json_write_string(writer, deft_catalog_tool(seen->catalog, seen->tool)->id);
        }
    }
    deft__json_end_array(writer);
}

// The sentence of the plan; false when there is no memory for it.
static bool write_reason(deft__json_writer *writer, const deft_session *session)
{
    deft_buffer reason;
    deft_buffer_init(&reason, session->allocator);
    const deft_status status = deft_plan_explain_cause(session->visible.plan, &reason);
    deft__json_name(writer, "reason");
    deft__json_write_string(writer, deft_buffer_view(&reason));
    deft_buffer_clear(&reason);
    return status == DEFT_OK;
}

deft_status deft_session_write_status_json(const deft_session *session, deft_buffer *out)
{
    const deft__visible     *visible = &session->visible;
    const deft_plan_summary *summary = deft_plan_summary_of(visible->plan);
    const size_t             start   = out->size;
    status_sums              sums;
    if (!sum_up(session, &sums)) {
        return finish(out, start, false);
    }

    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "active");
    deft__json_write_bool(&writer, summary->is_active);
    write_text(&writer, "cause", deft_cause_name(summary->cause));
    const bool is_explained = write_reason(&writer, session);
    write_text(&writer, "mode", deft_mode_name(session->settings.mode));
    write_number(&writer, "contextWindowTokens", session->settings.context_window_tokens);
    write_thresholds(&writer, session);
    write_amount(&writer, "measured", summary->deferrable_count, summary->measured);
    write_amount(&writer, "visible", sums.tools.upfront + sums.tools.loaded, sums.visible);
    write_amount(&writer, "deferred", sums.tools.deferred, sums.deferred);
    write_number(&writer, "loaded", sums.tools.loaded);
    write_gone(&writer, visible);
    write_listing(&writer, &sums.listing);
    deft__json_name(&writer, "keepLoadedTools");
    deft__json_write_bool(&writer, session->settings.is_loaded_kept);
    write_number(&writer, "turns", session->turn_count);
    write_number(&writer, "searchCount", session->search_count);
    write_searches(&writer, session);
    write_servers(&writer, session);
    deft__json_end_object(&writer);
    return finish(out, start, is_explained);
}
