#include "transport/curl_memory.h"

#include "base/memory.h"
#include "crypto/wiping.h"

#include <string.h>

// libcurl does not say how much it gives back, so it stands in front.
typedef union block {
    size_t      size; // of all of it
    max_align_t aligned;
} block;

static block *block_of(void *pointer)
{
    return (block *)pointer - 1;
}

void *deft__curl_malloc(size_t size)
{
    return deft__curl_realloc(NULL, size);
}

void deft__curl_free(void *pointer)
{
    const deft_allocator wiping = deft__wiping_allocator(NULL);
    if (pointer != NULL) {
        deft__free(&wiping, block_of(pointer), block_of(pointer)->size);
    }
}

void *deft__curl_realloc(void *pointer, size_t size)
{
    const deft_allocator wiping = deft__wiping_allocator(NULL);
    block               *old    = pointer != NULL ? block_of(pointer) : NULL;
    size_t               whole;
    if (!deft__add_size(size, sizeof(block), &whole)) {
        return NULL;
    }
    block *made = deft__resize(&wiping, old, old != NULL ? old->size : 0, whole);
    if (made == NULL) {
        return NULL;
    }
    made->size = whole;
    return made + 1;
}

char *deft__curl_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char        *copy = deft__curl_malloc(size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void *deft__curl_calloc(size_t count, size_t size)
{
    size_t whole;
    void  *made = deft__multiply_size(count, size, &whole) ? deft__curl_malloc(whole) : NULL;
    if (made != NULL) {
        memset(made, 0, whole);
    }
    return made;
}
