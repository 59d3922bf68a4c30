#include "crypto/wiping.h"

#include "base/memory.h"
#include "crypto/digest.h"

#include <string.h>

// Memory is never resized where it is: the old place could be left to others with its bytes in it.
static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    const deft_allocator *base = context;
    void                 *made = size > 0 ? deft__resize(base, NULL, 0, size) : NULL;
    if (pointer == NULL || (size > 0 && made == NULL)) {
        return made;
    }
    if (made != NULL) {
        memcpy(made, pointer, old_size < size ? old_size : size);
    }
    deft__wipe(pointer, old_size);
    deft__free(base, pointer, old_size);
    return made;
}

deft_allocator deft__wiping_allocator(const deft_allocator *base)
{
    return (deft_allocator){.resize = resize, .context = (void *)(uintptr_t)base};
}
