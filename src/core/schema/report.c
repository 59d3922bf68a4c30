// What is wrong, in words.
#include "core/schema/checker.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "core/listing/clean.h"

// Bytes of a name, and of a value, in a message: enough to recognise it.
static const size_t name_size_max  = 128;
static const size_t value_size_max = 60;

// Bytes of one message. A long enum or list of names is cut before.
static const size_t message_size_max = 1000;

deft_schema_report *deft__schema_report_new(const deft_schema_options *options,
                                            const deft_allocator      *allocator)
{
    const size_t count =
        options->problems_max > 0 ? options->problems_max : DEFT_SCHEMA_PROBLEMS_MAX;
    deft_schema_report *report = deft__new(allocator, sizeof *report);
    if (report == NULL) {
        return NULL;
    }
    report->allocator   = allocator;
    report->problem_max = count;
    deft__arena_init(&report->arena, allocator);
    return report;
}

void deft_schema_report_free(deft_schema_report *report)
{
    if (report != NULL) {
        deft__arena_clear(&report->arena);
        deft__free(report->allocator, report, sizeof *report);
    }
}

const deft_schema_problem *deft_schema_report_problems(const deft_schema_report *report,
                                                       size_t                   *count)
{
    *count = report->problem_count;
    return report->problems;
}

bool deft_schema_report_is_whole(const deft_schema_report *report)
{
    return !report->is_cut;
}

deft_status deft_schema_report_write(const deft_schema_report *report, deft_buffer *out)
{
    const size_t start = out->size;
    for (size_t i = 0; i < report->problem_count; i++) {
        const deft_schema_problem *problem = &report->problems[i];
        deft_buffer_append_text(out, i > 0 ? " " : "");
        if (problem->path.size > 0) {
            deft__append_name(out, problem->path);
        } else {
            deft_buffer_append_text(out, "The whole of the arguments");
        }
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append(out, problem->message);
        const bool is_question = problem->message.data[problem->message.size - 1] == '?';
        deft_buffer_append_text(out, is_question ? "" : ".");
    }
    if (out->status != DEFT_OK) {
        const deft_status status = out->status;
        deft_buffer_truncate(out, start);
        return status;
    }
    return DEFT_OK;
}

void deft__append_value(deft_buffer *out, deft__json_value value)
{
    deft__clean_append(out, deft__json_raw(value), value_size_max);
}

void deft__append_name(deft_buffer *out, deft_view name)
{
    deft_buffer_append_byte(out, '\'');
    deft__clean_append(out, name, name_size_max);
    deft_buffer_append_byte(out, '\'');
}

size_t deft__schema_slips_max(deft_view word)
{
    const size_t plausible = deft__edit_distance_plausible(word.size);
    const size_t half      = word.size / 2;
    return word.size < 3 ? 0 : (half < plausible ? half : plausible);
}

deft_buffer *deft__problem_begin(deft__checker *checker)
{
    const deft_schema_report *report = checker->report;
    if (checker->mute > 0 || checker->status != DEFT_OK ||
        report->problem_count == report->problem_max) {
        return NULL;
    }
    deft_buffer_reset(&checker->message);
    return &checker->message;
}

// The chain from the outermost place inwards: "labels[2].name".
static void append_path(deft__checker *checker, const deft__schema_place *place, deft_buffer *out)
{
    if (place == NULL) {
        return;
    }
    append_path(checker, place->parent, out);
    const bool is_named = !deft__json_is(place->name, DEFT__JSON_NONE);
    if (!is_named && place->wanted.size == 0) {
        deft_buffer_append_byte(out, '[');
        deft_buffer_append_u64(out, place->index);
        deft_buffer_append_byte(out, ']');
        return;
    }
    deft_buffer_append_text(out, out->size > 0 ? "." : "");
    deft__clean_append(
        out, is_named ? deft__checker_decode(checker, place->name, &checker->text) : place->wanted,
        name_size_max);
}

static bool keep(deft__checker *checker, deft_view text, deft_view *kept)
{
    return deft__arena_copy(&checker->report->arena, text, kept);
}

void deft__problem_end(deft__checker *checker, const deft__schema_place *place, deft_view nearest)
{
    deft_schema_report *report  = checker->report;
    deft_schema_problem problem = {.path = {NULL, 0}};
    deft_buffer         text;
    deft_buffer_init(&text, report->allocator);
    deft__clean_append(&text, nearest, name_size_max);
    bool is_good =
        text.status == DEFT_OK && keep(checker, deft_buffer_view(&text), &problem.nearest);

    deft_buffer_reset(&text);
    append_path(checker, place, &text);
    is_good =
        is_good && text.status == DEFT_OK && keep(checker, deft_buffer_view(&text), &problem.path);

    deft_buffer_reset(&text);
    deft__clean_append(&text, deft_buffer_view(&checker->message), message_size_max);
    is_good = is_good && text.status == DEFT_OK && checker->message.status == DEFT_OK &&
              keep(checker, deft_buffer_view(&text), &problem.message);
    deft_buffer_clear(&text);

    if (is_good && report->problems == NULL) {
        report->problems =
            deft__arena_array(&report->arena, report->problem_max, sizeof *report->problems);
    }
    if (is_good && report->problems != NULL) {
        report->problems[report->problem_count++] = problem;
    } else {
        checker->status = DEFT_OUT_OF_MEMORY;
    }
}
