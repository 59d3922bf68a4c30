// Finds the definitions in a text, whatever shape the text has.
#include "core/catalog/builder.h"

#include "base/fail.h"
#include "base/memory.h"

static const char accepted[] = "a tools/list result, an array of definitions, an object with "
                               "'tools', or one definition a line";

// What a source says of the server whose tools it holds.
typedef struct server_facts {
    deft_view name;
    deft_view title;
    deft_view version;
    deft_view instructions;
    deft_view info;
} server_facts;

static const char *label_of(deft__quoted *quoted, const deft__reading *reading)
{
    return reading->label.size > 0 ? deft__quote(quoted, reading->label) : "source";
}

static deft_status fail_shape(const deft__reading *reading, deft__json_value value,
                              const char *what, deft_error *error)
{
    deft__quoted label;
    const size_t offset = deft__json_offset(value);
    return deft__fail(error, DEFT_INVALID, offset, "%s: %s (byte %zu); accepted are %s",
                      label_of(&label, reading), what, offset, accepted);
}

// A member that may be there once. Twice, two readers could see two different lists.
static bool member_once(deft__json_value object, const char *name, deft__json_value *value)
{
    const deft_view     text  = deft_view_of(name);
    size_t              count = 0;
    deft__json_iterator i     = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        if (deft__json_string_equals(i.name, text)) {
            *value = i.value;
            count++;
        }
    }
    return count <= 1;
}

static bool report(deft__reading *reading, deft__json_value value, const char *what,
                   const char *flaw)
{
    const deft__place place = {
        .label  = reading->label,
        .server = reading->server,
        .offset = deft__json_offset(value),
    };
    return deft__builder_report(reading->builder, &place, DEFT_INVALID, "%s %s; it is ignored",
                                what, flaw);
}

// The text of an optional string member, as a copy: what servers say of themselves is read together,
// and the texts that it is from need not all be in memory then. False: no memory.
static bool read_text(deft__reading *reading, deft__json_value object, const char *name,
                      deft_view *text)
{
    const deft__json_value value = deft__json_member(object, name);
    const deft__json_kind  kind  = deft__json_kind_of(value);
    if (kind == DEFT__JSON_STRING) {
        return deft__builder_copy_string(reading->builder, value, text);
    } else if (kind == DEFT__JSON_NONE || kind == DEFT__JSON_NULL) {
        return true;
    } else {
        return report(reading, value, name, "is not a string");
    }
}

// The name of a server, when it is one that can be used.
static bool read_server_name(deft__reading *reading, deft__json_value object, const char *name,
                             deft_view *server)
{
    deft_view    text = {NULL, 0};
    deft__reason reason;
    if (!read_text(reading, object, name, &text)) {
        return false;
    }
    if (text.size == 0) {
        return true;
    }
    const char *flaw =
        deft__server_name_flaw(text, reading->builder->options.name_size_max, &reason);
    if (flaw != NULL) {
        return report(reading, deft__json_member(object, name), "the server's name", flaw);
    }
    *server = text;
    return true;
}

// False: no memory.
static bool read_server_facts(deft__reading *reading, deft__json_value object, server_facts *facts)
{
    const deft__json_value info = deft__json_member(object, "serverInfo");
    facts->name                 = reading->server;
    if (facts->name.size == 0 &&
        (!read_server_name(reading, object, "server", &facts->name) ||
         (facts->name.size == 0 && !read_server_name(reading, info, "name", &facts->name)))) {
        return false;
    }
    reading->server = facts->name;
    if (!read_text(reading, object, "instructions", &facts->instructions)) {
        return false;
    }
    if (deft__json_is(info, DEFT__JSON_OBJECT)) {
        facts->info = deft__json_raw(info);
        if (!read_text(reading, info, "title", &facts->title) ||
            (facts->title.size == 0 &&
             !deft__builder_copy_string(reading->builder, deft__json_member(info, "name"),
                                        &facts->title))) {
            return false;
        }
        return read_text(reading, info, "version", &facts->version);
    } else if (deft__json_is(info, DEFT__JSON_NONE) || deft__json_is(info, DEFT__JSON_NULL)) {
        return true;
    } else {
        return report(reading, info, "serverInfo", "is not an object");
    }
}

static void set_if_empty(deft_view *text, deft_view value)
{
    if (text->size == 0) {
        *text = value;
    }
}

// Nothing can fail after this, so a source that is taken back leaves no fact behind.
static bool commit_server_facts(deft__reading *reading, const server_facts *facts)
{
    deft_catalog_builder *builder = reading->builder;
    if (facts->name.size == 0 && facts->instructions.size == 0 && facts->info.size == 0) {
        return true;
    }
    uint32_t index = 0;
    if (!deft__builder_server(builder, facts->name,
                              reading->is_kind_set ? reading->kind : DEFT_SERVER_MCP, &index)) {
        return false;
    }
    deft__server_draft *draft = &builder->servers[index];
    set_if_empty(&draft->server.title, facts->title);
    set_if_empty(&draft->server.version, facts->version);
    set_if_empty(&draft->server.instructions, facts->instructions);
    set_if_empty(&draft->server.info, facts->info);
    if (reading->is_kind_set) {
        draft->server.kind   = reading->kind;
        draft->is_kind_known = true;
    }
    return true;
}

static deft_status read_list(deft__reading *reading, deft__json_value list, deft_error *error)
{
    deft__json_iterator i = deft__json_iterate(list);
    while (deft__json_next(&i)) {
        if (!deft__definition_read(reading, i.value)) {
            return deft__fail_memory(error);
        }
    }
    return DEFT_OK;
}

// An object with "tools".
static deft_status read_container(deft__reading *reading, deft__json_value object,
                                  deft_error *error)
{
    static const char *const once[]     = {"tools", "server", "serverInfo", "instructions"};
    deft__json_value         members[4] = {{NULL, 0}};
    for (unsigned i = 0; i < sizeof once / sizeof once[0]; i++) {
        if (!member_once(object, once[i], &members[i])) {
            return fail_shape(reading, members[i], "a member of the list is there twice", error);
        }
    }
    if (!deft__json_is(members[0], DEFT__JSON_ARRAY)) {
        return fail_shape(reading, members[0], "'tools' is not an array", error);
    }

    // Known before its tools are read, so that each of them is reported under its server; and
    // before any of them, so that a server without tools is there too.
    server_facts facts = {0};
    uint32_t     index = 0;
    if (!read_server_facts(reading, object, &facts) ||
        (facts.name.size > 0 &&
         !deft__builder_server(reading->builder, facts.name, DEFT_SERVER_MCP, &index))) {
        return deft__fail_memory(error);
    }
    const deft_status status = read_list(reading, members[0], error);
    if (status == DEFT_OK && !commit_server_facts(reading, &facts)) {
        return deft__fail_memory(error);
    }
    return status;
}

// A JSON-RPC answer that carries no result.
static deft_status fail_answer(const deft__reading *reading, deft__json_value failure,
                               deft_error *error)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, reading->builder->allocator);
    const deft_view message = deft__json_string(deft__json_member(failure, "message"), &scratch);
    deft__quoted    label;
    deft__quoted    quoted;
    const size_t    offset = deft__json_offset(failure);
    deft__fail(error, DEFT_INVALID, offset,
               "%s: the server answered with an error instead of its tools: '%s' (byte %zu)",
               label_of(&label, reading), deft__quote(&quoted, message), offset);
    deft_buffer_clear(&scratch);
    return DEFT_INVALID;
}

static bool has(deft__json_value object, const char *name)
{
    return !deft__json_is(deft__json_member(object, name), DEFT__JSON_NONE);
}

static bool is_list(deft__json_value object)
{
    return has(object, "tools") || has(object, "result");
}

static deft_status read_document(deft__reading *reading, deft__json_value root, deft_error *error)
{
    if (deft__json_is(root, DEFT__JSON_ARRAY)) {
        return read_list(reading, root, error);
    } else if (!deft__json_is(root, DEFT__JSON_OBJECT)) {
        return fail_shape(reading, root, "no definitions in here", error);
    } else if (has(root, "tools")) {
        return read_container(reading, root, error);
    } else if (has(root, "result")) {
        deft__json_value result = {NULL, 0};
        if (!member_once(root, "result", &result)) {
            return fail_shape(reading, result, "'result' is there twice", error);
        } else if (!has(result, "tools")) {
            return fail_shape(reading, result, "'result' has no 'tools'", error);
        }
        return read_container(reading, result, error);
    } else if (has(root, "name") || has(root, "function")) {
        return deft__definition_read(reading, root) ? DEFT_OK : deft__fail_memory(error);
    } else if (deft__json_is(deft__json_member(root, "error"), DEFT__JSON_OBJECT)) {
        return fail_answer(reading, deft__json_member(root, "error"), error);
    } else {
        return fail_shape(reading, root, "no definitions in here", error);
    }
}

static bool is_blank(deft_view line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r') {
            return false;
        }
    }
    return true;
}

// The next line that is not blank, from `*at` on. False: there is none.
static bool next_line(deft_view text, size_t *at, deft_view *line)
{
    while (*at < text.size) {
        const char  *start = text.data + *at;
        const size_t left  = text.size - *at;
        const char  *end   = memchr(start, '\n', left);
        const size_t size  = end != NULL ? (size_t)(end - start) : left;
        *at += size + (end != NULL);
        *line = deft_view_make(start, size);
        if (!is_blank(*line)) {
            return true;
        }
    }
    return false;
}

// Whether the text is one object a line: the first line is a whole object, and not a list. The
// tape has held that line once already, so there is memory for it.
static bool is_lines(deft__reading *reading, deft_view text, const deft__json_limits *limits)
{
    deft__json *json = &reading->builder->json;
    deft_view   line;
    size_t      at = 0;
    return next_line(text, &at, &line) && at < text.size &&
           deft__json_parse(json, line, limits, NULL) == DEFT_OK &&
           deft__json_is(deft__json_root(json), DEFT__JSON_OBJECT) &&
           !is_list(deft__json_root(json));
}

static deft_status read_lines(deft__reading *reading, deft_view text,
                              const deft__json_limits *limits, deft_error *error)
{
    deft_catalog_builder *builder = reading->builder;
    deft_view             line;
    size_t                at = 0;
    reading->is_line         = true;
    while (next_line(text, &at, &line)) {
        deft_error        reason;
        const size_t      start   = (size_t)(line.data - text.data);
        const deft_status status  = deft__json_parse(&builder->json, line, limits, &reason);
        bool              is_good = true;
        if (status == DEFT_OUT_OF_MEMORY) {
            return deft__fail_memory(error);
        } else if (status != DEFT_OK) {
            const deft__place place = {
                .label    = reading->label,
                .server   = reading->server,
                .position = reading->position++,
                .offset   = start + reason.offset,
                .is_tool  = true,
            };
            is_good = deft__builder_report(builder, &place, status, "its line is not JSON: %s",
                                           reason.message);
        } else {
            reading->offset_base = start;
            is_good              = deft__definition_read(reading, deft__json_root(&builder->json));
        }
        if (!is_good) {
            return deft__fail_memory(error);
        }
    }
    return DEFT_OK;
}

static deft_status read_text_of_source(deft__reading *reading, deft_view text, deft_error *error)
{
    deft_catalog_builder   *builder = reading->builder;
    const deft__json_limits limits  = {
         .size_max  = (uint32_t)builder->options.source_size_max,
         .depth_max = builder->options.depth_max,
    };
    deft_error        reason;
    const deft_status status = deft__json_parse(&builder->json, text, &limits, &reason);
    if (status == DEFT_OK) {
        return read_document(reading, deft__json_root(&builder->json), error);
    } else if (status == DEFT_OUT_OF_MEMORY) {
        return deft__fail_memory(error);
    } else if (is_lines(reading, text, &limits)) {
        return read_lines(reading, text, &limits, error);
    } else {
        deft__quoted label;
        return deft__fail(error, status, reason.offset, "%s: %s (byte %zu)",
                          label_of(&label, reading), reason.message, reason.offset);
    }
}

// Copies the text, unless it is lent; `text` is then where it is from now on.
static deft__source_text *keep_text(deft_catalog_builder *builder, const deft_source *source,
                                    deft_view *text)
{
    const size_t       size = source->release != NULL ? 0 : text->size;
    deft__source_text *kept = deft__resize(builder->allocator, NULL, 0, sizeof *kept + size);
    if (kept != NULL) {
        *kept =
            (deft__source_text){.size = size, .release = source->release, .owner = source->owner};
        if (size > 0) {
            memcpy(kept->bytes, text->data, size);
            *text = deft_view_make(kept->bytes, size);
        }
    }
    return kept;
}

// What a server is, its first definition tells, unless the caller did.
static void commit_kinds(deft_catalog_builder *builder, size_t draft_first, bool is_kind_set)
{
    for (size_t i = draft_first; i < builder->draft_count; i++) {
        const deft__draft  *draft  = &builder->drafts[i];
        deft__server_draft *server = &builder->servers[draft->record.tool.server.index];
        if (is_kind_set || !server->is_kind_known) {
            server->server.kind   = draft->kind;
            server->is_kind_known = true;
        }
    }
}

// Takes back what a failed source had added.
static void take_back(deft_catalog_builder *builder, const deft_catalog_builder *before)
{
    for (size_t i = before->draft_count; i < builder->draft_count; i++) {
        builder->servers[builder->drafts[i].record.tool.server.index].server.tool_count--;
    }
    builder->draft_count          = before->draft_count;
    builder->parameter_count      = before->parameter_count;
    builder->server_count         = before->server_count;
    builder->problem_count        = before->problem_count;
    builder->problem_hidden_count = before->problem_hidden_count;
}

static deft_status check_source(const deft_catalog_builder *builder, const deft_source *source,
                                deft_view text, deft_error *error)
{
    deft__quoted label;
    deft__reason reason;
    const char  *shown    = source->label.size > 0 ? deft__quote(&label, source->label) : "source";
    const size_t size_max = builder->options.source_size_max;
    const size_t name_max = builder->options.name_size_max;
    if (text.size > size_max) {
        return deft__fail(error, DEFT_LIMIT, size_max,
                          "%s: it has %zu bytes; at most %zu are accepted", shown, text.size,
                          size_max);
    }
    const char *flaw =
        source->server.size > 0 ? deft__server_name_flaw(source->server, name_max, &reason) : NULL;
    if (flaw != NULL) {
        return deft__fail(error, DEFT_INVALID, 0, "%s: the server's name %s", shown, flaw);
    }
    return DEFT_OK;
}

deft_status deft_catalog_builder_add(deft_catalog_builder *builder, const deft_source *source,
                                     deft_view text, deft_error *error)
{
    const deft_source nothing = {0};
    source                    = source != NULL ? source : &nothing;

    deft_status status = check_source(builder, source, text, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft_catalog_builder before  = *builder;
    deft__reading              reading = {
                     .builder         = builder,
                     .is_server_fixed = source->server.size > 0,
                     .is_kind_set     = source->is_kind_set,
                     .kind            = source->kind,
    };
    deft__source_text *kept = keep_text(builder, source, &text);
    if (kept == NULL || !deft__arena_copy(&builder->decoded, source->label, &reading.label) ||
        !deft__arena_copy(&builder->decoded, source->server, &reading.server)) {
        deft__free(builder->allocator, kept, kept != NULL ? sizeof *kept + kept->size : 0);
        return deft__fail_memory(error);
    }
    status = read_text_of_source(&reading, text, error);
    if (status != DEFT_OK) {
        take_back(builder, &before);
        deft__free(builder->allocator, kept, sizeof *kept + kept->size);
        return status;
    }
    commit_kinds(builder, before.draft_count, reading.is_kind_set);
    kept->next     = builder->texts;
    builder->texts = kept;
    builder->text_bytes += sizeof *kept + kept->size;
    return DEFT_OK;
}
