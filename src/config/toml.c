// The document becomes a tree of nodes, one per key, found by parent and name in one map, so that
// a key given twice shows at once however large the file. TOML's rules of what may be said again:
//
//   [a] twice, or a key twice            an error
//   [a.b], then [a]                      fine: a was only implied
//   a.b = 1 inside [t], then [t.a]       an error: dotted keys close what they make
//   a = { ... }, then anything in a      an error: an inline table is complete
//   [[a]], then [a.b]                    belongs to the last element of a
#include "config/toml.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "config/toml_scan.h"
#include "json/writer.h"

typedef enum node_kind {
    NODE_TABLE,
    NODE_ARRAY,
    NODE_STRING, // also dates
    NODE_NUMBER, // `text` is a JSON number
    NODE_BOOL
} node_kind;

typedef struct toml_node toml_node;
struct toml_node {
    node_kind  kind;
    deft_view  key;  // in a table
    deft_view  text; // of a scalar
    toml_node *first;
    toml_node *last;
    toml_node *next;
    uint32_t   id;
    uint32_t   depth;
    size_t     line;
    bool       is_defined; // a table with a header of its own, or complete
    bool       is_dotted;  // made by a dotted key
    bool       is_closed;  // inline: nothing can be added
    bool       is_listed;  // an array made by [[...]]
};

typedef struct toml_parser {
    deft__toml_scanner scanner;
    toml_node         *root;
    deft__arena        arena;
    deft__map          children; // parent's id and name -> index into nodes
    toml_node        **nodes;
    size_t             node_count;
    size_t             node_capacity;
} toml_parser;

static bool is_ok(const toml_parser *parser)
{
    return deft__toml_is_ok(&parser->scanner);
}

static char peek(const toml_parser *parser, size_t ahead)
{
    return deft__toml_peek(&parser->scanner, ahead);
}

static void fail(toml_parser *parser, size_t offset, const char *message)
{
    deft__toml_fail(&parser->scanner, offset, message);
}

static void fail_memory(toml_parser *parser)
{
    deft__toml_fail_memory(&parser->scanner);
}

// Nodes.

static toml_node *new_node(toml_parser *parser, node_kind kind, uint32_t depth, size_t line)
{
    void *nodes = parser->nodes;
    if (depth > DEFT__TOML_DEPTH_MAX) {
        if (is_ok(parser)) {
            parser->scanner.status =
                deft__fail(parser->scanner.error, DEFT_LIMIT, parser->scanner.at,
                           "nested deeper than %u", DEFT__TOML_DEPTH_MAX);
        }
        return NULL;
    }
    if (parser->node_count == DEFT__TOML_NODES_MAX) {
        if (is_ok(parser)) {
            parser->scanner.status =
                deft__fail(parser->scanner.error, DEFT_LIMIT, parser->scanner.at,
                           "more than %u keys and values", DEFT__TOML_NODES_MAX);
        }
        return NULL;
    }
    toml_node *made = deft__arena_alloc(&parser->arena, sizeof *made);
    if (made == NULL || !deft__grow(parser->arena.allocator, &nodes, &parser->node_capacity,
                                    parser->node_count, sizeof *parser->nodes)) {
        fail_memory(parser);
        return NULL;
    }
    *made         = (toml_node){.kind = kind, .depth = depth, .line = line};
    made->id      = (uint32_t)parser->node_count;
    parser->nodes = nodes;

    parser->nodes[parser->node_count++] = made;
    return made;
}

static void append_child(toml_node *parent, toml_node *child)
{
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
}

// The map's key of a child: its parent's id, then its name.
static bool make_child_key(toml_parser *parser, const toml_node *parent, deft_view name,
                           deft_view *key)
{
    char *bytes = deft__arena_alloc(&parser->arena, sizeof parent->id + name.size);
    if (bytes == NULL) {
        fail_memory(parser);
        return false;
    }
    memcpy(bytes, &parent->id, sizeof parent->id);
    if (name.size > 0) {
        memcpy(bytes + sizeof parent->id, name.data, name.size);
    }
    *key = deft_view_make(bytes, sizeof parent->id + name.size);
    return true;
}

// The child called `name`; a new one of `kind` when there is none, which `is_new` tells.
static toml_node *take_child(toml_parser *parser, toml_node *parent, deft_view name, node_kind kind,
                             size_t line, bool *is_new)
{
    deft_view key   = {NULL, 0};
    uint32_t  index = 0;
    if (!make_child_key(parser, parent, name, &key)) {
        return NULL;
    }
    *is_new = !deft__map_find(&parser->children, key, &index);
    if (!*is_new) {
        return parser->nodes[index];
    }
    toml_node *child = new_node(parser, kind, parent->depth + 1, line);
    if (child == NULL) {
        return NULL;
    }
    if (!deft__map_put(&parser->children, key, child->id)) {
        fail_memory(parser);
        return NULL;
    }
    child->key = name;
    append_child(parent, child);
    return child;
}

// Keys.

// Whether another part of a dotted key follows.
static bool skip_dot(toml_parser *parser)
{
    deft__toml_skip_blanks(&parser->scanner);
    if (peek(parser, 0) != '.') {
        return false;
    }
    parser->scanner.at++;
    deft__toml_skip_blanks(&parser->scanner);
    return true;
}

// Steps into the table `name` of a header, which may be made, defined before, or a list of tables.
static toml_node *step_header(toml_parser *parser, toml_node *table, deft_view name, size_t offset)
{
    bool       is_new = false;
    toml_node *child  = take_child(parser, table, name, NODE_TABLE, parser->scanner.line, &is_new);
    if (child == NULL) {
        return NULL;
    }
    if (child->is_listed) {
        return child->last;
    }
    if (child->kind != NODE_TABLE || child->is_closed) {
        fail(parser, offset, "a key that is already a value cannot be a table");
        return NULL;
    }
    return child;
}

// [[name]]: one more table at the end of the list.
static toml_node *append_table(toml_parser *parser, toml_node *table, deft_view name, size_t offset)
{
    bool       is_new = false;
    toml_node *list   = take_child(parser, table, name, NODE_ARRAY, parser->scanner.line, &is_new);
    if (list == NULL) {
        return NULL;
    }
    if (is_new) {
        list->is_listed = true;
    } else if (!list->is_listed) {
        fail(parser, offset, "a key that is already something else cannot be a list of tables");
        return NULL;
    }
    toml_node *element = new_node(parser, NODE_TABLE, list->depth + 1, parser->scanner.line);
    if (element != NULL) {
        element->is_defined = true;
        append_child(list, element);
    }
    return element;
}

// [name]: must not be there yet, except as the implied parent of another.
static toml_node *define_table(toml_parser *parser, toml_node *table, deft_view name, size_t offset)
{
    bool       is_new = false;
    toml_node *child  = take_child(parser, table, name, NODE_TABLE, parser->scanner.line, &is_new);
    if (child == NULL) {
        return NULL;
    }
    if (child->kind != NODE_TABLE || child->is_defined || child->is_dotted || child->is_closed) {
        fail(parser, offset, "this table is there already");
        return NULL;
    }
    child->is_defined = true;
    child->line       = parser->scanner.line;
    return child;
}

// [a.b] or [[a.b]]. Returns the table that the next lines belong to.
static toml_node *read_header(toml_parser *parser)
{
    const size_t start   = parser->scanner.at;
    const bool   is_list = peek(parser, 1) == '[';
    toml_node   *table   = parser->root;
    parser->scanner.at += is_list ? 2 : 1;
    deft__toml_skip_blanks(&parser->scanner);
    while (is_ok(parser) && table != NULL) {
        const deft_view name = deft__toml_read_key(&parser->scanner);
        if (!is_ok(parser)) {
            break;
        }
        if (skip_dot(parser)) {
            table = step_header(parser, table, name, start);
        } else if (is_list) {
            table = append_table(parser, table, name, start);
            break;
        } else {
            table = define_table(parser, table, name, start);
            break;
        }
    }
    if (is_ok(parser) && (peek(parser, 0) != ']' || (is_list && peek(parser, 1) != ']'))) {
        fail(parser, parser->scanner.at, "the header of a table ends in ]");
    }
    parser->scanner.at += is_list ? 2 : 1;
    return table;
}

static void read_value(toml_parser *parser, toml_node *into);

// key = value, where the key may be dotted.
static void read_pair(toml_parser *parser, toml_node *table)
{
    const size_t start = parser->scanner.at;
    while (is_ok(parser)) {
        const deft_view name   = deft__toml_read_key(&parser->scanner);
        bool            is_new = false;
        if (!is_ok(parser)) {
            return;
        }
        const bool is_inner = skip_dot(parser);
        toml_node *child =
            take_child(parser, table, name, NODE_TABLE, parser->scanner.line, &is_new);
        if (child == NULL) {
            return;
        }
        if (!is_inner) {
            if (!is_new) {
                fail(parser, start, "this key is there already");
            } else if (peek(parser, 0) != '=') {
                fail(parser, parser->scanner.at, "a key is followed by =");
            } else {
                parser->scanner.at++;
                deft__toml_skip_blanks(&parser->scanner);
                read_value(parser, child);
            }
            return;
        }
        if (is_new) {
            child->is_dotted = true;
        } else if (child->kind != NODE_TABLE || !child->is_dotted || child->is_closed) {
            fail(parser, start, "a dotted key cannot add to what is defined elsewhere");
        }
        table = child;
    }
}

// Values.

static void close_tree(toml_node *table)
{
    table->is_closed = true;
    for (toml_node *child = table->first; child != NULL; child = child->next) {
        if (child->kind == NODE_TABLE && !child->is_closed) {
            close_tree(child);
        }
    }
}

static void read_inline_table(toml_parser *parser, toml_node *into)
{
    const size_t start = parser->scanner.at++;
    into->kind         = NODE_TABLE;
    deft__toml_skip_blanks(&parser->scanner);
    while (is_ok(parser) && peek(parser, 0) != '}') {
        read_pair(parser, into);
        deft__toml_skip_blanks(&parser->scanner);
        if (!is_ok(parser)) {
            return;
        }
        if (peek(parser, 0) == ',') {
            parser->scanner.at++;
            deft__toml_skip_blanks(&parser->scanner);
            if (peek(parser, 0) == '}') {
                fail(parser, parser->scanner.at, "an inline table has no comma before its }");
            }
        } else if (peek(parser, 0) != '}') {
            fail(parser, start, "an inline table ends in } on its line");
        }
    }
    parser->scanner.at++;
    close_tree(into);
}

static void read_array(toml_parser *parser, toml_node *into)
{
    const size_t start = parser->scanner.at++;
    into->kind         = NODE_ARRAY;
    deft__toml_skip_space(&parser->scanner);
    while (is_ok(parser) && peek(parser, 0) != ']') {
        toml_node *item = new_node(parser, NODE_STRING, into->depth + 1, parser->scanner.line);
        if (item == NULL) {
            return;
        }
        append_child(into, item);
        read_value(parser, item);
        deft__toml_skip_space(&parser->scanner);
        if (!is_ok(parser)) {
            return;
        }
        if (peek(parser, 0) == ',') {
            parser->scanner.at++;
            deft__toml_skip_space(&parser->scanner);
        } else if (peek(parser, 0) != ']') {
            fail(parser, start, "an array ends in ]");
        }
    }
    parser->scanner.at++;
}

static void read_value(toml_parser *parser, toml_node *into)
{
    deft__toml_kind kind = DEFT__TOML_STRING;
    switch (peek(parser, 0)) {
    case '"':
    case '\'':
        into->kind = NODE_STRING;
        into->text = deft__toml_read_string(&parser->scanner);
        break;
    case '[':
        read_array(parser, into);
        break;
    case '{':
        read_inline_table(parser, into);
        break;
    default:
        into->text = deft__toml_read_word(&parser->scanner, &kind);
        into->kind = kind == DEFT__TOML_BOOL     ? NODE_BOOL
                     : kind == DEFT__TOML_NUMBER ? NODE_NUMBER
                                                 : NODE_STRING;
        break;
    }
}

static void read_document(toml_parser *parser)
{
    toml_node *table = parser->root;
    while (is_ok(parser)) {
        deft__toml_skip_space(&parser->scanner);
        if (!is_ok(parser) || deft__toml_is_at_end(&parser->scanner)) {
            return;
        }
        if (peek(parser, 0) == '[') {
            table = read_header(parser);
        } else {
            read_pair(parser, table);
        }
        if (!is_ok(parser)) {
            return;
        }
        deft__toml_skip_blanks(&parser->scanner);
        deft__toml_skip_comment(&parser->scanner);
        if (is_ok(parser) && !deft__toml_is_at_end(&parser->scanner) &&
            !deft__toml_skip_line_end(&parser->scanner)) {
            fail(parser, parser->scanner.at, "a line end was expected here");
        }
    }
}

// JSON.

static bool note_line(deft__toml_lines *lines, size_t offset, size_t line)
{
    void *items = lines->items;
    if (lines->count > 0 && lines->items[lines->count - 1].line == line) {
        return true;
    }
    if (!deft__grow(lines->allocator, &items, &lines->capacity, lines->count,
                    sizeof *lines->items)) {
        return false;
    }
    lines->items                 = items;
    lines->items[lines->count++] = (deft__toml_line){offset, line};
    return true;
}

// Recursion is bounded by DEFT__TOML_DEPTH_MAX.
static bool write_node(const toml_node *written, deft__json_writer *writer, deft__toml_lines *lines)
{
    const bool is_table = written->kind == NODE_TABLE;
    switch (written->kind) {
    case NODE_STRING:
        deft__json_write_string(writer, written->text);
        return true;
    case NODE_NUMBER:
    case NODE_BOOL:
        deft__json_write_raw(writer, written->text);
        return true;
    case NODE_TABLE:
        deft__json_begin_object(writer);
        break;
    case NODE_ARRAY:
        deft__json_begin_array(writer);
        break;
    }
    for (const toml_node *child = written->first; child != NULL; child = child->next) {
        if (!note_line(lines, writer->out->size, child->line)) {
            return false;
        }
        if (is_table) {
            deft__json_name_view(writer, child->key);
        }
        if (!write_node(child, writer, lines)) {
            return false;
        }
    }
    if (is_table) {
        deft__json_end_object(writer);
    } else {
        deft__json_end_array(writer);
    }
    return true;
}

static void write_table(toml_parser *parser, const char *name, deft_buffer *json,
                        deft__toml_lines *lines)
{
    deft__json_writer writer;
    bool              is_done = true;
    deft__json_writer_init(&writer, json);
    deft__json_begin_object(&writer);
    for (const toml_node *child = parser->root->first; child != NULL; child = child->next) {
        if (deft_view_equals(child->key, name)) {
            is_done = is_done && note_line(lines, json->size, child->line);
            deft__json_name(&writer, name);
            is_done = is_done && write_node(child, &writer, lines);
        }
    }
    deft__json_end_object(&writer);
    if (!is_done || json->status != DEFT_OK) {
        fail_memory(parser);
    }
}

deft_status deft__toml_to_json(deft_view text, const char *name, deft_buffer *json,
                               deft__toml_lines *lines, deft_error *error)
{
    toml_parser parser = {.scanner = {.text = text, .line = 1, .error = error}};
    deft__arena_init(&parser.arena, json->allocator);
    deft__map_init(&parser.children, 0, json->allocator);
    deft_buffer_init(&parser.scanner.scratch, json->allocator);
    parser.scanner.arena = &parser.arena;

    const size_t valid = deft__utf8_valid_size(text);
    if (valid < text.size) {
        fail(&parser, valid, "bytes that are not UTF-8");
    }
    if (deft_view_starts_with(text, deft_view_of("\xEF\xBB\xBF"))) {
        parser.scanner.at = 3;
    }
    parser.root = is_ok(&parser) ? new_node(&parser, NODE_TABLE, 0, 1) : NULL;
    if (parser.root != NULL) {
        parser.root->is_defined = true;
        read_document(&parser);
    }
    if (is_ok(&parser)) {
        write_table(&parser, name, json, lines);
    }

    deft__free(json->allocator, parser.nodes, parser.node_capacity * sizeof *parser.nodes);
    deft_buffer_clear(&parser.scanner.scratch);
    deft__map_clear(&parser.children);
    deft__arena_clear(&parser.arena);
    return parser.scanner.status;
}

void deft__toml_lines_clear(deft__toml_lines *lines)
{
    deft__free(lines->allocator, lines->items, lines->capacity * sizeof *lines->items);
    *lines = (deft__toml_lines){.allocator = lines->allocator};
}
