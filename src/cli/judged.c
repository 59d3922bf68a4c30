#include "cli/judged.h"

#include "base/fail.h"
#include "base/memory.h"
#include "cli/files.h"
#include "json/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Of one file, unpacked. The largest set that we know has 6 MiB.
#define JUDGED_FILE_SIZE_MAX (256u * 1024 * 1024)

static const char expected_tools[]   = "tools, one JSON object with an \"id\" a line";
static const char expected_queries[] = "queries, one JSON object a line";

// --- Names. --------------------------------------------------------------------------------------

// The stem of "queries.jsonl", "queries_short.jsonl.gz", ...; NULL for what is no file of queries.
static bool read_stem(const char *name, deft_view *stem)
{
    const char *const endings[] = {".jsonl", ".jsonl.gz"};
    const deft_view   whole     = deft_view_of(name);
    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(endings[i]);
        if (whole.size > size && strcmp(name + whole.size - size, endings[i]) == 0) {
            *stem = deft_view_slice(whole, 0, whole.size - size);
            return deft_view_equals(*stem, "queries") ||
                   deft_view_starts_with(*stem, deft_view_of("queries_"));
        }
    }
    return false;
}

// --queries names a file by its stem, or by what stands behind "queries_".
static bool is_chosen(const deft__cli *cli, deft_view stem)
{
    const deft_view short_stem = deft_view_slice(stem, sizeof "queries_" - 1, SIZE_MAX);
    const char     *name       = NULL;
    size_t          at         = 0;
    bool            is_any     = true;
    while ((name = deft__invocation_next(&cli->invocation, DEFT__FLAG_QUERIES, &at)) != NULL) {
        is_any = false;
        if (deft_view_equals(stem, name) ||
            (short_stem.size > 0 && deft_view_equals(short_stem, name))) {
            return true;
        }
    }
    return is_any;
}

// "sets/bfcl/" is called bfcl.
static deft_view name_of(const char *directory)
{
    deft_view path = deft_view_of(directory);
    while (path.size > 1 && path.data[path.size - 1] == '/') {
        path.size--;
    }
    size_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    return start < path.size ? deft_view_slice(path, start, path.size) : path;
}

static int compare_stems(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The path of DIRECTORY/STEM.jsonl or, where there is none, of the packed one, ended with NUL.
// False when there is neither, or no memory.
static bool find_file(const char *directory, const char *stem, deft_buffer *path)
{
    static const char *const endings[] = {".jsonl", ".jsonl.gz"};
    for (size_t i = 0; i < 2; i++) {
        deft_buffer name;
        deft_buffer_init(&name, NULL);
        deft_buffer_append_text(&name, stem);
        deft_buffer_append(&name, deft_view_make(endings[i], strlen(endings[i]) + 1));
        deft_buffer_reset(path);
        if (name.status == DEFT_OK) {
            deft__path_join(path, directory, name.data);
        }
        const bool is_there =
            name.status == DEFT_OK && path->status == DEFT_OK && deft__file_exists(path->data);
        deft_buffer_clear(&name);
        if (is_there) {
            return true;
        }
    }
    return false;
}

// --- Tools. --------------------------------------------------------------------------------------

// Copies the lines of `text` whose tools the set does not have yet; counts the others.
static deft_status keep_new(const deft__eval_tools *tools, deft_view text, deft_buffer *kept,
                            size_t *known_count)
{
    deft__json  document;
    deft_buffer scratch;
    deft__json_init(&document, NULL);
    deft_buffer_init(&scratch, NULL);
    while (text.size > 0) {
        const char     *end      = memchr(text.data, '\n', text.size);
        const size_t    size     = end != NULL ? (size_t)(end - text.data) + 1 : text.size;
        const deft_view line     = deft_view_slice(text, 0, size);
        uint32_t        number   = 0;
        bool            is_known = false;
        text                     = deft_view_slice(text, size, SIZE_MAX);
        // What is wrong with a line is told by whoever reads the kept ones.
        if (deft__json_parse(&document, line, NULL, NULL) == DEFT_OK) {
            deft_buffer_reset(&scratch);
            is_known = deft__eval_tools_find(
                tools,
                deft__json_string(deft__json_member(deft__json_root(&document), "id"), &scratch),
                &number);
        }
        if (is_known) {
            deft_buffer_append_byte(kept, '\n'); // lines keep their numbers
            (*known_count)++;
        } else {
            deft_buffer_append(kept, line);
        }
    }
    deft__json_clear(&document);
    deft_buffer_clear(&scratch);
    return kept->status;
}

static deft_status add_tools(deft__judged *judged, deft_catalog_builder *builder, const char *path,
                             deft_view text, deft_error *error)
{
    const deft_source source = {.label = deft_view_of(path)};
    deft_status       status = deft__eval_tools_read(&judged->tools, text, path, error);
    if (status == DEFT_OK) {
        status = deft_catalog_builder_add(builder, &source, text, error);
    }
    return status;
}

static deft_status add_extra(deft__judged *judged, deft__cli *cli, deft_catalog_builder *builder,
                             const char *path, deft_error *error)
{
    size_t      known_count = 0;
    deft_buffer text;
    deft_buffer kept;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&kept, NULL);
    deft_status status =
        deft__file_read_packed(path, JUDGED_FILE_SIZE_MAX, expected_tools, &text, error);
    if (status == DEFT_OK) {
        status = keep_new(&judged->tools, deft_buffer_view(&text), &kept, &known_count);
        status = status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    }
    const size_t before = judged->tools.count;
    if (status == DEFT_OK) {
        status = deft__eval_tools_read(&judged->tools, deft_buffer_view(&kept), path, error);
    }
    if (status == DEFT_OK && judged->tools.count > before) {
        const deft_source source = {.label = deft_view_of(path)};
        status = deft_catalog_builder_add(builder, &source, deft_buffer_view(&kept), error);
    }
    if (status == DEFT_OK && known_count > 0) {
        deft__note(&cli->output,
                   "%s: %zu of its tools were left out, because the set has tools with "
                   "their ids",
                   path, known_count);
    }
    deft_buffer_clear(&text);
    deft_buffer_clear(&kept);
    return status;
}

static void tell_problems(const deft__cli *cli, const char *directory, const deft_catalog *catalog)
{
    const size_t count = deft_catalog_problem_count(catalog);
    if (count > 0) {
        deft__note(&cli->output, "%s: %zu definitions could not be used%s", directory, count,
                   cli->output.is_verbose ? ":" : "; --verbose tells which");
    }
    for (size_t i = 0; i < count; i++) {
        const deft_view message = deft_catalog_problem(catalog, i)->message;
        deft__detail(&cli->output, "%.*s", (int)message.size, message.data);
    }
}

static bool number_tools(deft__judged *judged)
{
    const size_t count = deft_catalog_tool_count(judged->catalog);
    judged->numbers    = deft__arena_array(&judged->arena, count + 1, sizeof *judged->numbers);
    for (uint32_t i = 0; i < count && judged->numbers != NULL; i++) {
        const deft_tool *tool = deft_catalog_tool(judged->catalog, (deft_tool_id){i});
        if (!deft__eval_tools_find(&judged->tools, tool->source_id, &judged->numbers[i])) {
            judged->numbers[i] = UINT32_MAX; // of no query
        }
    }
    return judged->numbers != NULL;
}

static deft_status read_tools(deft__judged *judged, deft__cli *cli, const char *directory,
                              deft_error *error)
{
    const deft_catalog_options options = {.tools_per_server_max = DEFT_TOOLS_MAX,
                                          .source_size_max      = JUDGED_FILE_SIZE_MAX};
    const char                *extra   = NULL;
    size_t                     at      = 0;
    deft_status                status  = DEFT_OK;
    deft_buffer                path;
    deft_buffer                text;
    deft_buffer_init(&path, NULL);
    deft_buffer_init(&text, NULL);
    deft_catalog_builder *builder = deft_catalog_builder_new(&options, NULL, error);
    if (builder == NULL) {
        status = DEFT_OUT_OF_MEMORY;
    } else if (!find_file(directory, "tools", &path)) {
        deft__quoted quoted;
        status = deft__fail(error, DEFT_NOT_FOUND, 0,
                            "%s has no tools.jsonl or tools.jsonl.gz; a set is a directory with "
                            "these and queries.jsonl",
                            deft__quote(&quoted, deft_view_of(directory)));
    } else {
        status =
            deft__file_read_packed(path.data, JUDGED_FILE_SIZE_MAX, expected_tools, &text, error);
    }
    if (status == DEFT_OK) {
        status = add_tools(judged, builder, path.data, deft_buffer_view(&text), error);
    }
    while (status == DEFT_OK &&
           (extra = deft__invocation_next(&cli->invocation, DEFT__FLAG_EXTRA_TOOLS, &at)) != NULL) {
        status = add_extra(judged, cli, builder, extra, error);
    }
    if (status == DEFT_OK) {
        judged->catalog = deft_catalog_builder_finish(builder, error);
        status          = judged->catalog != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    }
    if (status == DEFT_OK && !number_tools(judged)) {
        status = deft__fail_memory(error);
    }
    if (status == DEFT_OK) {
        tell_problems(cli, directory, judged->catalog);
    }
    deft_catalog_builder_free(builder);
    deft_buffer_clear(&path);
    deft_buffer_clear(&text);
    return status;
}

// --- Queries. ------------------------------------------------------------------------------------

// The stems of the chosen files, each once, in byte order. The memory is the arena's.
static deft_status list_stems(deft__judged *judged, const deft__cli *cli, const char *directory,
                              char ***stems, size_t *count, deft_error *error)
{
    DIR           *stream   = opendir(directory);
    struct dirent *entry    = NULL;
    size_t         capacity = 0;
    void          *items    = NULL;
    deft_status    status   = DEFT_OK;
    *count                  = 0;
    if (stream == NULL) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_NOT_FOUND, 0, "cannot read the directory %s: %s",
                          deft__quote(&quoted, deft_view_of(directory)), strerror(errno));
    }
    while (status == DEFT_OK && (entry = readdir(stream)) != NULL) {
        deft_view stem = {NULL, 0};
        deft_view copy = {NULL, 0};
        if (!read_stem(entry->d_name, &stem) || !is_chosen(cli, stem)) {
            continue;
        } else if (!deft__grow(NULL, &items, &capacity, *count, sizeof(char *)) ||
                   !deft__arena_copy(&judged->arena, stem, &copy)) {
            status = deft__fail_memory(error);
        } else {
            ((char **)items)[(*count)++] = (char *)(uintptr_t)copy.data;
        }
    }
    closedir(stream);
    *stems = deft__arena_array(&judged->arena, *count + 1, sizeof(char *));
    if (*stems == NULL) {
        status = deft__fail_memory(error);
    }
    if (status == DEFT_OK && *count > 0) {
        size_t kept = 0;
        qsort(items, *count, sizeof(char *), compare_stems);
        for (size_t i = 0; i < *count; i++) { // plain and packed: the plain one is read
            char *stem = ((char **)items)[i];
            if (kept == 0 || strcmp((*stems)[kept - 1], stem) != 0) {
                (*stems)[kept++] = stem;
            }
        }
        *count = kept;
    }
    deft__free(NULL, items, capacity * sizeof(char *));
    return status;
}

static deft_status name_queries(deft__judged *judged, const char *directory, const char *stem,
                                deft_view *name, deft_error *error)
{
    const deft_view short_stem =
        deft_view_slice(deft_view_of(stem), sizeof "queries_" - 1, SIZE_MAX);
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append(&text, name_of(directory));
    if (short_stem.size > 0) {
        deft_buffer_append_byte(&text, ':');
        deft_buffer_append(&text, short_stem);
    }
    const bool is_copied =
        text.status == DEFT_OK && deft__arena_copy(&judged->arena, deft_buffer_view(&text), name);
    deft_buffer_clear(&text);
    return is_copied ? DEFT_OK : deft__fail_memory(error);
}

static deft_status add_queries(deft__judged *judged, const char *directory, const char *stem,
                               deft_error *error)
{
    deft__judged_queries queries = {.name = {NULL, 0}};
    void                *items   = judged->queries;
    deft_buffer          path;
    deft_buffer          text;
    deft_buffer_init(&path, NULL);
    deft_buffer_init(&text, NULL);
    deft__eval_set_init(&queries.set, NULL);
    deft_status status = name_queries(judged, directory, stem, &queries.name, error);
    if (status == DEFT_OK && !find_file(directory, stem, &path)) {
        status = deft__fail(error, DEFT_NOT_FOUND, 0, "%s.jsonl is gone", stem);
    }
    if (status == DEFT_OK) {
        status =
            deft__file_read_packed(path.data, JUDGED_FILE_SIZE_MAX, expected_queries, &text, error);
    }
    if (status == DEFT_OK) {
        status = deft__eval_set_read(&queries.set, &judged->tools, deft_buffer_view(&text),
                                     path.data, error);
    }
    if (status == DEFT_OK && !deft__grow(NULL, &items, &judged->query_file_capacity,
                                         judged->query_file_count, sizeof queries)) {
        status = deft__fail_memory(error);
    }
    judged->queries = items;
    if (status == DEFT_OK) {
        judged->queries[judged->query_file_count++] = queries;
    } else {
        deft__eval_set_clear(&queries.set);
    }
    deft_buffer_clear(&path);
    deft_buffer_clear(&text);
    return status;
}

bool deft__judged_open(deft__judged *judged, deft__cli *cli, const char *directory)
{
    char     **stems = NULL;
    size_t     count = 0;
    deft_error error = DEFT_ERROR_INIT;
    *judged          = (deft__judged){.catalog = NULL};
    deft__arena_init(&judged->arena, NULL);
    deft__eval_tools_init(&judged->tools, NULL);
    deft_status status = list_stems(judged, cli, directory, &stems, &count, &error);
    // Tools can be many: without queries they need not be read.
    if (status == DEFT_OK && count > 0) {
        status = read_tools(judged, cli, directory, &error);
    }
    for (size_t i = 0; status == DEFT_OK && i < count; i++) {
        status = add_queries(judged, directory, stems[i], &error);
    }
    if (status != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        deft__judged_close(judged);
    }
    return status == DEFT_OK;
}

void deft__judged_close(deft__judged *judged)
{
    for (size_t i = 0; i < judged->query_file_count; i++) {
        deft__eval_set_clear(&judged->queries[i].set);
    }
    deft__free(NULL, judged->queries, judged->query_file_capacity * sizeof *judged->queries);
    deft__eval_tools_clear(&judged->tools);
    deft__arena_clear(&judged->arena);
    deft_catalog_release(judged->catalog);
    *judged = (deft__judged){.catalog = NULL};
}
