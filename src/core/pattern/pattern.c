#include "core/pattern/pattern.h"

#include "base/fail.h"
#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

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

void deft__pattern_clear(deft__pattern *pattern)
{
    pcre2_match_data_free(pattern->data);
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    pcre2_general_context_free(pattern->general);
    *pattern = (deft__pattern){.general = NULL};
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

static deft_status compile(deft__pattern *pattern, deft_view text,
                           const deft__pattern_options *options, deft_error *error)
{
    const uint32_t flags = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C |
                           PCRE2_MATCH_INVALID_UTF | (options->is_caseless ? PCRE2_CASELESS : 0) |
                           (options->is_ecma ? PCRE2_ALT_BSUX : 0);
    int                    code    = 0;
    PCRE2_SIZE             offset  = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(pattern->general);
    if (context == NULL) {
        return deft__fail_memory(error);
    }
    pattern->code = pcre2_compile((PCRE2_SPTR)text.data, text.size, flags, &code, &offset, context);
    pcre2_compile_context_free(context);
    if (pattern->code != NULL) {
        return DEFT_OK;
    }
    return code == PCRE2_ERROR_HEAP_FAILED || code == PCRE2_ERROR_NOMEMORY
               ? deft__fail_memory(error)
               : fail_pattern(code, offset, error);
}

deft_status deft__pattern_init(deft__pattern *pattern, deft_view text,
                               const deft__pattern_options *options,
                               const deft_allocator *allocator, deft_error *error)
{
    // The context is handed to allocate() and release(), which only read it.
    union {
        const deft_allocator *in;
        void                 *out;
    } context = {.in = allocator};

    *pattern         = (deft__pattern){.match_options = options->is_not_empty ? PCRE2_NOTEMPTY : 0};
    pattern->general = pcre2_general_context_create(allocate, release, context.out);
    if (pattern->general == NULL) {
        return deft__fail_memory(error);
    }
    const deft_status status = compile(pattern, text, options, error);
    if (status != DEFT_OK) {
        return status;
    }
    pattern->limits = pcre2_match_context_create(pattern->general);
    pattern->data   = pcre2_match_data_create(1, pattern->general);
    if (pattern->limits == NULL || pattern->data == NULL) {
        return deft__fail_memory(error);
    }
    (void)pcre2_set_match_limit(pattern->limits, options->steps_max);
    (void)pcre2_set_depth_limit(pattern->limits, options->depth_max);
    (void)pcre2_set_heap_limit(pattern->limits, options->heap_kibi_max);
    return DEFT_OK;
}

deft_status deft__pattern_match(const deft__pattern *pattern, deft_view text, bool *is_match,
                                deft_error *error)
{
    *is_match = false;
    if (text.size == 0 && (pattern->match_options & PCRE2_NOTEMPTY) != 0) {
        return DEFT_OK;
    }
    const char *data   = text.size > 0 ? text.data : "";
    const int   result = pcre2_match(pattern->code, (PCRE2_SPTR)data, text.size, 0,
                                     pattern->match_options, pattern->data, pattern->limits);
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
