#include "cli/model.h"

#include "base/fail.h"
#include "cli/text.h"
#include "core/settings/settings.h"
#include "json/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Maps a file, so that of eight megabytes only what is looked at is read.
static deft_status map_file(deft__chosen_model *chosen, const char *path, deft_error *error)
{
    struct stat  facts;
    const int    file   = open(path, O_RDONLY | O_CLOEXEC);
    deft_status  status = DEFT_OK;
    deft__quoted quoted;
    if (file < 0 || fstat(file, &facts) != 0) {
        status = deft__fail(error, DEFT_NOT_FOUND, 0, "cannot read the model '%s': %s",
                            deft__quote(&quoted, deft_view_of(path)), strerror(errno));
    } else if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
        status = deft__fail(error, DEFT_INVALID, 0, "the model '%s' is not a file, or an empty one",
                            deft__quote(&quoted, deft_view_of(path)));
    } else {
        void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED) {
            status = deft__fail(error, DEFT_NOT_FOUND, 0, "cannot map the model '%s': %s",
                                deft__quote(&quoted, deft_view_of(path)), strerror(errno));
        } else {
            chosen->mapping = bytes;
            chosen->size    = (size_t)facts.st_size;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return status;
}

bool deft__chosen_model_open(deft__chosen_model *chosen, deft__cli *cli)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_view   bytes = deft_model_builtin();
    const char *named = deft__invocation_value(&cli->invocation, DEFT__FLAG_MODEL);
    const char *place = "--model";
    if (named == NULL) {
        named = getenv("DEFT_MODEL");
        place = "DEFT_MODEL";
    }
    *chosen = (deft__chosen_model){.origin = bytes.size > 0 ? "built in" : "none"};
    if (named != NULL && strcmp(named, "none") == 0) {
        chosen->origin = "none";
        return true;
    } else if (named != NULL && named[0] != '\0') {
        chosen->origin = named;
        if (map_file(chosen, named, &error) != DEFT_OK) {
            deft__complain(&cli->output, "%s: %s", place, error.message);
            return false;
        }
        bytes = deft_view_make(chosen->mapping, chosen->size);
    } else if (bytes.size == 0) {
        return true;
    }
    chosen->model = deft_model_open(bytes, NULL, &error);
    if (chosen->model == NULL) {
        deft__complain(&cli->output, "%s: %s", chosen->origin, error.message);
        deft__chosen_model_close(chosen);
        return false;
    }
    return true;
}

deft_view deft__chosen_model_name(const deft__chosen_model *chosen, const deft_settings *settings)
{
    return chosen->model != NULL && deft__settings_use_model(settings)
               ? deft_model_tell(chosen->model).name
               : deft_view_of(NULL);
}

void deft__chosen_model_close(deft__chosen_model *chosen)
{
    deft_model_free(chosen->model);
    if (chosen->mapping != NULL) {
        munmap(chosen->mapping, chosen->size);
    }
    *chosen = (deft__chosen_model){.origin = "none"};
}

// --- deft model ----------------------------------------------------------------------------------

static void print_json(deft__cli *cli, const deft__chosen_model *chosen)
{
    deft_buffer       text;
    deft__json_writer json;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&json, &text);
    deft__json_begin_object(&json);
    deft__json_name(&json, "origin");
    deft__json_write_text(&json, chosen->origin);
    if (chosen->model != NULL) {
        const deft_model_facts facts = deft_model_tell(chosen->model);
        char                   version[32];
        snprintf(version, sizeof version, "%016llx", (unsigned long long)facts.version);
        deft__json_name(&json, "name");
        deft__json_write_string(&json, facts.name);
        deft__json_name(&json, "version");
        deft__json_write_text(&json, version);
        deft__json_name(&json, "dimensions");
        deft__json_write_uint64(&json, facts.dimensions);
        deft__json_name(&json, "stems");
        deft__json_write_uint64(&json, facts.stem_count);
        deft__json_name(&json, "phrases");
        deft__json_write_uint64(&json, facts.phrase_count);
        deft__json_name(&json, "buckets");
        deft__json_write_uint64(&json, facts.bucket_count);
        deft__json_name(&json, "bytes");
        deft__json_write_uint64(&json, facts.size);
    }
    deft__json_end_object(&json);
    deft__print_result(&cli->output, &text);
}

static void print_line(deft__cli *cli, const char *what, const char *value)
{
    deft_buffer line;
    deft_buffer_init(&line, NULL);
    deft_buffer_append_text(&line, what);
    for (size_t i = strlen(what); i < 12; i++) {
        deft_buffer_append_byte(&line, ' ');
    }
    deft__append_safe_line(&line, deft_view_of(value));
    deft_buffer_append(&line, deft_view_make("\n", 2)); // with the NUL that ends it
    if (line.status == DEFT_OK) {
        deft__print(&cli->output, line.data);
    }
    deft_buffer_clear(&line);
}

static void print_number(deft__cli *cli, const char *what, size_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", value);
    print_line(cli, what, text);
}

static void print_facts(deft__cli *cli, const deft__chosen_model *chosen)
{
    if (chosen->model == NULL) {
        // Built without one, or told to do without.
        deft__print(
            &cli->output,
            deft_model_builtin().size > 0
                ? "no model, as chosen: tools are found by their words and synonyms alone\n"
                : "no model is built in: tools are found by their words and synonyms alone; "
                  "--model FILE or DEFT_MODEL=FILE brings one\n");
        return;
    }
    const deft_model_facts facts = deft_model_tell(chosen->model);
    char                   version[32];
    snprintf(version, sizeof version, "%016llx", (unsigned long long)facts.version);
    print_line(cli, "name", facts.name.data);
    print_line(cli, "origin", chosen->origin);
    print_line(cli, "version", version);
    print_number(cli, "dimensions", facts.dimensions);
    print_number(cli, "stems", facts.stem_count);
    print_number(cli, "phrases", facts.phrase_count);
    print_number(cli, "buckets", facts.bucket_count);
    print_number(cli, "bytes", facts.size);
}

int deft__command_model(deft__cli *cli)
{
    deft__chosen_model chosen;
    if (cli->invocation.operand_count > 0 && strcmp(cli->invocation.operands[0], "info") != 0) {
        deft__complain(&cli->output, "'%s' is nothing that deft model does; it knows 'info'",
                       cli->invocation.operands[0]);
        return DEFT__EXIT_WRONG;
    }
    if (!deft__chosen_model_open(&chosen, cli)) {
        return DEFT__EXIT_WRONG;
    }
    const bool is_there = chosen.model != NULL;
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_JSON)) {
        print_json(cli, &chosen);
    } else {
        print_facts(cli, &chosen);
    }
    deft__chosen_model_close(&chosen);
    return is_there ? DEFT__EXIT_FOUND : DEFT__EXIT_NOTHING;
}
