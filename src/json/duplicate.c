// Finds two members of the same name, in n log n steps whatever the names are.
#include "json/reader.h"

#include "base/memory.h"
#include "json/tape.h"

// How names are ordered to find two that are the same: any total order does, and sizes are the
// cheapest thing to compare. Equal names come in the order of the text.
typedef struct member_name {
    deft_view name; // decoded
    uint32_t  token;
} member_name;

static bool is_same_name(const member_name *a, const member_name *b)
{
    return deft_view_equal(a->name, b->name);
}

static bool is_name_before(const member_name *a, const member_name *b)
{
    if (a->name.size != b->name.size) {
        return a->name.size < b->name.size;
    }
    const int order = a->name.size > 0 ? memcmp(a->name.data, b->name.data, a->name.size) : 0;
    return order != 0 ? order < 0 : a->token < b->token;
}

static void sift_down(member_name *names, size_t root, size_t count)
{
    const member_name sinking = names[root];
    size_t            child   = 2 * root + 1;
    while (child < count) {
        if (child + 1 < count && is_name_before(&names[child], &names[child + 1])) {
            child++;
        }
        if (!is_name_before(&sinking, &names[child])) {
            break;
        }
        names[root] = names[child];
        root        = child;
        child       = 2 * root + 1;
    }
    names[root] = sinking;
}

// Heapsort (Williams, Floyd): n log n steps whatever the names are, and in place. A hash table
// would need a seed that the sender of the names does not know, and there is none here.
static void sort_names(member_name *names, size_t count)
{
    for (size_t root = count / 2; root-- > 0;) {
        sift_down(names, root, count);
    }
    for (size_t last = count; last-- > 1;) {
        const member_name largest = names[0];
        names[0]                  = names[last];
        names[last]               = largest;
        sift_down(names, 0, last);
    }
}

// The token of the earliest name that was there before; DEFT__TAPE_NO_TOKEN when all differ.
// Sorts `names`.
static uint32_t find_same_name(member_name *names, size_t count)
{
    uint32_t second = DEFT__TAPE_NO_TOKEN;
    sort_names(names, count);
    for (size_t i = 1; i < count; i++) {
        if (is_same_name(&names[i - 1], &names[i]) && names[i].token < second) {
            second = names[i].token;
        }
    }
    return second;
}

// The names of `object` into `names`. Those with escapes are decoded into `decoded`, which is
// given all the room it needs at once, so that the views into it stay where they are.
static bool collect_names(deft__json_value object, member_name *names, deft_buffer *decoded)
{
    size_t              escaped_size = 0;
    deft__json_iterator i            = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        const deft__json_token *token = deft__tape_token(i.name);
        escaped_size += (token->info & DEFT__TAPE_HAS_ESCAPE) != 0 ? token->size : 0;
    }
    if (escaped_size > 0 && !deft_buffer_reserve(decoded, escaped_size)) {
        return false;
    }

    size_t count = 0;
    i            = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        names[count++] =
            (member_name){.name = deft__json_string(i.name, decoded), .token = i.name.token};
    }
    return true;
}

bool deft__json_find_duplicate(deft__json_value object, deft__json_value *name, deft_status *status)
{
    deft_status  ignored;
    deft_status *result = status != NULL ? status : &ignored;
    *result             = DEFT_OK;
    if (!deft__json_is(object, DEFT__JSON_OBJECT) || deft__json_count(object) < 2) {
        return false;
    }

    // Nearly every object of a protocol fits here and then needs no memory.
    member_name           few[16];
    const size_t          count  = deft__json_count(object);
    const size_t          size   = count * sizeof(member_name);
    member_name          *names  = few;
    uint32_t              second = DEFT__TAPE_NO_TOKEN;
    deft_buffer           decoded;
    const deft_allocator *allocator = object.document->allocator;
    deft_buffer_init(&decoded, allocator);
    if (count > sizeof few / sizeof few[0]) {
        names = deft__resize(allocator, NULL, 0, size);
    }
    if (names == NULL || !collect_names(object, names, &decoded)) {
        *result = DEFT_OUT_OF_MEMORY;
    } else {
        second = find_same_name(names, count);
    }

    deft_buffer_clear(&decoded);
    if (names != few) {
        deft__free(allocator, names, size);
    }
    if (second == DEFT__TAPE_NO_TOKEN) {
        return false;
    }
    *name = (deft__json_value){.document = object.document, .token = second};
    return true;
}
