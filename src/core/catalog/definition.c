// Reads one definition, in whichever form it is. A flaw that leaves nothing to call, or that two
// readers could take differently, costs the tool; any other costs only the flawed part. Either
// way it is reported. docs/catalog.md has the table.
#include "core/catalog/builder.h"
#include "core/catalog/wire.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdarg.h>

// The members that mean something to us. All others are carried along unread.
typedef enum member {
    MEMBER_NAME,
    MEMBER_TITLE,
    MEMBER_DESCRIPTION,
    MEMBER_INPUT_SCHEMA,     // MCP
    MEMBER_INPUT_SCHEMA_ANT, // Anthropic
    MEMBER_PARAMETERS,       // OpenAI
    MEMBER_FUNCTION,
    MEMBER_TYPE,
    MEMBER_STRICT,
    MEMBER_OUTPUT_SCHEMA,
    MEMBER_ANNOTATIONS,
    MEMBER_ICONS,
    MEMBER_EXECUTION,
    MEMBER_META,
    MEMBER_ID,
    MEMBER_SERVER,
    MEMBER_DEFERRABLE,
    MEMBER_DEFER_LOADING,
    MEMBER_COUNT
} member;

static const deft_view member_names[MEMBER_COUNT] = {
    [MEMBER_NAME]             = DEFT_VIEW_INIT("name"),
    [MEMBER_TITLE]            = DEFT_VIEW_INIT("title"),
    [MEMBER_DESCRIPTION]      = DEFT_VIEW_INIT("description"),
    [MEMBER_INPUT_SCHEMA]     = DEFT_VIEW_INIT("inputSchema"),
    [MEMBER_INPUT_SCHEMA_ANT] = DEFT_VIEW_INIT("input_schema"),
    [MEMBER_PARAMETERS]       = DEFT_VIEW_INIT("parameters"),
    [MEMBER_FUNCTION]         = DEFT_VIEW_INIT("function"),
    [MEMBER_TYPE]             = DEFT_VIEW_INIT("type"),
    [MEMBER_STRICT]           = DEFT_VIEW_INIT("strict"),
    [MEMBER_OUTPUT_SCHEMA]    = DEFT_VIEW_INIT("outputSchema"),
    [MEMBER_ANNOTATIONS]      = DEFT_VIEW_INIT("annotations"),
    [MEMBER_ICONS]            = DEFT_VIEW_INIT("icons"),
    [MEMBER_EXECUTION]        = DEFT_VIEW_INIT("execution"),
    [MEMBER_META]             = DEFT_VIEW_INIT("_meta"),
    [MEMBER_ID]               = DEFT_VIEW_INIT("id"),
    [MEMBER_SERVER]           = DEFT_VIEW_INIT("server"),
    [MEMBER_DEFERRABLE]       = DEFT_VIEW_INIT("deferrable"),
    [MEMBER_DEFER_LOADING]    = DEFT_VIEW_INIT("defer_loading"),
};

// One definition being read.
typedef struct definition {
    deft__reading   *reading;
    deft__json_value value;
    deft__json_value members[MEMBER_COUNT];
    deft__place      place; // for reports
    deft__record     record;
    bool             is_out_of_memory;
    bool             is_dropped;
} definition;

static bool is_absent(deft__json_value value)
{
    // Serializers that write every optional member write null for those that are not there.
    const deft__json_kind kind = deft__json_kind_of(value);
    return kind == DEFT__JSON_NONE || kind == DEFT__JSON_NULL;
}

static size_t offset_of(const definition *self, deft__json_value value)
{
    return self->reading->offset_base + deft__json_offset(value);
}

DEFT__PRINTF_LIKE(4, 0)
static void report_list(definition *self, deft__json_value value, deft_status status,
                        const char *format, va_list arguments)
{
    self->place.offset = offset_of(self, value);
    if (!deft__builder_report_list(self->reading->builder, &self->place, status, format,
                                   arguments)) {
        self->is_out_of_memory = true;
    }
}

// Notes what is wrong at `value`.
DEFT__PRINTF_LIKE(4, 5)
static void report(definition *self, deft__json_value value, deft_status status, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_list(self, value, status, format, arguments);
    va_end(arguments);
}

// The same, and the tool cannot be kept.
DEFT__PRINTF_LIKE(4, 5)
static void drop(definition *self, deft__json_value value, deft_status status, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_list(self, value, status, format, arguments);
    va_end(arguments);
    self->is_dropped = true;
}

static deft_view string_of(definition *self, deft__json_value value)
{
    deft_view text = {NULL, 0};
    if (!deft__builder_string(self->reading->builder, value, &text)) {
        self->is_out_of_memory = true;
    }
    return text;
}

// Which member a name is; MEMBER_COUNT when it is none of ours.
static member member_of(deft__json_value name)
{
    const deft_view raw  = deft__json_raw(name);
    const deft_view text = deft_view_make(raw.data + 1, raw.size - 2);
    if (memchr(text.data, '\\', text.size) != NULL) {
        for (unsigned i = 0; i < MEMBER_COUNT; i++) {
            if (deft__json_string_equals(name, member_names[i])) {
                return (member)i;
            }
        }
        return MEMBER_COUNT;
    }
    for (unsigned i = 0; i < MEMBER_COUNT; i++) {
        if (deft_view_equal(text, member_names[i])) {
            return (member)i;
        }
    }
    return MEMBER_COUNT;
}

// Picks our members out of `object`. What another reader of the same bytes could see differently,
// a member that is there twice, is given in `twice`.
static void read_members(deft__json_value object, deft__json_value members[MEMBER_COUNT],
                         deft__json_value *twice)
{
    deft__json_iterator i = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        const member which = member_of(i.name);
        if (which == MEMBER_COUNT) {
            continue;
        }
        if (!deft__json_is(members[which], DEFT__JSON_NONE)) {
            *twice = i.name;
        }
        members[which] = i.value;
    }
}

static deft__shape shape_of(const deft__json_value members[MEMBER_COUNT])
{
    const bool has_function = !is_absent(members[MEMBER_FUNCTION]);
    const bool is_function =
        deft__json_string_equals(members[MEMBER_TYPE], deft_view_of("function"));
    if (!deft__json_is(members[MEMBER_INPUT_SCHEMA], DEFT__JSON_NONE)) {
        return DEFT__SHAPE_MCP;
    } else if (!deft__json_is(members[MEMBER_INPUT_SCHEMA_ANT], DEFT__JSON_NONE)) {
        return DEFT__SHAPE_ANTHROPIC;
    } else if (has_function && (is_function || is_absent(members[MEMBER_NAME]))) {
        return DEFT__SHAPE_OPENAI;
    } else if (is_function) {
        return DEFT__SHAPE_OPENAI_FLAT;
    } else if (!deft__json_is(members[MEMBER_PARAMETERS], DEFT__JSON_NONE)) {
        return DEFT__SHAPE_BARE_FUNCTION;
    } else if (deft__json_is(members[MEMBER_TYPE], DEFT__JSON_STRING)) {
        return DEFT__SHAPE_ANTHROPIC; // a tool that Anthropic runs: it has a type and no schema
    } else {
        return DEFT__SHAPE_MCP;
    }
}

static deft_form form_of(deft__shape shape)
{
    switch (shape) {
    case DEFT__SHAPE_MCP:
        return DEFT_FORM_MCP;
    case DEFT__SHAPE_ANTHROPIC:
        return DEFT_FORM_ANTHROPIC;
    case DEFT__SHAPE_OPENAI:
    case DEFT__SHAPE_OPENAI_FLAT:
    case DEFT__SHAPE_BARE_FUNCTION:
        break;
    }
    return DEFT_FORM_OPENAI;
}

static member schema_member_of(deft__shape shape)
{
    switch (shape) {
    case DEFT__SHAPE_MCP:
        return MEMBER_INPUT_SCHEMA;
    case DEFT__SHAPE_ANTHROPIC:
        return MEMBER_INPUT_SCHEMA_ANT;
    case DEFT__SHAPE_OPENAI:
    case DEFT__SHAPE_OPENAI_FLAT:
    case DEFT__SHAPE_BARE_FUNCTION:
        break;
    }
    return MEMBER_PARAMETERS;
}

// The members, and those of the function inside where the form has one. What the name is comes
// first, so that every later report can say it.
static void read_structure(definition *self)
{
    deft__json_value twice = {NULL, 0};
    read_members(self->value, self->members, &twice);
    self->record.shape = shape_of(self->members);

    const deft__json_value function = self->members[MEMBER_FUNCTION];
    if (self->record.shape == DEFT__SHAPE_OPENAI && deft__json_is(function, DEFT__JSON_OBJECT)) {
        deft__json_value inner[MEMBER_COUNT] = {{NULL, 0}};
        read_members(function, inner, &twice);
        for (unsigned i = 0; i < MEMBER_COUNT; i++) {
            if (!deft__json_is(inner[i], DEFT__JSON_NONE)) {
                self->members[i] = inner[i];
            }
        }
    }
    const size_t size_max  = self->reading->builder->options.name_size_max;
    self->record.tool.name = string_of(self, self->members[MEMBER_NAME]);
    self->place.tool       = deft_view_slice(self->record.tool.name, 0,
                                             deft__utf8_cut(self->record.tool.name, size_max));

    if (twice.document != NULL) {
        const deft_view name = deft__json_raw(twice);
        drop(self, twice, DEFT_INVALID, "%.*s is there twice; a definition has it once",
             (int)name.size, name.data);
    } else if (self->record.shape == DEFT__SHAPE_OPENAI &&
               !deft__json_is(function, DEFT__JSON_OBJECT)) {
        drop(self, function, DEFT_INVALID, "function is %s, not an object",
             deft__json_kind_name(deft__json_kind_of(function)));
    }
}

static void read_name(definition *self)
{
    const deft__json_value value    = self->members[MEMBER_NAME];
    const size_t           size_max = self->reading->builder->options.name_size_max;
    if (deft__json_is(value, DEFT__JSON_NONE)) {
        drop(self, self->value, DEFT_INVALID,
             "name is missing; a string of 1 to %zu bytes is accepted", size_max);
        return;
    } else if (!deft__json_is(value, DEFT__JSON_STRING)) {
        drop(self, value, DEFT_INVALID, "name is %s; a string of 1 to %zu bytes is accepted",
             deft__json_kind_name(deft__json_kind_of(value)), size_max);
        return;
    }
    deft__reason reason;
    const char  *flaw = deft__name_flaw(self->record.tool.name, size_max, &reason);
    if (flaw == NULL && self->place.server.size == 0) {
        flaw = deft__nameless_tool_flaw(self->record.tool.name);
    }
    if (flaw != NULL) {
        drop(self, value, DEFT_INVALID, "name %s", flaw);
    }
    self->record.name_raw = deft__json_raw(value);
}

// Whose tool it is. The server goes into the place, for reports and for read_definition.
static void read_server(definition *self)
{
    const deft__reading   *reading = self->reading;
    const deft__json_value value   = self->members[MEMBER_SERVER];
    if (reading->is_server_fixed || is_absent(value)) {
        return;
    }
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        report(self, value, DEFT_INVALID, "server is %s, not a string; it is ignored",
               deft__json_kind_name(deft__json_kind_of(value)));
        return;
    }
    const deft_view name = string_of(self, value);
    if (name.size == 0) {
        return;
    }
    deft__reason reason;
    const char  *flaw =
        deft__server_name_flaw(name, reading->builder->options.name_size_max, &reason);
    if (flaw != NULL) {
        report(self, value, DEFT_INVALID, "the server's name %s; it is ignored", flaw);
    } else {
        self->place.server = name;
    }
}

// The raw value of an optional member that must be of one kind; empty when it is not there or is
// of another kind, which is reported.
static deft_view optional_part(definition *self, member which, deft__json_kind kind)
{
    const deft__json_value value = self->members[which];
    if (is_absent(value)) {
        return deft_view_make(NULL, 0);
    }
    if (!deft__json_is(value, kind)) {
        report(self, value, DEFT_INVALID, "%s is %s, not %s; the tool is kept without it",
               member_names[which].data, deft__json_kind_name(deft__json_kind_of(value)),
               deft__json_kind_name(kind));
        self->members[which] = (deft__json_value){NULL, 0};
        return deft_view_make(NULL, 0);
    }
    return deft__json_raw(value);
}

static bool is_true(deft__json_value object, const char *name)
{
    return deft__json_is(deft__json_member(object, name), DEFT__JSON_TRUE);
}

static void read_parts(definition *self)
{
    deft_tool              *tool    = &self->record.tool;
    const deft__json_value *members = self->members;

    self->record.description_raw = optional_part(self, MEMBER_DESCRIPTION, DEFT__JSON_STRING);
    tool->description            = string_of(self, members[MEMBER_DESCRIPTION]);
    tool->annotations            = optional_part(self, MEMBER_ANNOTATIONS, DEFT__JSON_OBJECT);
    (void)optional_part(self, MEMBER_TITLE, DEFT__JSON_STRING);
    tool->title = string_of(self, members[MEMBER_TITLE]);
    if (tool->title.size == 0) {
        tool->title = string_of(self, deft__json_member(members[MEMBER_ANNOTATIONS], "title"));
    }
    tool->output_schema = optional_part(self, MEMBER_OUTPUT_SCHEMA, DEFT__JSON_OBJECT);
    tool->icons         = optional_part(self, MEMBER_ICONS, DEFT__JSON_ARRAY);
    tool->execution     = optional_part(self, MEMBER_EXECUTION, DEFT__JSON_OBJECT);
    tool->meta          = optional_part(self, MEMBER_META, DEFT__JSON_OBJECT);
    tool->source_id     = string_of(self, members[MEMBER_ID]);
    if (deft__json_is(members[MEMBER_STRICT], DEFT__JSON_TRUE) ||
        deft__json_is(members[MEMBER_STRICT], DEFT__JSON_FALSE)) {
        self->record.strict = deft__json_raw(members[MEMBER_STRICT]);
    }

    tool->is_read_only         = is_true(members[MEMBER_ANNOTATIONS], "readOnlyHint");
    tool->is_destructive       = is_true(members[MEMBER_ANNOTATIONS], "destructiveHint");
    tool->is_always_load       = is_true(members[MEMBER_META], "anthropic/alwaysLoad");
    tool->is_marked_deferrable = deft__json_is(members[MEMBER_DEFERRABLE], DEFT__JSON_TRUE) ||
                                 deft__json_is(members[MEMBER_DEFER_LOADING], DEFT__JSON_TRUE);
}

static bool read_parameter(definition *self, deft__json_iterator i)
{
    deft_catalog_builder *builder = self->reading->builder;
    void                 *items   = builder->parameters;
    if (!deft__grow(builder->allocator, &items, &builder->parameter_capacity,
                    builder->parameter_count, sizeof *builder->parameters)) {
        return false;
    }
    builder->parameters = items;

    deft_parameter parameter = {
        .name        = string_of(self, i.name),
        .description = string_of(self, deft__json_member(i.value, "description")),
        .type        = string_of(self, deft__json_member(i.value, "type")),
        .schema      = deft__json_raw(i.value),
    };
    builder->parameters[builder->parameter_count++] = parameter;
    return !self->is_out_of_memory;
}

// Up to this many comparisons are cheaper than a map.
enum {
    comparisons_max = 4096
};

// Marks the parameter called like `name`; of several, the last, as JavaScript would have it.
static void mark_required_by_search(deft_parameter *parameters, size_t count, deft__json_value name)
{
    for (size_t i = count; i > 0; i--) {
        if (deft__json_string_equals(name, parameters[i - 1].name)) {
            parameters[i - 1].is_required = true;
            return;
        }
    }
}

// The same for schemas so large that comparing each with each would be quadratic.
static bool mark_required_by_map(deft_catalog_builder *builder, deft_parameter *parameters,
                                 size_t count, deft__json_value required)
{
    deft__map map;
    deft__map_init(&map, builder->options.hash_seed, builder->allocator);
    bool is_good = true;
    for (size_t i = 0; is_good && i < count; i++) {
        is_good = deft__map_put(&map, parameters[i].name, (uint32_t)i);
    }
    deft__json_iterator i = deft__json_iterate(required);
    while (is_good && deft__json_next(&i)) {
        deft_buffer_reset(&builder->scratch);
        const deft_view name  = deft__json_string(i.value, &builder->scratch);
        uint32_t        index = 0;
        is_good               = builder->scratch.status == DEFT_OK;
        if (is_good && deft__json_is(i.value, DEFT__JSON_STRING) &&
            deft__map_find(&map, name, &index)) {
            parameters[index].is_required = true;
        }
    }
    deft__map_clear(&map);
    return is_good;
}

static void read_parameters(definition *self, deft__json_value schema)
{
    deft_catalog_builder *builder = self->reading->builder;
    const size_t          first   = builder->parameter_count;
    deft__json_iterator   i       = deft__json_iterate(deft__json_member(schema, "properties"));
    if (!i.is_object) {
        return;
    }
    while (deft__json_next(&i)) {
        if (!read_parameter(self, i)) {
            self->is_out_of_memory = true;
            return;
        }
    }
    const size_t count = builder->parameter_count - first;
    if (count == 0) {
        return; // no parameters, and perhaps no array of them yet
    }
    deft_parameter        *parameters = builder->parameters + first;
    const deft__json_value required   = deft__json_member(schema, "required");
    if (!deft__json_is(required, DEFT__JSON_ARRAY)) {
        // Nothing to mark.
    } else if (deft__json_count(required) <= comparisons_max / count) {
        i = deft__json_iterate(required);
        while (deft__json_next(&i)) {
            mark_required_by_search(parameters, count, i.value);
        }
    } else if (!mark_required_by_map(builder, parameters, count, required)) {
        self->is_out_of_memory = true;
    }
    self->record.tool.parameter_count = (uint32_t)count;
}

static void read_schema(definition *self)
{
    const member           which = schema_member_of(self->record.shape);
    const deft__json_value value = self->members[which];
    if (deft__json_is(value, DEFT__JSON_NONE)) {
        return;
    }
    if (!deft__json_is(value, DEFT__JSON_OBJECT)) {
        drop(self, value, DEFT_INVALID, "%s is %s, not an object", member_names[which].data,
             deft__json_kind_name(deft__json_kind_of(value)));
        return;
    }
    self->record.tool.input_schema = deft__json_raw(value);
}

// Limits on how many tools there may be. A limit is reported once, not for each tool past it.
static bool has_catalog_room(definition *self)
{
    deft__reading              *reading = self->reading;
    const deft_catalog_builder *builder = reading->builder;
    if (builder->draft_count < builder->options.tools_max) {
        return true;
    }
    if (!reading->is_limit_reported) {
        reading->is_limit_reported = true;
        report(self, self->value, DEFT_LIMIT,
               "it is one more than the %zu that a catalog may have; it and those after it are "
               "left out",
               builder->options.tools_max);
    }
    return false;
}

static bool has_server_room(definition *self, deft__server_draft *server)
{
    const deft_catalog_builder *builder = self->reading->builder;
    if (server->server.tool_count < builder->options.tools_per_server_max) {
        return true;
    }
    if (server->limit_problem >= builder->problem_count) {
        server->limit_problem = builder->problem_count;
        report(self, self->value, DEFT_LIMIT,
               "it is one more than the %zu that a server may have; it and those after it are "
               "left out",
               builder->options.tools_per_server_max);
    }
    return false;
}

static bool add_draft(definition *self)
{
    deft__reading         *reading = self->reading;
    deft_catalog_builder  *builder = reading->builder;
    const deft_form        form    = form_of(self->record.shape);
    const deft_server_kind own     = form == DEFT_FORM_MCP ? DEFT_SERVER_MCP : DEFT_SERVER_HOST;
    const deft_server_kind kind    = reading->is_kind_set ? reading->kind : own;

    uint32_t index = 0;
    if (!has_catalog_room(self)) {
        return !self->is_out_of_memory;
    }
    if (!deft__builder_server(builder, self->place.server, kind, &index)) {
        return false;
    }
    deft__server_draft *server = &builder->servers[index];
    if (!has_server_room(self, server)) {
        return !self->is_out_of_memory;
    }

    void *items = builder->drafts;
    if (!deft__grow(builder->allocator, &items, &builder->draft_capacity, builder->draft_count,
                    sizeof *builder->drafts)) {
        return false;
    }
    builder->drafts          = items;
    const size_t first       = builder->parameter_count;
    self->record.tool.server = (deft_server_id){index};
    self->record.tool.form   = form;
    read_parameters(self, self->members[schema_member_of(self->record.shape)]);
    if (self->is_out_of_memory) {
        return false;
    }
    server->server.tool_count++;
    builder->drafts[builder->draft_count++] = (deft__draft){
        .record          = self->record,
        .parameter_first = first,
        .kind            = kind,
        .label           = self->place.label,
        .position        = self->place.position,
        .offset          = offset_of(self, self->value),
        .is_line         = reading->is_line,
    };
    return true;
}

bool deft__definition_read(deft__reading *reading, deft__json_value value)
{
    definition self = {
        .reading = reading,
        .value   = value,
        .place   = {.label    = reading->label,
                    .server   = reading->server,
                    .position = reading->position++,
                    .is_tool  = true},
    };
    if (!deft__json_is(value, DEFT__JSON_OBJECT)) {
        report(&self, value, DEFT_INVALID, "it is %s; a definition is an object",
               deft__json_kind_name(deft__json_kind_of(value)));
        return !self.is_out_of_memory;
    }
    self.record.tool.definition = deft__json_raw(value);
    const size_t size_max       = reading->builder->options.definition_size_max;

    read_structure(&self);
    if (!self.is_dropped) {
        read_server(&self);
        read_name(&self);
    }
    if (!self.is_dropped &&
        !deft__builder_is_allowed(reading->builder, self.place.server, self.record.tool.name)) {
        return !self.is_out_of_memory; // nothing more is said of it
    }
    if (!self.is_dropped && self.record.tool.definition.size > size_max) {
        drop(&self, value, DEFT_LIMIT, "the definition has %zu bytes; at most %zu are accepted",
             self.record.tool.definition.size, size_max);
    }
    if (!self.is_dropped) {
        read_schema(&self);
    }
    if (self.is_dropped || self.is_out_of_memory) {
        return !self.is_out_of_memory;
    }
    read_parts(&self);
    return !self.is_out_of_memory && add_draft(&self);
}
