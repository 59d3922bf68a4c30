// Ranking `regex`: a pattern over names, titles, descriptions, parameter names and parameter
// descriptions, as Python's re.search would match it: anywhere in the text, case-sensitive unless
// the pattern says (?i). A tool whose name matches comes before one whose description does, and
// that before one that matches only in a parameter.
//
// The pattern comes from a model, so it may be broken or, on some text, take forever. PCRE2 counts
// its steps; a text that needs too many ends the search with an error that says so.
#include "core/ranking/searcher.h"

#include "base/fail.h"
#include "core/pattern/pattern.h"

// Steps per text. A plain pattern needs fewer than a hundred on a long description; what needs
// more than this backtracks over and over.
static const uint32_t steps_max     = 20000;
static const uint32_t depth_max     = 500;
static const uint32_t heap_kibi_max = 256;

static const float name_score        = 4;
static const float description_score = 2;
static const float parameter_score   = 1;

static deft_status matcher_init(deft__pattern *m, deft_view pattern, bool is_caseless,
                                const deft_allocator *allocator, deft_error *error)
{
    const deft__pattern_options options = {.steps_max     = steps_max,
                                           .depth_max     = depth_max,
                                           .heap_kibi_max = heap_kibi_max,
                                           .is_caseless   = is_caseless,
                                           .is_not_empty  = true};
    return deft__pattern_init(m, pattern, &options, allocator, error);
}

// Whether the pattern is somewhere in `text`.
static deft_status match(const deft__pattern *m, deft_view text, bool *is_match, deft_error *error)
{
    return deft__pattern_match(m, deft_view_slice(text, 0, DEFT__INDEXED_SIZE_MAX), is_match,
                               error);
}

// Where in a tool the pattern is: one field each for its name, its description, its parameters.
typedef struct places {
    deft_field fields[3];
    float      scores[3];
    size_t     count;
} places;

static void add_place(places *p, deft_field field, float score)
{
    p->fields[p->count]   = field;
    p->scores[p->count++] = score;
}

static deft_status match_parameters(const deft__pattern *m, const deft_tool *tool, places *p,
                                    deft_error *error)
{
    deft_status status   = DEFT_OK;
    bool        is_match = false;
    for (uint32_t i = 0; status == DEFT_OK && !is_match && i < tool->parameter_count; i++) {
        deft_field field = DEFT_FIELD_PARAMETER_NAMES;
        status           = match(m, tool->parameters[i].name, &is_match, error);
        if (status == DEFT_OK && !is_match) {
            field  = DEFT_FIELD_PARAMETER_DESCRIPTIONS;
            status = match(m, tool->parameters[i].description, &is_match, error);
        }
        if (is_match) {
            add_place(p, field, parameter_score);
        }
    }
    return status;
}

static deft_status match_tool(const deft__pattern *m, const deft_tool *tool, places *p,
                              deft_error *error)
{
    bool        in_name        = false;
    bool        in_title       = false;
    bool        in_description = false;
    deft_status status         = match(m, tool->name, &in_name, error);
    p->count                   = 0;
    if (status == DEFT_OK) {
        status = match(m, tool->title, &in_title, error);
    }
    if (status == DEFT_OK) {
        status = match(m, tool->description, &in_description, error);
    }
    if (in_name || in_title) {
        add_place(p, in_name ? DEFT_FIELD_NAME : DEFT_FIELD_TITLE, name_score);
    }
    if (in_description) {
        add_place(p, DEFT_FIELD_DESCRIPTION, description_score);
    }
    return status == DEFT_OK ? match_parameters(m, tool, p, error) : status;
}

static deft_status score_tool(deft_searcher *searcher, const deft__pattern *m, uint32_t number,
                              deft_error *error)
{
    places           p = {.count = 0};
    const deft_tool *tool =
        deft_catalog_tool(deft__searcher_catalog(searcher), (deft_tool_id){number});
    const deft_status status = match_tool(m, tool, &p, error);
    for (size_t i = 0; status == DEFT_OK && i < p.count; i++) {
        deft__searcher_add(searcher, number, p.scores[i]);
    }
    return status;
}

deft_status deft__rank_regex(deft_searcher *searcher, deft_view pattern, bool is_caseless,
                             deft_error *error)
{
    if (pattern.size > DEFT_PATTERN_SIZE_MAX) {
        return deft__fail(error, DEFT_LIMIT, DEFT_PATTERN_SIZE_MAX,
                          "the pattern has %zu characters; at most %u are accepted", pattern.size,
                          DEFT_PATTERN_SIZE_MAX);
    }
    deft__pattern m;
    deft_status   status = matcher_init(&m, pattern, is_caseless, searcher->allocator, error);
    for (uint32_t i = 0; status == DEFT_OK && i < searcher->index->document_count; i++) {
        status = score_tool(searcher, &m, i, error);
    }
    deft__pattern_clear(&m);
    return status;
}

deft_status deft__account_regex(const deft_searcher *searcher, deft_view pattern, bool is_caseless,
                                uint32_t tool, deft__share_visitor visitor, deft_error *error)
{
    deft__pattern m;
    places        p      = {.count = 0};
    deft_status   status = matcher_init(&m, pattern, is_caseless, searcher->allocator, error);
    if (status == DEFT_OK) {
        status = match_tool(
            &m, deft_catalog_tool(deft__searcher_catalog(searcher), (deft_tool_id){tool}), &p,
            error);
    }
    for (size_t i = 0; status == DEFT_OK && i < p.count; i++) {
        const deft_share share = {
            .word  = pattern,
            .match = DEFT_MATCH_PATTERN,
            .field = p.fields[i],
            .score = (double)p.scores[i],
        };
        if (!visitor.add(visitor.context, share)) {
            status = deft__fail_memory(error);
        }
    }
    deft__pattern_clear(&m);
    return status;
}
