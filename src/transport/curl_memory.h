// curl_memory.h - libcurl's memory: what it gives back is overwritten first. Its buffers hold tokens on their way
// out, and on their way in, and it leaves them where they are.
#ifndef DEFT_TRANSPORT_CURL_MEMORY_H
#define DEFT_TRANSPORT_CURL_MEMORY_H

#include <stddef.h>

// As those of the C library; for curl_global_init_mem(). Any thread may call them.
void *deft__curl_malloc(size_t size);
void  deft__curl_free(void *pointer);
void *deft__curl_realloc(void *pointer, size_t size);
char *deft__curl_strdup(const char *text);
void *deft__curl_calloc(size_t count, size_t size);

#endif
