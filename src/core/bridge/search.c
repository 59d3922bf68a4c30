// The search tool: arguments in, an answer out, and the found tools loaded. The answer is written
// before anything is loaded, so a call that fails leaves the session as it was.
#include "base/fail.h"
#include "core/bridge/answer.h"
#include "core/bridge/arguments.h"
#include "core/bridge/fit.h"
#include "core/bridge/names.h"
#include "core/listing/clean.h"
#include "core/policy/plan.h"
#include "core/ranking/explain.h"
#include "core/ranking/searcher.h"
#include "core/session/session.h"

static const char advice[] = "Send either {\"query\": \"a few keywords\"} or "
                             "{\"tool_id\": \"server::tool\"}.";

typedef struct search_request {
    deft_session        *session;
    const deft_settings *settings;
    deft_view            query;   // empty when tool_id is given
    deft_view            tool_id; // empty when query is given
    bool                 has_results;
    size_t               results; // tools wanted at most
    deft_tool_id        *hits;    // in the session's catalog, best first
    size_t               hit_count;
    const deft_catalog  *searched;    // the searcher's catalog
    deft__schema_size   *sizes;       // by tool of the session's catalog; NULL: it is another one
    const bool          *is_deferred; // by tool that is searched, where that is all that is asked
    bool                 is_kept_out; // a tool that could have been found is in plain sight
} search_request;

static const deft_catalog *catalog_of(const search_request *request)
{
    return deft_plan_catalog(deft_session_plan(request->session));
}

// A number that may have arrived as text: "5". False: it is no whole number.
static bool read_number(deft__arguments *arguments, deft__json_value value, int64_t *number,
                        bool *has_memory)
{
    deft_view text = deft__json_raw(value);
    *has_memory    = true;
    if (deft__json_is(value, DEFT__JSON_NUMBER)) {
        const deft_status status = deft__json_int64(value, number);
        if (status == DEFT_LIMIT) {
            *number = text.data[0] == '-' ? INT64_MIN : INT64_MAX;
        }
        return status != DEFT_INVALID;
    }
    *has_memory = deft__arguments_string(arguments, value, &text);
    if (!*has_memory || text.size == 0 || text.size > 18) {
        return false;
    }
    const bool is_negative = text.data[0] == '-';
    int64_t    sum         = 0;
    for (size_t i = is_negative ? 1 : 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        sum = sum * 10 + (text.data[i] - '0');
    }
    *number = is_negative ? -sum : sum;
    return !(is_negative && text.size == 1);
}

static deft_status read_results(deft__arguments *arguments, search_request *request,
                                deft_error *error)
{
    const deft_settings *settings = request->settings;
    const char          *name     = "max_results";
    deft__json_value     value    = deft__json_member(arguments->object, name);
    if (!deft__arguments_has(value)) {
        name  = "limit";
        value = deft__json_member(arguments->object, name);
    }
    int64_t number       = settings->results_default;
    request->has_results = deft__arguments_has(value);
    if (request->has_results) {
        bool has_memory = true;
        if (!read_number(arguments, value, &number, &has_memory) || number < 1) {
            return has_memory ? deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                                           "'%s' must be a whole number from 1 to %u", name,
                                           (unsigned)settings->results_max)
                              : deft__fail_memory(error);
        }
    }
    request->results =
        (uint64_t)number < settings->results_max ? (size_t)number : settings->results_max;
    return DEFT_OK;
}

static deft_status read_request(deft__arguments *arguments, deft_view text, search_request *request,
                                deft_error *error)
{
    deft_status status = deft__arguments_read(arguments, text, error);
    if (status == DEFT_OK) {
        status = deft__arguments_text(arguments, "query", &request->query, error);
    }
    if (status == DEFT_OK) {
        status = deft__arguments_text(arguments, "tool_id", &request->tool_id, error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    if (request->query.size > 0 && request->tool_id.size > 0) {
        return deft__fail(error, DEFT_INVALID, 0, "both 'query' and 'tool_id' were given");
    }
    if (request->query.size == 0 && request->tool_id.size == 0) {
        return deft__fail(error, DEFT_INVALID, 0, "neither 'query' nor 'tool_id' was given");
    }
    return read_results(arguments, request, error);
}

// The searcher may belong to another catalog than the session has by now; across catalogs a tool
// is its id.
static bool to_session(const search_request *request, deft_tool_id found, deft_tool_id *tool)
{
    if (request->searched == catalog_of(request)) {
        *tool = found;
        return true;
    }
    return deft_catalog_find(catalog_of(request), deft_catalog_tool(request->searched, found)->id,
                             tool);
}

static bool is_allowed(void *context, deft_tool_id found)
{
    const search_request *request = context;
    deft_tool_id          tool    = {0};
    return to_session(request, found, &tool) && deft_session_is_allowed(request->session, tool);
}

// A search is for what is withheld: a tool in plain sight would take the place of one that is not.
static bool is_withheld(void *context, deft_tool_id found)
{
    const search_request *request = context;
    deft_tool_id          tool    = {0};
    return to_session(request, found, &tool) && deft_session_is_allowed(request->session, tool) &&
           deft__visible_is_deferred(&request->session->visible, tool);
}

// The same where the session may see all that is searched: asked of hundreds of tools in each search.
static bool is_deferred(void *context, deft_tool_id found)
{
    search_request *request = context;
    request->is_kept_out |= !request->is_deferred[found.index];
    return request->is_deferred[found.index];
}

// Whether a query names its tools itself; then as many are returned as one answer may hold.
static bool is_selection(deft_view query)
{
    while (query.size > 0 && query.data[0] == ' ') {
        query = deft_view_slice(query, 1, query.size);
    }
    return deft_view_starts_with(query, deft_view_of("select:"));
}

// The query as it is put to the searcher.
static deft_query query_of(const search_request *request, const deft_tool_filter *filter)
{
    const deft_settings *settings = request->settings;
    const bool           has_room = is_selection(request->query) && !request->has_results;
    return (deft_query){
        .text      = request->query,
        .ranking   = settings->ranking,
        .hits_max  = has_room ? settings->results_max : request->results,
        .score_min = settings->ranking == DEFT_RANKING_BM25
                         ? (float)settings->matching_threshold_milli / 1000
                         : 0,
        .filter    = filter,
    };
}

// Whether the session may see every tool that is searched.
static bool is_all_allowed(const search_request *request)
{
    return request->searched == catalog_of(request) && request->session->visible.is_allowed == NULL;
}

// What a search asks of a tool. Nothing where every tool that is searched is withheld.
static bool (*filter_of(const search_request *request))(void *context, deft_tool_id found)
{
    const deft_plan_summary *summary = deft_plan_summary_of(deft_session_plan(request->session));
    if (is_selection(request->query)) {
        return is_all_allowed(request) ? NULL : is_allowed;
    } else if (!is_all_allowed(request)) {
        return is_withheld;
    } else if (summary->pinned_count + summary->visible_count > 0) {
        return is_deferred;
    } else {
        return NULL;
    }
}

static deft_status run_query(search_request *request, deft_searcher *searcher, deft__arena *arena,
                             deft_error *error)
{
    const deft_tool_filter filter = {.is_shown = filter_of(request), .context = request};
    const deft_query       query  = query_of(request, filter.is_shown != NULL ? &filter : NULL);
    request->is_deferred          = deft_session_plan(request->session)->is_deferred;
    const deft_status status      = deft_searcher_run(searcher, &query, error);
    if (status != DEFT_OK) {
        return status;
    }
    size_t          count = 0;
    const deft_hit *hits  = deft_searcher_hits(searcher, &count);
    request->hits         = deft__arena_array(arena, count, sizeof *request->hits);
    if (request->hits == NULL) {
        return deft__fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        request->hit_count += to_session(request, hits[i].tool, &request->hits[request->hit_count]);
    }
    return DEFT_OK;
}

static deft_status run_lookup(search_request *request, deft__arena *arena, deft_error *error)
{
    request->hits = deft__arena_array(arena, 1, sizeof *request->hits);
    if (request->hits == NULL) {
        return deft__fail_memory(error);
    }
    if (deft__names_find(request->session, request->tool_id, request->hits) == DEFT_OK) {
        request->hit_count = 1;
    }
    return DEFT_OK;
}

static void append_parameters(deft_buffer *out, const deft_tool *tool)
{
    deft_buffer_append(out, tool->parameter_count > 0 ? deft_view_of("Parameters: ")
                                                      : deft_view_of("Parameters: none"));
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        const deft_parameter *parameter = &tool->parameters[i];
        deft_buffer_append(out, deft_view_make(", ", i > 0 ? 2 : 0));
        deft__clean_append(out, parameter->name, DEFT_NAME_SIZE_MAX);
        if (parameter->type.size > 0) {
            deft_buffer_append_byte(out, ' ');
            deft__clean_append(out, parameter->type, DEFT_NAME_SIZE_MAX);
        }
        if (parameter->is_required) {
            deft_buffer_append(out, deft_view_of(" (required)"));
        }
    }
    deft_buffer_append_byte(out, '\n');
}

// Whether the read-only call tool reaches it, and there is one.
static bool is_called_read_only(const search_request *request, const deft_tool *tool)
{
    return request->settings->style != DEFT_STYLE_LOAD &&
           request->settings->call_tools == DEFT_CALL_TOOLS_BY_EFFECT && tool->is_read_only &&
           !tool->is_destructive;
}

// What is said of one hit, both ways. `schema` is empty where none is shown.
static void append_hit(const search_request *request, deft_tool_id id, deft_view schema,
                       deft_buffer *out)
{
    const deft_tool *tool = deft_catalog_tool(catalog_of(request), id);
    deft_buffer_append_byte(out, '\n');
    deft__clean_append(out, tool->id, DEFT_NAME_SIZE_MAX * 3);
    deft_buffer_append_text(out, is_called_read_only(request, tool) ? " (read-only)" : "");
    if (tool->description.size > 0) {
        deft_buffer_append_text(out, ": ");
        deft__clean_append(out, tool->description, request->settings->listing_description_size_max);
    }
    deft_buffer_append_byte(out, '\n');
    append_parameters(out, tool);
    if (schema.size > 0) {
        deft_buffer_append_text(out, "Input schema: ");
        deft_buffer_append(out, schema);
        deft_buffer_append_byte(out, '\n');
    }
}

static void write_hit(const search_request *request, deft_tool_id id, deft_view schema,
                      deft__json_writer *writer)
{
    const deft_tool *tool = deft_catalog_tool(catalog_of(request), id);
    deft__json_begin_object(writer);
    deft__json_name(writer, "id");
    deft__json_write_string(writer, tool->id);
    deft__json_name(writer, "name");
    deft__json_write_string(writer, tool->wire_name);
    deft__json_name(writer, "description");
    deft__json_write_string(writer, tool->description);
    deft__json_name(writer, "parameters");
    deft__json_begin_array(writer);
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        const deft_parameter *parameter = &tool->parameters[i];
        deft__json_begin_object(writer);
        deft__json_name(writer, "name");
        deft__json_write_string(writer, parameter->name);
        if (parameter->type.size > 0) {
            deft__json_name(writer, "type");
            deft__json_write_string(writer, parameter->type);
        }
        deft__json_name(writer, "required");
        deft__json_write_bool(writer, parameter->is_required);
        deft__json_end_object(writer);
    }
    deft__json_end_array(writer);
    if (schema.size > 0) {
        deft__json_name(writer, "inputSchema");
        deft__json_write_raw(writer, schema);
    }
    deft__json_end_object(writer);
}

static void append_heading(const search_request *request, deft_buffer *out)
{
    deft_buffer_append_u64(out, request->hit_count);
    deft_buffer_append_text(out, request->hit_count == 1 ? " tool found." : " tools found.");
    if (request->settings->style == DEFT_STYLE_LOAD) {
        deft_buffer_append_text(out,
                                request->hit_count == 1
                                    ? " It is in your tool list now; call it directly.\n"
                                    : " They are in your tool list now; call them directly.\n");
    } else {
        deft_buffer_append_text(out, " Call one with ");
        deft_buffer_append(out, request->settings->call_name);
        if (request->settings->call_tools == DEFT_CALL_TOOLS_BY_EFFECT) {
            deft_buffer_append_text(out, ", or with ");
            deft_buffer_append(out, request->settings->call_read_only_name);
            deft_buffer_append_text(out, " where it says read-only");
        }
        deft_buffer_append_text(out, ": tool_name is its id, tool_args its arguments.\n");
    }
}

// Says which names after `select:` fit no tool.
static void append_unknown_names(const search_request *request, const deft__query *query,
                                 deft_buffer *out)
{
    const size_t explained_max = 3; // looking for near names is the expensive part
    size_t       explained     = 0;
    for (size_t i = 0; i < query->name_count && explained < explained_max; i++) {
        deft_tool_id      tool   = {0};
        const deft_status status = deft__names_find(request->session, query->names[i], &tool);
        if (status != DEFT_OK) {
            deft_buffer_append_byte(out, out->size > 0 ? '\n' : ' ');
            deft__names_explain(request->session, query->names[i], status, out);
            explained++;
        }
    }
}

// Asks the processor for some bytes: those of one hit lie together, those of several far apart, and
// waiting for one after another takes longer than writing them.
static void ask_for(const void *bytes, size_t size)
{
    const size_t size_max = 4096; // more would push out what was asked for first
    for (size_t i = 0; i < size && i < size_max; i += 64) {
        __builtin_prefetch((const char *)bytes + i);
    }
}

// Room for about what the hits take, so that the answer need not grow step by step.
static void reserve_answer(const search_request *request, deft_answer *answer)
{
    size_t size = 512; // the heading, and what is said once
    for (size_t i = 0; i < request->hit_count; i++) {
        ask_for(deft_catalog_tool(catalog_of(request), request->hits[i]), sizeof(deft_tool));
    }
    for (size_t i = 0; i < request->hit_count; i++) {
        const deft_tool *tool = deft_catalog_tool(catalog_of(request), request->hits[i]);
        ask_for(tool->description.data, tool->description.size);
        ask_for(tool->parameters, tool->parameter_count * sizeof *tool->parameters);
        ask_for(tool->definition.data, tool->definition.size);
        size += tool->definition.size + 256;
    }
    (void)deft_buffer_reserve(&answer->text, size);
    (void)deft_buffer_reserve(&answer->structured, size);
}

static void write_found(const search_request *request, deft_answer *answer, deft_buffer *schema)
{
    const deft_settings *settings  = request->settings;
    const bool           is_bridge = settings->style != DEFT_STYLE_LOAD;
    uint64_t             left =
        settings->result_budget_tokens > 0 ? settings->result_budget_tokens : UINT64_MAX;
    size_t            left_out = 0;
    deft__json_writer writer;
    reserve_answer(request, answer);
    deft__json_writer_init(&writer, &answer->structured);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    append_heading(request, &answer->text);
    for (size_t i = 0; i < request->hit_count; i++) {
        const deft_tool_id id   = request->hits[i];
        deft__schema_size *size = request->sizes != NULL ? &request->sizes[id.index] : NULL;
        if (is_bridge &&
            !deft__fit_schema(catalog_of(request), settings, id, size, &left, schema)) {
            left_out++;
        }
        append_hit(request, id, deft_buffer_view(schema), &answer->text);
        write_hit(request, id, deft_buffer_view(schema), &writer);
    }
    deft__json_end_array(&writer);
    deft__json_name(&writer, "loaded");
    deft__json_write_uint64(&writer, answer->loaded_count);
    deft__json_end_object(&writer);
    if (left_out > 0) {
        deft_buffer_append_text(&answer->text, "\nNot every input schema fits into one answer; ");
        deft_buffer_append(&answer->text, settings->describe_name);
        deft_buffer_append_text(&answer->text, " gives the others.\n");
    }
}

// {"tools": [], "loaded": 0, "message": the text}
static void write_nothing(deft_answer *answer)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, &answer->structured);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    deft__json_end_array(&writer);
    deft__json_name(&writer, "loaded");
    deft__json_write_uint64(&writer, 0);
    deft__json_name(&writer, "message");
    deft__json_write_string(&writer, deft_buffer_view(&answer->text));
    deft__json_end_object(&writer);
}

static bool is_listed(void *context, deft_tool_id tool)
{
    const search_request *request = context;
    return deft_session_is_allowed(request->session, tool);
}

// The listing as far as the session may see it. Who sees all shares one. False: no memory.
static bool list_tools(search_request *request, deft_searcher *searcher,
                       const deft_settings *settings, deft_buffer *scratch, deft_view *listing)
{
    deft_plan *plan = deft_session_plan(request->session);
    if (request->session->visible.is_allowed == NULL) {
        return deft__listed_get(&searcher->listed, plan, settings, listing);
    }
    const deft_tool_filter filter = {.is_shown = is_listed, .context = request};
    const deft_status status = deft_listing_write_filtered(plan, settings, &filter, scratch, NULL);
    *listing                 = deft_buffer_view(scratch);
    return status == DEFT_OK;
}

// The fallback starts at the richest level even where little is listed upfront: now the model asks.
static deft_status append_fallback(search_request *request, deft_searcher *searcher,
                                   deft_answer *answer, deft_error *error)
{
    deft_settings settings = *request->settings;
    deft_view     listing  = deft_view_make(NULL, 0);
    deft_buffer   scratch;
    settings.listing = DEFT_LISTING_FULL;
    deft_buffer_init(&scratch, answer->text.allocator);
    const bool has_memory = list_tools(request, searcher, &settings, &scratch, &listing);
    if (has_memory && listing.size > 0) {
        deft_buffer_append_text(&answer->text, "\n\nWhat can be found:\n");
        deft_buffer_append(&answer->text, listing);
    }
    deft_buffer_clear(&scratch);
    return has_memory ? DEFT_OK : deft__fail_memory(error);
}

// What a model sees already is not searched for; told so, it need not search on.
static void append_in_sight(const search_request *request, const deft_searcher *searcher,
                            deft_buffer *out)
{
    deft_tool_id    tools[DEFT__NEAREST_COUNT_MAX];
    size_t          count     = 0;
    size_t          hit_count = 0;
    const deft_hit *hits      = deft_searcher_hits(searcher, &hit_count);
    for (size_t i = 0; i < hit_count && i < DEFT__NEAREST_COUNT_MAX; i++) {
        count += to_session(request, hits[i].tool, &tools[count]);
    }
    if (count > 0) {
        deft_buffer_append_text(out, " Already in your tool list: ");
        deft__append_ids(out, catalog_of(request), tools, count);
        deft_buffer_append_byte(out, '.');
    }
}

// Why words found nothing: which of them no tool has, and what comes near. Asked of all tools that
// the model may see, of which those are left to find that it sees already.
static deft_status append_miss(search_request *request, deft_searcher *searcher,
                               deft_answer *answer, deft_error *error)
{
    const deft_tool_filter filter = {.is_shown = is_allowed, .context = request};
    deft_query             query  = query_of(request, is_all_allowed(request) ? NULL : &filter);
    deft_buffer           *out    = &answer->text;
    query.hits_max                = DEFT__NEAREST_COUNT_MAX;
    // Where nothing was kept out, searching among all that the model may see finds nothing, either.
    const bool        has_run = is_all_allowed(request) && !request->is_kept_out;
    deft_explanation *explanation =
        deft__explanation_new_miss(searcher, &query, has_run, out->allocator, error);
    if (explanation == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_append_byte(out, ' ');
    const size_t start = out->size;
    deft__explanation_write_miss(explanation, out);
    deft_buffer_append_text(out, out->size > start ? " " : "");
    deft_buffer_append_text(out, "Try fewer or other words.");
    append_in_sight(request, searcher, out);
    deft_explanation_free(explanation);
    return DEFT_OK;
}

static deft_status write_not_found(search_request *request, deft_searcher *searcher,
                                   deft_answer *answer, deft_error *error)
{
    deft_buffer *out    = &answer->text;
    deft_status  status = DEFT_OK;
    if (request->tool_id.size > 0) {
        deft_tool_id tool;
        deft__names_explain(request->session, request->tool_id,
                            deft__names_find(request->session, request->tool_id, &tool), out);
    } else if (searcher->query.is_selection) {
        append_unknown_names(request, &searcher->query, out);
    } else {
        deft_buffer_append_text(out, "No tool matches ");
        deft__append_quoted(out, request->query);
        deft_buffer_append_byte(out, '.');
        if (request->settings->ranking == DEFT_RANKING_HYBRID) {
            status = append_miss(request, searcher, answer, error);
        } else {
            deft_buffer_append_text(out, " Try fewer or other words.");
        }
    }
    if (status == DEFT_OK && request->settings->is_fallback_listed) {
        status = append_fallback(request, searcher, answer, error);
    }
    write_nothing(answer);
    return status;
}

static deft_status write_inactive(deft_answer *answer, deft_error *error)
{
    deft_buffer_append_text(&answer->text,
                            "Tool search is not active: every tool is already loaded and in your "
                            "tool list. Call the one you need directly.");
    write_nothing(answer);
    return deft__answer_finish(answer, error);
}

// The last step: everything that can fail comes before the first tool is loaded.
static deft_status load_hits(search_request *request, deft_error *error)
{
    deft_session *session = request->session;
    if (!deft__session_reserve(session, request->hit_count)) {
        return deft__fail_memory(error);
    }
    const uint32_t search = deft_session_record_search(
        session, request->query.size > 0 ? request->query : request->tool_id);
    if (search == 0) {
        return deft__fail_memory(error);
    }
    deft_status status = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < request->hit_count; i++) {
        status = deft_session_load(session, request->hits[i], search, NULL, error);
    }
    return status;
}

static deft_status answer_request(search_request *request, deft_searcher *searcher,
                                  deft_answer *answer, deft_error *error)
{
    deft_status status = DEFT_OK;
    for (size_t i = 0; i < request->hit_count; i++) {
        answer->loaded_count += !deft_session_is_visible(request->session, request->hits[i]);
    }
    answer->found_count = request->hit_count;
    if (request->hit_count == 0) {
        status = write_not_found(request, searcher, answer, error);
    } else {
        deft_buffer schema;
        deft_buffer_init(&schema, answer->text.allocator);
        write_found(request, answer, &schema);
        if (request->query.size > 0 && searcher->query.is_selection) {
            append_unknown_names(request, &searcher->query, &answer->text);
        }
        status = schema.status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
        deft_buffer_clear(&schema);
    }
    if (status == DEFT_OK) {
        status = deft__answer_finish(answer, error);
    }
    return status == DEFT_OK ? load_hits(request, error) : status;
}

deft_status deft_bridge_search(deft_session *session, deft_searcher *searcher,
                               const deft_settings *settings, deft_view text, deft_answer *answer,
                               deft_error *error)
{
    deft__answer_reset(answer);
    if (!deft_plan_summary_of(deft_session_plan(session))->is_active) {
        return write_inactive(answer, error);
    }
    search_request request = {
        .session = session, .settings = settings, .searched = deft__searcher_catalog(searcher)};
    request.sizes = request.searched == catalog_of(&request)
                        ? deft__searcher_schema_sizes(searcher, settings->token_family)
                        : NULL;
    deft__arguments arguments;
    deft_error      reason = DEFT_ERROR_INIT;
    deft__arguments_init(&arguments, answer->text.allocator);
    deft_status status = read_request(&arguments, text, &request, &reason);
    if (status == DEFT_OK) {
        status = request.query.size > 0 ? run_query(&request, searcher, &arguments.arena, &reason)
                                        : run_lookup(&request, &arguments.arena, &reason);
    }
    if (status == DEFT_OK) {
        status = answer_request(&request, searcher, answer, error);
    } else if (status != DEFT_OUT_OF_MEMORY) {
        deft__answer_append_message(answer, &reason);
        status = deft__answer_finish_error(answer, advice, error);
    } else {
        status = deft__fail_memory(error);
    }
    if (status != DEFT_OK) {
        deft__answer_reset(answer);
    }
    deft__arguments_clear(&arguments);
    return status;
}
