// Reads judged sets. One pass over each line; ids become numbers at once, so that scoring compares
// integers.
#include "eval/set.h"

#include "base/fail.h"
#include "base/memory.h"
#include "eval/random.h"
#include "json/reader.h"

#include <stdlib.h>

// One line at a time, with its number for messages.
typedef struct line_reader {
    deft_view   rest;
    size_t      number; // of the line read last, from 1
    const char *label;
    deft__json  document;
    deft_buffer scratch; // decoded strings
} line_reader;

static void reader_init(line_reader *reader, deft_view lines, const char *label,
                        const deft_allocator *allocator)
{
    *reader = (line_reader){.rest = lines, .label = label};
    deft__json_init(&reader->document, allocator);
    deft_buffer_init(&reader->scratch, allocator);
}

static void reader_clear(line_reader *reader)
{
    deft__json_clear(&reader->document);
    deft_buffer_clear(&reader->scratch);
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

// The next line that is not blank; false at the end.
static bool next_line(line_reader *reader, deft_view *line)
{
    while (reader->rest.size > 0) {
        const char  *end  = memchr(reader->rest.data, '\n', reader->rest.size);
        const size_t size = end != NULL ? (size_t)(end - reader->rest.data) : reader->rest.size;
        *line             = deft_view_make(reader->rest.data, size);
        reader->rest      = deft_view_slice(reader->rest, size + 1, SIZE_MAX);
        reader->number++;
        if (!is_blank(*line)) {
            return true;
        }
    }
    return false;
}

static deft_status parse_line(line_reader *reader, deft_view line, deft_error *error)
{
    deft_error  inner  = DEFT_ERROR_INIT;
    deft_status status = deft__json_parse(&reader->document, line, NULL, &inner);
    if (status == DEFT_OUT_OF_MEMORY) {
        return deft__fail_memory(error);
    } else if (status != DEFT_OK) {
        return deft__fail(error, status, 0, "%s line %zu: %s", reader->label, reader->number,
                          inner.message);
    } else if (!deft__json_is(deft__json_root(&reader->document), DEFT__JSON_OBJECT)) {
        return deft__fail(
            error, DEFT_INVALID, 0, "%s line %zu: is %s; each line is one object", reader->label,
            reader->number,
            deft__json_kind_name(deft__json_kind_of(deft__json_root(&reader->document))));
    } else {
        return DEFT_OK;
    }
}

// A string that may not be missing or empty. Borrowed until scratch is reset.
static deft_status read_string(line_reader *reader, const char *name, deft_view *text,
                               deft_error *error)
{
    const deft__json_value value = deft__json_member(deft__json_root(&reader->document), name);
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return deft__fail(error, DEFT_INVALID, 0, "%s line %zu: '%s' is %s; it has to be a string",
                          reader->label, reader->number, name,
                          deft__json_is(value, DEFT__JSON_NONE)
                              ? "missing"
                              : deft__json_kind_name(deft__json_kind_of(value)));
    }
    *text = deft__json_string(value, &reader->scratch);
    if (reader->scratch.status != DEFT_OK) {
        return deft__fail_memory(error);
    } else if (text->size == 0) {
        return deft__fail(error, DEFT_INVALID, 0, "%s line %zu: '%s' is empty", reader->label,
                          reader->number, name);
    } else {
        return DEFT_OK;
    }
}

// --- Tools. --------------------------------------------------------------------------------------

void deft__eval_tools_init(deft__eval_tools *tools, const deft_allocator *allocator)
{
    *tools = (deft__eval_tools){.allocator = allocator};
    deft__arena_init(&tools->arena, allocator);
    deft__map_init(&tools->numbers, 1, allocator);
}

void deft__eval_tools_clear(deft__eval_tools *tools)
{
    const deft_allocator *allocator = tools->allocator;
    deft__free(allocator, tools->ids, tools->capacity * sizeof *tools->ids);
    deft__map_clear(&tools->numbers);
    deft__arena_clear(&tools->arena);
    deft__eval_tools_init(tools, allocator);
}

bool deft__eval_tools_find(const deft__eval_tools *tools, deft_view id, uint32_t *number)
{
    return deft__map_find(&tools->numbers, id, number);
}

deft_status deft__eval_tools_add(deft__eval_tools *tools, deft_view id, deft_error *error)
{
    uint32_t  number = 0;
    deft_view copy   = {NULL, 0};
    if (deft__eval_tools_find(tools, id, &number)) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_DUPLICATE, 0, "tool '%s' is there twice; ids are unique",
                          deft__quote(&quoted, id));
    } else if (tools->count >= UINT32_MAX - 1) {
        return deft__fail(error, DEFT_LIMIT, 0, "more than %u tools", UINT32_MAX - 1);
    } else if (!deft__grow(tools->allocator, (void **)&tools->ids, &tools->capacity, tools->count,
                           sizeof *tools->ids) ||
               !deft__arena_copy(&tools->arena, id, &copy) ||
               !deft__map_put(&tools->numbers, copy, (uint32_t)tools->count)) {
        return deft__fail_memory(error);
    } else {
        tools->ids[tools->count++] = copy;
        return DEFT_OK;
    }
}

deft_status deft__eval_tools_read(deft__eval_tools *tools, deft_view lines, const char *label,
                                  deft_error *error)
{
    line_reader reader;
    deft_view   line;
    deft_status status = DEFT_OK;
    reader_init(&reader, lines, label, tools->allocator);
    while (status == DEFT_OK && next_line(&reader, &line)) {
        deft_view  id    = {NULL, 0};
        deft_error inner = DEFT_ERROR_INIT;
        deft_buffer_reset(&reader.scratch);
        status = parse_line(&reader, line, error);
        if (status == DEFT_OK) {
            status = read_string(&reader, "id", &id, error);
        }
        if (status == DEFT_OK) {
            status = deft__eval_tools_add(tools, id, &inner);
            if (status == DEFT_OUT_OF_MEMORY) {
                (void)deft__fail_memory(error);
            } else if (status != DEFT_OK) {
                (void)deft__fail(error, status, 0, "%s line %zu: %s", label, reader.number,
                                 inner.message);
            }
        }
    }
    reader_clear(&reader);
    return status;
}

// --- Queries. ------------------------------------------------------------------------------------

void deft__eval_set_init(deft__eval_set *set, const deft_allocator *allocator)
{
    *set = (deft__eval_set){.allocator = allocator};
    deft__arena_init(&set->arena, allocator);
}

void deft__eval_set_clear(deft__eval_set *set)
{
    const deft_allocator *allocator = set->allocator;
    deft__free(allocator, set->queries, set->capacity * sizeof *set->queries);
    deft__arena_clear(&set->arena);
    deft__eval_set_init(set, allocator);
}

// What reading one line of queries needs.
typedef struct query_reader {
    line_reader             lines;
    deft__eval_set         *set;
    const deft__eval_tools *tools;
    deft_error             *error;
} query_reader;

static deft_status fail_line(query_reader *reader, deft_status status, const char *name,
                             const char *flaw)
{
    return deft__fail(reader->error, status, 0, "%s line %zu: '%s' %s", reader->lines.label,
                      reader->lines.number, name, flaw);
}

static deft_status find_tool(query_reader *reader, const char *name, deft__json_value value,
                             uint32_t *number)
{
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return fail_line(reader, DEFT_INVALID, name, "holds something that is no tool's id");
    }
    const deft_view id = deft__json_string(value, &reader->lines.scratch);
    if (reader->lines.scratch.status != DEFT_OK) {
        return deft__fail_memory(reader->error);
    } else if (!deft__eval_tools_find(reader->tools, id, number)) {
        deft__quoted quoted;
        return deft__fail(reader->error, DEFT_NOT_FOUND, 0,
                          "%s line %zu: '%s' names tool '%s', which the set does not have; add it "
                          "to the tools or take it out of the query",
                          reader->lines.label, reader->lines.number, name,
                          deft__quote(&quoted, id));
    } else {
        return DEFT_OK;
    }
}

// The numbers of an array of ids.
static deft_status read_ids(query_reader *reader, const char *name, deft__json_value value,
                            uint32_t **numbers, size_t *count)
{
    if (!deft__json_is(value, DEFT__JSON_ARRAY)) {
        return fail_line(reader, DEFT_INVALID, name, "is not an array of ids");
    }
    const size_t size = deft__json_count(value);
    uint32_t    *list = deft__arena_array(&reader->set->arena, size + 1, sizeof *list);
    if (list == NULL) {
        return deft__fail_memory(reader->error);
    }
    deft__json_iterator i = deft__json_iterate(value);
    for (size_t at = 0; deft__json_next(&i); at++) {
        const deft_status status = find_tool(reader, name, i.value, &list[at]);
        if (status != DEFT_OK) {
            return status;
        }
    }
    *numbers = list;
    *count   = size;
    return DEFT_OK;
}

// Every relevant tool is a need of its own.
static deft_status needs_of_relevant(query_reader *reader, deft__eval_query *query,
                                     const uint32_t *relevant, size_t count)
{
    deft__eval_need *needs = deft__arena_array(&reader->set->arena, count, sizeof *needs);
    if (needs == NULL) {
        return deft__fail_memory(reader->error);
    }
    for (size_t i = 0; i < count; i++) {
        needs[i] = (deft__eval_need){&relevant[i], 1};
    }
    query->needs      = needs;
    query->need_count = count;
    return DEFT_OK;
}

static deft_status read_groups(query_reader *reader, deft__eval_query *query,
                               deft__json_value groups)
{
    const size_t count = deft__json_count(groups);
    if (!deft__json_is(groups, DEFT__JSON_ARRAY) || count == 0) {
        return fail_line(reader, DEFT_INVALID, "groups", "is not an array of arrays of ids");
    }
    deft__eval_need *needs = deft__arena_array(&reader->set->arena, count, sizeof *needs);
    if (needs == NULL) {
        return deft__fail_memory(reader->error);
    }
    deft__json_iterator i = deft__json_iterate(groups);
    for (size_t at = 0; deft__json_next(&i); at++) {
        uint32_t         *numbers = NULL;
        const deft_status status =
            read_ids(reader, "groups", i.value, &numbers, &needs[at].tool_count);
        if (status != DEFT_OK) {
            return status;
        } else if (needs[at].tool_count == 0) {
            return fail_line(reader, DEFT_INVALID, "groups", "holds a need that no tool meets");
        }
        needs[at].tools = numbers;
    }
    query->needs      = needs;
    query->need_count = count;
    return DEFT_OK;
}

static int by_falling_grade(const void *a, const void *b)
{
    const deft__eval_grade *left  = a;
    const deft__eval_grade *right = b;
    if (left->grade != right->grade) {
        return left->grade > right->grade ? -1 : 1;
    } else {
        return (left->tool > right->tool) - (left->tool < right->tool);
    }
}

static deft_status read_grades(query_reader *reader, deft__eval_query *query,
                               deft__json_value object)
{
    if (!deft__json_is(object, DEFT__JSON_OBJECT)) {
        return fail_line(reader, DEFT_INVALID, "grades", "is not an object of id and grade");
    }
    deft__json_value twice  = {NULL, 0};
    deft_status      status = DEFT_OK;
    if (deft__json_find_duplicate(object, &twice, &status)) {
        return fail_line(reader, DEFT_DUPLICATE, "grades", "grades a tool twice");
    } else if (status != DEFT_OK) {
        return deft__fail_memory(reader->error);
    }
    const size_t      size   = deft__json_count(object);
    deft__eval_grade *grades = deft__arena_array(&reader->set->arena, size + 1, sizeof *grades);
    if (grades == NULL) {
        return deft__fail_memory(reader->error);
    }
    size_t              count = 0;
    deft__json_iterator i     = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        deft__eval_grade grade = {0, 0};
        status                 = find_tool(reader, "grades", i.name, &grade.tool);
        if (status != DEFT_OK) {
            return status;
        } else if (deft__json_double(i.value, &grade.grade) != DEFT_OK || !(grade.grade >= 0) ||
                   grade.grade > 1e6) {
            return fail_line(reader, DEFT_INVALID, "grades",
                             "holds a grade that is no number from 0 to 1,000,000");
        } else if (grade.grade > 0) {
            grades[count++] = grade;
        }
    }
    if (count > 1) {
        qsort(grades, count, sizeof *grades, by_falling_grade);
    }
    query->grades      = grades;
    query->grade_count = count;
    return DEFT_OK;
}

static deft_status copy_string(query_reader *reader, const char *name, deft_view *copy)
{
    deft_view         text   = {NULL, 0};
    const deft_status status = read_string(&reader->lines, name, &text, reader->error);
    if (status != DEFT_OK) {
        return status;
    } else if (!deft__arena_copy(&reader->set->arena, text, copy)) {
        return deft__fail_memory(reader->error);
    } else {
        return DEFT_OK;
    }
}

static deft_status read_needs(query_reader *reader, deft__json_value root, deft__eval_query *query)
{
    const deft__json_value groups   = deft__json_member(root, "groups");
    uint32_t              *relevant = NULL;
    size_t                 count    = 0;
    deft_status            status =
        read_ids(reader, "relevant", deft__json_member(root, "relevant"), &relevant, &count);
    if (status != DEFT_OK) {
        return status;
    } else if (count == 0) {
        return fail_line(reader, DEFT_INVALID, "relevant",
                         "is empty; a query that no tool answers cannot be scored");
    } else if (deft__json_is(groups, DEFT__JSON_NONE)) {
        return needs_of_relevant(reader, query, relevant, count);
    } else {
        return read_groups(reader, query, groups);
    }
}

static deft_status read_query(query_reader *reader, deft__eval_query *query)
{
    const deft__json_value root    = deft__json_root(&reader->lines.document);
    const deft__json_value grades  = deft__json_member(root, "grades");
    const deft__json_value partial = deft__json_member(root, "partial");
    deft_status            status  = copy_string(reader, "id", &query->id);
    if (status == DEFT_OK) {
        status = copy_string(reader, "query", &query->text);
    }
    if (status == DEFT_OK && !deft__json_is(deft__json_member(root, "style"), DEFT__JSON_NONE)) {
        status = copy_string(reader, "style", &query->style);
    }
    if (status == DEFT_OK) {
        status = read_needs(reader, root, query);
    }
    if (status == DEFT_OK && !deft__json_is(grades, DEFT__JSON_NONE)) {
        status = read_grades(reader, query, grades);
    }
    if (status == DEFT_OK && !deft__json_is(partial, DEFT__JSON_NONE)) {
        uint32_t *numbers = NULL;
        status            = read_ids(reader, "partial", partial, &numbers, &query->partial_count);
        query->partial    = numbers;
    }
    return status;
}

// Reads one line into the set.
static deft_status add_query(query_reader *reader, deft_view line, deft__map *seen)
{
    deft__eval_set  *set    = reader->set;
    deft__eval_query query  = {.need_count = 0};
    uint32_t         other  = 0;
    deft_status      status = parse_line(&reader->lines, line, reader->error);
    deft_buffer_reset(&reader->lines.scratch);
    if (status == DEFT_OK) {
        status = read_query(reader, &query);
    }
    if (status != DEFT_OK) {
        return status;
    } else if (deft__map_find(seen, query.id, &other)) {
        return fail_line(reader, DEFT_DUPLICATE, "id", "is that of an earlier line too");
    } else if (!deft__map_put(seen, query.id, 0) ||
               !deft__grow(set->allocator, (void **)&set->queries, &set->capacity, set->count,
                           sizeof *set->queries)) {
        return deft__fail_memory(reader->error);
    } else {
        set->queries[set->count++] = query;
        return DEFT_OK;
    }
}

deft_status deft__eval_set_read(deft__eval_set *set, const deft__eval_tools *tools, deft_view lines,
                                const char *label, deft_error *error)
{
    query_reader reader = {.set = set, .tools = tools, .error = error};
    deft__map    seen;
    deft_view    line;
    deft_status  status = DEFT_OK;
    deft__eval_set_clear(set);
    deft__map_init(&seen, 1, set->allocator);
    reader_init(&reader.lines, lines, label, set->allocator);
    while (status == DEFT_OK && next_line(&reader.lines, &line)) {
        status = add_query(&reader, line, &seen);
    }
    if (status == DEFT_OK && set->count == 0) {
        status = deft__fail(error, DEFT_INVALID, 0, "%s: holds no query", label);
    }
    reader_clear(&reader.lines);
    deft__map_clear(&seen);
    if (status != DEFT_OK) {
        deft__eval_set_clear(set);
    }
    return status;
}

// Knuth's selection sampling (algorithm S): each query is kept with the chance that is left, which
// gives every subset of this size the same chance and keeps the order.
void deft__eval_set_sample(deft__eval_set *set, size_t count, uint64_t seed)
{
    deft__eval_random random = {seed};
    size_t            kept   = 0;
    if (count >= set->count) {
        return;
    }
    for (size_t i = 0; i < set->count && kept < count; i++) {
        if (deft__eval_random_below(&random, set->count - i) < count - kept) {
            set->queries[kept++] = set->queries[i];
        }
    }
    set->count = kept;
}
