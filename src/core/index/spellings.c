#include "core/index/spellings.h"

size_t deft__squeeze(deft_view text, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 'A' && byte <= 'Z') {
            out[size++] = (char)(byte - 'A' + 'a');
        } else if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80) {
            out[size++] = (char)byte;
        }
    }
    return size;
}

deft_status deft__spellings_init(deft__spellings *spellings, const deft_catalog *catalog,
                                 deft__arena *arena)
{
    const uint32_t count = (uint32_t)deft_catalog_tool_count(catalog);
    *spellings           = (deft__spellings){
                  .next = deft__arena_array(arena, (size_t)count + 1, sizeof(uint32_t)),
    };
    // The catalog's version depends on every byte of it: a seed that differs between catalogs.
    deft__map_init(&spellings->map, deft_catalog_version(catalog), arena->allocator);
    if (spellings->next == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    // Backwards, so that each chain is in catalog order.
    for (uint32_t i = count; i-- > 0;) {
        const deft_view name  = deft_catalog_tool(catalog, (deft_tool_id){i})->name;
        char           *bytes = deft__arena_alloc(arena, name.size + 1);
        if (bytes == NULL) {
            return DEFT_OUT_OF_MEMORY;
        }
        const deft_view key   = deft_view_make(bytes, deft__squeeze(name, bytes));
        uint32_t        first = DEFT__NONE;
        spellings->next[i]    = deft__map_find(&spellings->map, key, &first) ? first : DEFT__NONE;
        if (!deft__map_put(&spellings->map, key, i)) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    return DEFT_OK;
}

void deft__spellings_clear(deft__spellings *spellings)
{
    deft__map_clear(&spellings->map);
}

uint32_t deft__spellings_find(const deft__spellings *spellings, deft_view squeezed)
{
    uint32_t tool = DEFT__NONE;
    return squeezed.size > 0 && deft__map_find(&spellings->map, squeezed, &tool) ? tool
                                                                                 : DEFT__NONE;
}
