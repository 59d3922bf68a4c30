// tool_describe: whole definitions, one JSON text a line, and what is to say about names that fit
// no tool.
#include "base/fail.h"
#include "core/bridge/answer.h"
#include "core/bridge/arguments.h"
#include "core/bridge/names.h"

static const char advice[] = "Send {\"tool_name\": \"server::tool\"}, several names separated by "
                             "commas.";

// Tools in one answer; as many as a search gives at most by default.
#define NAMES_MAX 20u

// Unknown names that get near ones; looking for these is the expensive part.
#define EXPLAINED_MAX 3u

typedef struct describe_request {
    const deft_session *session;
    deft_view           names[NAMES_MAX];
    size_t              name_count;
    deft_form           form;
} describe_request;

static deft_status add_name(describe_request *request, deft_view name, deft_error *error)
{
    while (name.size > 0 && name.data[0] == ' ') {
        name = deft_view_slice(name, 1, name.size);
    }
    while (name.size > 0 && name.data[name.size - 1] == ' ') {
        name.size--;
    }
    for (size_t i = 0; i < request->name_count; i++) {
        if (deft_view_equal(request->names[i], name)) {
            return DEFT_OK;
        }
    }
    if (name.size == 0) {
        return DEFT_OK;
    }
    if (request->name_count == NAMES_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "more than %u tools were asked for at once",
                          NAMES_MAX);
    }
    request->names[request->name_count++] = name;
    return DEFT_OK;
}

// "a" or "a, b"; a name that has a comma itself is found first.
static deft_status add_names(describe_request *request, deft_view text, deft_error *error)
{
    deft_tool_id tool;
    if (deft__names_find(request->session, text, &tool) == DEFT_OK) {
        return add_name(request, text, error);
    }
    deft_status status = DEFT_OK;
    while (status == DEFT_OK && text.size > 0) {
        const char  *comma = memchr(text.data, ',', text.size);
        const size_t size  = comma != NULL ? (size_t)(comma - text.data) : text.size;
        status             = add_name(request, deft_view_slice(text, 0, size), error);
        text               = deft_view_slice(text, size + 1, text.size);
    }
    return status;
}

static deft_status read_name(deft__arguments *arguments, deft__json_value value,
                             describe_request *request, deft_error *error)
{
    deft_view text;
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "'tool_name' is neither a string nor a list of strings");
    }
    if (!deft__arguments_string(arguments, value, &text)) {
        return deft__fail_memory(error);
    }
    return add_names(request, text, error);
}

static deft_status read_names(deft__arguments *arguments, describe_request *request,
                              deft_error *error)
{
    // Other words for the same, as models write them.
    static const char *const words[] = {"tool_name", "tool_names", "tool_id", "name", "names"};
    deft__json_value         value   = deft__json_member(arguments->object, words[0]);
    for (size_t i = 1; i < sizeof words / sizeof words[0] && !deft__arguments_has(value); i++) {
        value = deft__json_member(arguments->object, words[i]);
    }
    deft_status status = DEFT_OK;
    if (deft__json_is(value, DEFT__JSON_ARRAY)) {
        deft__json_iterator i = deft__json_iterate(value);
        while (status == DEFT_OK && deft__json_next(&i)) {
            status = read_name(arguments, i.value, request, error);
        }
    } else if (deft__arguments_has(value)) {
        status = read_name(arguments, value, request, error);
    }
    if (status == DEFT_OK && request->name_count == 0) {
        return deft__fail(error, DEFT_INVALID, 0, "'tool_name' was not given");
    }
    return status;
}

static deft_status read_request(deft__arguments *arguments, deft_view text,
                                describe_request *request, deft_error *error)
{
    deft_view   form   = {NULL, 0};
    deft_status status = deft__arguments_read(arguments, text, error);
    if (status == DEFT_OK) {
        status = deft__arguments_text(arguments, "form", &form, error);
    }
    if (status == DEFT_OK && form.size > 0 && !deft_form_from_name(form, &request->form)) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_INVALID, 0,
                          "'form' is '%s'; openai, mcp and anthropic are accepted",
                          deft__quote(&quoted, form));
    }
    return status == DEFT_OK ? read_names(arguments, request, error) : status;
}

// One line of text and one member of "tools" for each tool that was found. Only memory fails.
static deft_status write_tools(const describe_request *request, deft_answer *answer,
                               deft__json_writer *writer)
{
    const deft_catalog *catalog = deft_plan_catalog(deft_session_plan(request->session));
    deft_status         status  = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < request->name_count; i++) {
        deft_tool_id tool;
        if (deft__names_find(request->session, request->names[i], &tool) == DEFT_OK) {
            const size_t start = answer->text.size;
            status = deft_catalog_write_tool(catalog, tool, request->form, DEFT_NAMING_WIRE,
                                             &answer->text);
            if (status == DEFT_OK) {
                deft__json_write_raw(
                    writer, deft_view_slice(deft_buffer_view(&answer->text), start, SIZE_MAX));
            }
            deft_buffer_append_byte(&answer->text, '\n');
            answer->found_count++;
        }
    }
    return status;
}

static void write_unknown(const describe_request *request, deft_answer *answer,
                          deft__json_writer *writer)
{
    size_t explained = 0;
    for (size_t i = 0; i < request->name_count; i++) {
        deft_tool_id      tool;
        const deft_status status = deft__names_find(request->session, request->names[i], &tool);
        if (status == DEFT_OK) {
            continue;
        }
        deft__json_write_string(writer, request->names[i]);
        if (explained < EXPLAINED_MAX) {
            deft__names_explain(request->session, request->names[i], status, &answer->text);
        } else {
            deft_buffer_append_text(&answer->text, "No tool is called ");
            deft__append_quoted(&answer->text, request->names[i]);
            deft_buffer_append_byte(&answer->text, '.');
        }
        deft_buffer_append_byte(&answer->text, '\n');
        explained++;
    }
}

static deft_status write_answer(const describe_request *request, deft_answer *answer,
                                deft_error *error)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, &answer->structured);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    const deft_status status = write_tools(request, answer, &writer);
    deft__json_end_array(&writer);
    deft__json_name(&writer, "unknown");
    deft__json_begin_array(&writer);
    write_unknown(request, answer, &writer);
    deft__json_end_array(&writer);
    deft__json_end_object(&writer);
    if (status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    if (answer->found_count == 0) {
        return deft__answer_finish_error(answer, NULL, error);
    }
    return deft__answer_finish(answer, error);
}

deft_status deft_bridge_describe(deft_session *session, const deft_settings *settings,
                                 deft_view text, deft_answer *answer, deft_error *error)
{
    (void)settings;
    deft__answer_reset(answer);
    describe_request request = {.session = session, .form = DEFT_FORM_OPENAI};
    deft__arguments  arguments;
    deft_error       reason = DEFT_ERROR_INIT;
    deft__arguments_init(&arguments, answer->text.allocator);
    deft_status status = read_request(&arguments, text, &request, &reason);
    if (status == DEFT_OK) {
        status = write_answer(&request, answer, error);
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
