// "Did you mean": one pass over the catalog. Comparing two words letter by letter costs about a
// microsecond, so most tools are turned away by cheaper means first: their size, and which
// letters they have at all.
#include "core/catalog/catalog.h"
#include "core/catalog/wire.h"

#include "base/nearest.h"

// Lower is nearer. A slip of the keyboard beats a right tool under a wrong server, which beats a
// name that is part of another.
enum {
    rank_same_tool = 8,
    rank_contained = 16,
    rank_none      = INT32_MAX
};

// A part shorter than this is in too many names to say anything.
enum {
    contained_size_min = 4
};

typedef struct word {
    char     text[DEFT__ID_SIZE_MAX]; // folded
    size_t   size;
    uint64_t letters; // one bit for each letter that occurs
} word;

typedef struct nearest_query {
    word     whole; // as hosts write it, without `mcp__`
    word     tool;  // behind the server, when it names one
    uint32_t limit; // edits
} nearest_query;

static unsigned bit_count(uint64_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void word_make(word *made, deft_view text)
{
    deft__loose_key key;
    const deft_view folded = deft__loose_key_make(&key, text);
    made->size             = folded.size;
    made->letters          = 0;
    for (size_t i = 0; i < folded.size; i++) {
        // `-` and `_` count as the same letter, as they do in the distance.
        made->text[i] = folded.data[i] == '-' ? '_' : folded.data[i];
        made->letters |= UINT64_C(1) << ((unsigned char)made->text[i] & 63);
    }
}

static deft_view view_of(const word *text)
{
    return deft_view_make(text->text, text->size);
}

static uint32_t edits_between(const word *a, const word *b, uint32_t limit)
{
    const size_t difference = a->size > b->size ? a->size - b->size : b->size - a->size;
    // One edit can bring one letter in and put another one out.
    if (difference > limit || bit_count(a->letters ^ b->letters) > 2 * limit) {
        return rank_none;
    }
    const size_t distance = deft__edit_distance(view_of(a), view_of(b), limit);
    return distance <= limit ? (uint32_t)distance : rank_none;
}

// Whether `part` stands in `text` as whole words: `issues` in `list_issues`, not in `tissues`.
static bool contains(const word *text, const word *part)
{
    if (part->size < contained_size_min || part->size > text->size ||
        (part->letters & ~text->letters) != 0) {
        return false;
    }
    for (size_t i = 0; i + part->size <= text->size; i++) {
        const size_t end = i + part->size;
        if ((i == 0 || text->text[i - 1] == '_') && (end == text->size || text->text[end] == '_') &&
            memcmp(text->text + i, part->text, part->size) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t rank_of(const nearest_query *query, const deft_tool *tool)
{
    word name;
    word id;
    word_make(&name, tool->name);
    word_make(&id, tool->id);
    uint32_t rank = smaller(edits_between(&query->whole, &name, query->limit),
                            edits_between(&query->whole, &id, query->limit));
    if (rank == rank_none && query->tool.size > 0) {
        rank = edits_between(&query->tool, &name, query->limit);
        rank = rank != rank_none ? rank_same_tool + rank : rank;
    }
    if (rank == rank_none && (contains(&name, &query->whole) || contains(&query->whole, &name))) {
        const size_t difference = name.size > query->whole.size ? name.size - query->whole.size
                                                                : query->whole.size - name.size;
        rank                    = rank_contained + (uint32_t)difference;
    }
    return rank;
}

// What stands behind the last `__`; empty when there is none.
static deft_view tool_part(const word *whole)
{
    for (size_t i = whole->size; i > 2; i--) {
        if (whole->text[i - 1] == '_' && whole->text[i - 2] == '_') {
            return deft_view_make(whole->text + i, whole->size - i);
        }
    }
    return deft_view_make(NULL, 0);
}

static void query_make(nearest_query *query, deft_view name)
{
    const deft_view prefix = deft_view_of("mcp__");
    if (deft__wire_equal_folded(deft_view_slice(name, 0, prefix.size), prefix)) {
        name = deft_view_slice(name, prefix.size, SIZE_MAX);
    }
    word_make(&query->whole, deft_view_slice(name, 0, DEFT__ID_SIZE_MAX));
    word_make(&query->tool, tool_part(&query->whole));
    query->limit = (uint32_t)deft__edit_distance_plausible(query->whole.size);
}

size_t deft_catalog_nearest(const deft_catalog *catalog, deft_view name, deft_tool_id *tools,
                            size_t count_max)
{
    uint32_t     ranks[DEFT_NEAREST_MAX];
    size_t       count = 0;
    const size_t room  = count_max < DEFT_NEAREST_MAX ? count_max : DEFT_NEAREST_MAX;
    if (room == 0 || name.size == 0) {
        return 0;
    }
    nearest_query query;
    query_make(&query, name);
    for (size_t i = 0; i < catalog->record_count; i++) {
        const uint32_t rank = rank_of(&query, &catalog->records[i].tool);
        if (rank == rank_none || (count == room && rank >= ranks[count - 1])) {
            continue;
        }
        // Behind those that are as near, so that equals keep catalog order.
        size_t at = count < room ? count++ : count - 1;
        for (; at > 0 && ranks[at - 1] > rank; at--) {
            ranks[at] = ranks[at - 1];
            tools[at] = tools[at - 1];
        }
        ranks[at] = rank;
        tools[at] = (deft_tool_id){(uint32_t)i};
    }
    return count;
}
