#include "cli/catalogs.h"

#include "cli/files.h"
#include "cli/live.h"
#include "deft/permissions.h"
#include "json/reader.h"
#include "json/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char expected_catalog[] = "tool definitions as JSON, such as a tools/list result";

// Names in a catalog come from others; with a seed they cannot know, they cannot choose names that
// collide in our tables. Without randomness the seed is 0, which only costs that protection.
static uint64_t random_seed(void)
{
    uint64_t  seed       = 0;
    const int descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        uint64_t bytes = 0;
        seed = read(descriptor, &bytes, sizeof bytes) == (ssize_t)sizeof bytes ? bytes : 0;
        close(descriptor);
    }
    return seed;
}

// --- Whose tools a file holds. -------------------------------------------------------------------

// "tools/github.json" holds the tools of "github", if it does not say itself.
static deft_view stem_of(const char *path)
{
    const char  *slash = strrchr(path, '/');
    const char  *name  = slash != NULL ? slash + 1 : path;
    const char  *dot   = strrchr(name, '.');
    const size_t size  = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return deft_view_make(name, size);
}

// Whether these are a server's own definitions (MCP's form) and none says whose.
static bool is_anonymous(deft__json_value tools)
{
    deft__json_iterator i      = deft__json_iterate(tools);
    bool                is_mcp = false;
    while (deft__json_next(&i)) {
        if (deft__json_is(deft__json_member(i.value, "server"), DEFT__JSON_STRING)) {
            return false;
        }
        is_mcp =
            is_mcp || deft__json_is(deft__json_member(i.value, "inputSchema"), DEFT__JSON_OBJECT);
    }
    return is_mcp;
}

// A bare tools/list result does not name its server. Without a name, the files of a folder would
// all be one server, and tools of the same name would be duplicates of one another.
static bool needs_server_name(deft_view text)
{
    deft__json document;
    deft__json_init(&document, NULL);
    bool needs = false;
    if (deft__json_parse(&document, text, NULL, NULL) == DEFT_OK) {
        const deft__json_value root   = deft__json_root(&document);
        const deft__json_value result = deft__json_member(root, "result");
        const deft__json_value body   = deft__json_is(result, DEFT__JSON_OBJECT) ? result : root;
        const deft__json_value tools =
            deft__json_is(body, DEFT__JSON_ARRAY) ? body : deft__json_member(body, "tools");
        const deft__json_value info = deft__json_member(body, "serverInfo");
        needs = !deft__json_is(deft__json_member(body, "server"), DEFT__JSON_STRING) &&
                !deft__json_is(deft__json_member(info, "name"), DEFT__JSON_STRING) &&
                !deft__json_is(deft__json_member(root, "server"), DEFT__JSON_STRING) &&
                is_anonymous(tools);
    }
    deft__json_clear(&document);
    return needs;
}

// --- Reading. ------------------------------------------------------------------------------------

// The library names the source and the byte; people look for a line and a column.
static void tell_failure(const deft__cli *cli, const char *path, deft_view text,
                         const deft_error *error, bool is_fatal)
{
    const char  *message   = error->message;
    const size_t path_size = strlen(path);
    char         place[48] = "";
    if (strncmp(message, path, path_size) == 0 && strncmp(message + path_size, ": ", 2) == 0) {
        message += path_size + 2;
    }
    if (error->offset > 0 && error->offset <= text.size) {
        size_t line   = 0;
        size_t column = 0;
        deft__json_place(text, error->offset, &line, &column);
        snprintf(place, sizeof place, ":%zu:%zu", line, column);
    }
    if (is_fatal) {
        deft__complain(&cli->output, "%s%s: %s", path, place, message);
    } else {
        deft__note(&cli->output, "%s was left out: %s", path, message);
    }
}

// One file. In a folder a file that is something else is left out; a file that was named is not.
static bool add_file(deft__cli *cli, deft_catalog_builder *builder, const char *path, bool is_named)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_status status =
        deft__file_read(path, DEFT__CATALOG_FILE_SIZE_MAX, expected_catalog, &text, &error);
    if (status != DEFT_OK) {
        if (is_named) {
            deft__complain(&cli->output, "%s", error.message);
        } else {
            deft__note(&cli->output, "%s", error.message);
        }
    } else {
        const bool  is_stdin = strcmp(path, "-") == 0;
        deft_source source   = {.label = deft_view_of(is_stdin ? "stdin" : path)};
        if (!is_stdin && needs_server_name(deft_buffer_view(&text))) {
            source.server = stem_of(path);
        }
        deft__detail(&cli->output, "reading definitions from %s", path);
        status = deft_catalog_builder_add(builder, &source, deft_buffer_view(&text), &error);
        if (status != DEFT_OK) {
            tell_failure(cli, path, deft_buffer_view(&text), &error, is_named);
        }
    }
    deft_buffer_clear(&text);
    return status == DEFT_OK;
}

static bool add_directory(deft__cli *cli, deft_catalog_builder *builder, const char *directory)
{
    deft_error       error = DEFT_ERROR_INIT;
    deft__file_names names;
    if (deft__file_names_read(&names, directory, &error) != DEFT_OK) {
        deft__complain(&cli->output, "%s", error.message);
        return false;
    }
    size_t      added = 0;
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    for (size_t i = 0; i < names.count; i++) {
        deft__path_join(&path, directory, names.names[i]);
        if (path.status == DEFT_OK && !deft__file_is_directory(path.data)) {
            added += add_file(cli, builder, path.data, false) ? 1 : 0;
        }
    }
    if (names.count == 0) {
        deft__complain(&cli->output, "%s holds no *.json and no *.jsonl files", directory);
    } else if (added == 0) {
        deft__complain(&cli->output, "%s holds no file with tool definitions", directory);
    }
    deft_buffer_clear(&path);
    deft__file_names_clear(&names);
    return added > 0;
}

static void tell_problems(const deft__cli *cli, const deft_catalog *catalog)
{
    const size_t count = deft_catalog_problem_count(catalog);
    if (count > 0 && !cli->output.is_verbose) {
        deft__note(&cli->output, "%zu %s in the catalog; --verbose shows %s", count,
                   count == 1 ? "problem" : "problems", count == 1 ? "it" : "them");
    }
    for (size_t i = 0; i < count; i++) {
        const deft_problem *problem = deft_catalog_problem(catalog, i);
        deft__detail(&cli->output, "%.*s: %.*s", (int)problem->label.size, problem->label.data,
                     (int)problem->message.size, problem->message.data);
    }
}

static bool add_all(deft__cli *cli, deft_catalog_builder *builder)
{
    size_t      at      = 0;
    bool        is_fine = true;
    const char *path    = NULL;
    while (is_fine && (path = deft__invocation_next(&cli->invocation, DEFT__FLAG_CATALOG, &at))) {
        is_fine = deft__file_is_directory(path) ? add_directory(cli, builder, path)
                                                : add_file(cli, builder, path, true);
    }
    return is_fine;
}

static deft_catalog *leave_mcp_out(deft__cli *cli, deft_catalog *catalog, deft_error *error)
{
    size_t        left_out = 0;
    deft_catalog *rest     = deft__catalog_without_mcp(catalog, &left_out, error);
    if (rest != NULL && left_out > 0) {
        deft__note(&cli->output, "%zu %s of MCP servers left out, as noMcp asks", left_out,
                   left_out == 1 ? "tool" : "tools");
    }
    return rest;
}

void deft__complain_no_catalog(const deft__cli *cli)
{
    deft__complain(&cli->output,
                   "no catalog was given; name a file or a folder with tool definitions: "
                   "deft %s --catalog tools.json",
                   cli->invocation.command->name);
}

// What the configured servers offer; each manifest is a source as it is.
static bool add_live(deft__cli *cli, deft_config *config, deft_catalog_builder *builder)
{
    deft__live       live;
    deft__json_value answer;
    if (!deft__live_lend(&live, cli, config, DEFT__LIVE_HERE)) {
        return false;
    }
    bool is_fine = live.process_id != 0 || deft_config_server_count(config) > 0;
    if (!is_fine) {
        deft__complain_no_catalog(cli);
    }
    is_fine = is_fine && deft__live_ask(&live, "deft/manifests", deft_view_make("", 0), &answer);
    if (is_fine) {
        deft__json_iterator i = deft__json_iterate(deft__json_member(answer, "manifests"));
        while (deft__json_next(&i)) {
            deft_error        error  = DEFT_ERROR_INIT;
            const deft_source source = {.label = deft_view_of("a server's answer")};
            if (deft_catalog_builder_add(builder, &source, deft__json_raw(i.value), &error) !=
                DEFT_OK) {
                deft__note(&cli->output, "a server was left out: %s", error.message);
            }
        }
        deft__live_tell_missing(cli, answer);
    }
    deft__live_close(&live);
    return is_fine;
}

deft_catalog *deft__catalog_read(deft__cli *cli, deft_config *config)
{
    const deft_settings *settings = deft_config_settings(config);
    const bool           is_named = deft__invocation_has(&cli->invocation, DEFT__FLAG_CATALOG);
    deft_error           error    = DEFT_ERROR_INIT;
    deft_catalog_options options  = {.hash_seed = random_seed()};
    deft_catalog        *catalog  = NULL;
    deft_permissions_apply(settings, &options);
    deft_catalog_builder *builder = deft_catalog_builder_new(&options, NULL, &error);
    if (builder == NULL) {
        deft__complain(&cli->output, "%s", error.message);
    } else if (is_named ? add_all(cli, builder) : add_live(cli, config, builder)) {
        catalog = deft_catalog_builder_finish(builder, &error);
        if (catalog != NULL) {
            tell_problems(cli, catalog);
            catalog = settings->is_mcp_disabled ? leave_mcp_out(cli, catalog, &error) : catalog;
        }
        if (catalog == NULL) {
            deft__complain(&cli->output, "%s", error.message);
        }
    }
    deft_catalog_builder_free(builder);
    return catalog;
}

// --- Without MCP servers. ------------------------------------------------------------------------

// One server as a source of its own.
static deft_status add_server(deft_catalog_builder *builder, const deft_catalog *catalog,
                              const deft_server *server, deft_error *error)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "instructions");
    deft__json_write_string(&json, server->instructions);
    deft__json_name(&json, "tools");
    deft__json_begin_array(&json);
    for (uint32_t i = 0; i < server->tool_count; i++) {
        const deft_tool_id tool = {server->first_tool.index + i};
        deft__json_write_raw(&json, deft_catalog_tool(catalog, tool)->definition);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);

    const deft_source source = {
        .label = server->name, .server = server->name, .is_kind_set = true, .kind = server->kind};
    const deft_status status =
        text.status == DEFT_OK
            ? deft_catalog_builder_add(builder, &source, deft_buffer_view(&text), error)
            : text.status;
    deft_buffer_clear(&text);
    return status;
}

deft_catalog *deft__catalog_without_mcp(deft_catalog *catalog, size_t *left_out, deft_error *error)
{
    deft_catalog         *rest    = NULL;
    deft_status           status  = DEFT_OK;
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, error);
    if (builder != NULL) {
        for (uint32_t i = 0; i < deft_catalog_server_count(catalog) && status == DEFT_OK; i++) {
            const deft_server *server = deft_catalog_server(catalog, (deft_server_id){i});
            if (server->kind == DEFT_SERVER_MCP) {
                *left_out += server->tool_count;
            } else {
                status = add_server(builder, catalog, server, error);
            }
        }
        rest = status == DEFT_OK ? deft_catalog_builder_finish(builder, error) : NULL;
    }
    deft_catalog_builder_free(builder);
    deft_catalog_release(catalog);
    return rest;
}
