// Ranking `regex`: a pattern over names, titles, descriptions, parameter names and parameter
// descriptions, as Python's re.search would match it: anywhere in the text, case-sensitive unless
// the pattern says (?i). A tool whose name matches comes before one whose description does, and
// that before one that matches only in a parameter.
//
// The pattern comes from a model, so it may be broken or, on some text, take forever. PCRE2 counts
// its steps; a text that needs too many ends the search with an error that says so.
#include "core/ranking/searcher.h"

#include "base/fail.h"
#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// Steps per text. A plain pattern needs fewer than a hundred on a long description; what needs
// more than this backtracks over and over.
static const uint32_t steps_max     = 20000;
static const uint32_t depth_max     = 500;
static const uint32_t heap_kibi_max = 256;

static const float name_score        = 4;
static const float description_score = 2;
static const float parameter_score   = 1;

// PCRE2 frees without saying how much; our allocators want to know, so the size goes in front.
typedef union block_size {
    size_t      size;
    max_align_t alignment;
} block_size;

static void *allocate(PCRE2_SIZE size, void *context)
{
    size_t whole = 0;
    if (!deft__add_size(size, sizeof(block_size), &whole)) {
        return NULL;
    }
    block_size *block = deft__resize(context, NULL, 0, whole);
    if (block == NULL) {
        return NULL;
    }
    block->size = whole;
    return block + 1;
}

static void release(void *pointer, void *context)
{
    if (pointer != NULL) {
        block_size *block = (block_size *)pointer - 1;
        deft__free(context, block, block->size);
    }
}

typedef struct matcher {
    pcre2_general_context *general;
    pcre2_code            *code;
    pcre2_match_context   *limits;
    pcre2_match_data      *data;
} matcher;

static void matcher_clear(matcher *m)
{
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->limits);
    pcre2_code_free(m->code);
    pcre2_general_context_free(m->general);
}

static deft_status fail_pattern(int code, size_t offset, deft_error *error)
{
    PCRE2_UCHAR reason[120];
    if (pcre2_get_error_message(code, reason, sizeof reason) < 0) {
        reason[0] = '\0';
    }
    return deft__fail(error, DEFT_INVALID, offset, "the pattern is not valid at character %zu: %s",
                      offset, (const char *)reason);
}

static deft_status matcher_init(matcher *m, deft_view pattern, bool is_caseless,
                                const deft_allocator *allocator, deft_error *error)
{
    // The context is handed to allocate() and release(), which only read it.
    union {
        const deft_allocator *in;
        void                 *out;
    } context = {.in = allocator};

    int        code   = 0;
    PCRE2_SIZE offset = 0;
    *m                = (matcher){0};
    m->general        = pcre2_general_context_create(allocate, release, context.out);
    if (m->general == NULL) {
        return deft__fail_memory(error);
    }
    pcre2_compile_context *compile = pcre2_compile_context_create(m->general);
    if (compile == NULL) {
        return deft__fail_memory(error);
    }
    m->code = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.size,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C |
                                PCRE2_MATCH_INVALID_UTF | (is_caseless ? PCRE2_CASELESS : 0),
                            &code, &offset, compile);
    pcre2_compile_context_free(compile);
    if (m->code == NULL) {
        return code == PCRE2_ERROR_HEAP_FAILED || code == PCRE2_ERROR_NOMEMORY
                   ? deft__fail_memory(error)
                   : fail_pattern(code, offset, error);
    }
    m->limits = pcre2_match_context_create(m->general);
    m->data   = pcre2_match_data_create(1, m->general);
    if (m->limits == NULL || m->data == NULL) {
        return deft__fail_memory(error);
    }
    (void)pcre2_set_match_limit(m->limits, steps_max);
    (void)pcre2_set_depth_limit(m->limits, depth_max);
    (void)pcre2_set_heap_limit(m->limits, heap_kibi_max);
    return DEFT_OK;
}

// Whether the pattern is somewhere in `text`.
static deft_status match(const matcher *m, deft_view text, bool *is_match, deft_error *error)
{
    const deft_view indexed = deft_view_slice(text, 0, DEFT__INDEXED_SIZE_MAX);
    *is_match               = false;
    if (indexed.size == 0) {
        return DEFT_OK;
    }
    const int result = pcre2_match(m->code, (PCRE2_SPTR)indexed.data, indexed.size, 0,
                                   PCRE2_NOTEMPTY, m->data, m->limits);
    if (result >= 0) {
        *is_match = true;
        return DEFT_OK;
    } else if (result == PCRE2_ERROR_NOMATCH) {
        return DEFT_OK;
    } else if (result == PCRE2_ERROR_NOMEMORY) {
        return deft__fail_memory(error);
    } else if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
               result == PCRE2_ERROR_HEAPLIMIT) {
        return deft__fail(error, DEFT_LIMIT, 0,
                          "the pattern is too costly to match; avoid repeats inside repeats");
    } else {
        return fail_pattern(result, 0, error);
    }
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

static deft_status match_parameters(const matcher *m, const deft_tool *tool, places *p,
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

static deft_status match_tool(const matcher *m, const deft_tool *tool, places *p, deft_error *error)
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

static deft_status score_tool(deft_searcher *searcher, const matcher *m, uint32_t number,
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
    matcher     m;
    deft_status status = matcher_init(&m, pattern, is_caseless, searcher->allocator, error);
    for (uint32_t i = 0; status == DEFT_OK && i < searcher->index->document_count; i++) {
        status = score_tool(searcher, &m, i, error);
    }
    matcher_clear(&m);
    return status;
}

deft_status deft__account_regex(const deft_searcher *searcher, deft_view pattern, bool is_caseless,
                                uint32_t tool, deft__share_visitor visitor, deft_error *error)
{
    matcher     m;
    places      p      = {.count = 0};
    deft_status status = matcher_init(&m, pattern, is_caseless, searcher->allocator, error);
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
    matcher_clear(&m);
    return status;
}
