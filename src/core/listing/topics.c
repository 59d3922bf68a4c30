// Topics are the words of tool names that are neither verbs nor glue, and pairs of such words that
// stand together ("pull request"). They are counted over all names of a server. A pair that makes
// up most of a word's uses is what that word is about, so the pair is named instead of it. Equal
// counts keep the order in which the names brought them: the same names give the same topics.
#include "core/listing/topics.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "core/listing/clean.h"

#define TOPICS_MAX 6

// Distinct words and pairs that are counted; more come only from a server that makes them up.
#define CANDIDATES_MAX 4096

#define WORD_SIZE_MAX 32 // bytes; a longer word is not one, its start is counted

// Words that say what a tool does, not what it does it to, sorted for the search below.
static const char *const ignored_words[] = {
    "a",       "add",      "all",      "an",     "and",     "api",     "append",   "apply",
    "as",      "at",       "batch",    "bulk",   "by",      "call",    "cancel",   "check",
    "clear",   "close",    "copy",     "count",  "create",  "current", "delete",   "describe",
    "do",      "download", "edit",     "enable", "execute", "export",  "fetch",    "find",
    "for",     "from",     "generate", "get",    "give",    "has",     "id",       "import",
    "in",      "info",     "insert",   "invoke", "is",      "list",    "load",     "lookup",
    "make",    "manage",   "many",     "mcp",    "modify",  "move",    "multi",    "multiple",
    "my",      "new",      "of",       "on",     "one",     "open",    "or",       "patch",
    "perform", "post",     "put",      "query",  "read",    "remove",  "rename",   "replace",
    "reset",   "resolve",  "retrieve", "run",    "save",    "search",  "send",     "set",
    "show",    "start",    "stop",     "submit", "the",     "to",      "toggle",   "tool",
    "tools",   "update",   "upload",   "upsert", "use",     "using",   "validate", "view",
    "with",    "write",
};

typedef struct name_word {
    char   text[WORD_SIZE_MAX]; // lower case
    size_t size;
} name_word;

static deft_view word_view(const name_word *word)
{
    return deft_view_make(word->text, word->size);
}

// What two words share when one is the plural of the other.
static deft_view singular(deft_view word)
{
    const size_t size = word.size;
    if (size < 4 || word.data[size - 1] != 's') {
        return word;
    }
    const char before = word.data[size - 2];
    return before == 's' || before == 'u' || before == 'i' ? word
                                                           : deft_view_slice(word, 0, size - 1);
}

static bool is_ignored(deft_view text)
{
    // "v2" is a version, not a topic.
    size_t digits = 0;
    while (digits + 1 < text.size && text.data[digits + 1] >= '0' && text.data[digits + 1] <= '9') {
        digits++;
    }
    if (text.size < 2 || (text.data[0] == 'v' && digits + 1 == text.size)) {
        return true;
    }

    size_t low  = 0;
    size_t high = sizeof ignored_words / sizeof ignored_words[0];
    while (low < high) {
        const size_t    middle  = low + (high - low) / 2;
        const deft_view ignored = deft_view_of(ignored_words[middle]);
        const size_t    size    = text.size < ignored.size ? text.size : ignored.size;
        const int       order   = memcmp(text.data, ignored.data, size);
        if (order == 0 && text.size == ignored.size) {
            return true;
        } else if (order < 0 || (order == 0 && text.size < ignored.size)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

static bool is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

// Every byte of a character beyond ASCII counts as a letter, so such words stay whole.
static bool is_letter(char byte)
{
    return is_upper(byte) || (byte >= 'a' && byte <= 'z') || (unsigned char)byte >= 0x80;
}

static char to_lower(char byte)
{
    return is_upper(byte) ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Whether a word ends between two letters: createIssue, HTTPServer.
static bool is_boundary(deft_view name, size_t at)
{
    const char before            = name.data[at - 1];
    const char byte              = name.data[at];
    const bool is_end_of_acronym = is_upper(before) && is_upper(byte) && at + 1 < name.size &&
                                   is_letter(name.data[at + 1]) && !is_upper(name.data[at + 1]);
    return (!is_upper(before) && is_upper(byte)) || is_end_of_acronym;
}

// The next word of a name from `*at` on; false at its end.
static bool next_word(deft_view name, size_t *at, name_word *word)
{
    size_t start = *at;
    while (start < name.size && !is_letter(name.data[start])) {
        start++;
    }
    size_t end = start;
    while (end < name.size && (is_letter(name.data[end]) || is_digit(name.data[end])) &&
           (end == start || !is_boundary(name, end))) {
        end++;
    }
    *at = end;

    word->size = end - start < WORD_SIZE_MAX ? end - start : WORD_SIZE_MAX;
    word->size = deft__utf8_cut(deft_view_slice(name, start, end - start), word->size);
    for (size_t i = 0; i < word->size; i++) {
        word->text[i] = to_lower(name.data[start + i]);
    }
    return end > start;
}

// A word, or a pair of words, that may become a topic.
typedef struct candidate {
    deft_view text;      // as it was first written, in the arena
    uint32_t  count;     // how often it occurs
    uint32_t  pair_best; // of a word: the count of the most common pair that it is part of
    uint32_t  first;     // of a pair: its words
    uint32_t  second;
    bool      is_pair;
    bool      is_taken; // of a word: it is in a topic already
} candidate;

typedef struct topic_counter {
    candidate  *candidates;
    size_t      count;
    size_t      capacity;
    deft__map   places; // by text in the singular
    deft__arena arena;
    bool        is_out_of_memory;
} topic_counter;

#define NO_PLACE UINT32_MAX

// Counts `text` under `key`; returns its place, or NO_PLACE where no more are counted.
static uint32_t count_one(topic_counter *counter, deft_view key, deft_view text)
{
    uint32_t place = 0;
    if (deft__map_find(&counter->places, key, &place)) {
        counter->candidates[place].count++;
        return place;
    }
    if (counter->count >= CANDIDATES_MAX || counter->is_out_of_memory) {
        return NO_PLACE;
    }

    place           = (uint32_t)counter->count;
    candidate added = {.count = 1, .first = NO_PLACE, .second = NO_PLACE};
    deft_view key_copy;
    if (!deft__grow(counter->arena.allocator, (void **)&counter->candidates, &counter->capacity,
                    counter->count, sizeof *counter->candidates) ||
        !deft__arena_copy(&counter->arena, key, &key_copy) ||
        !deft__arena_copy(&counter->arena, text, &added.text) ||
        !deft__map_put(&counter->places, key_copy, place)) {
        counter->is_out_of_memory = true;
        return NO_PLACE;
    }
    counter->candidates[counter->count++] = added;
    return place;
}

// Two words with a space between.
static deft_view join(char out[2 * WORD_SIZE_MAX + 1], deft_view first, deft_view second)
{
    memcpy(out, first.data, first.size);
    out[first.size] = ' ';
    memcpy(out + first.size + 1, second.data, second.size);
    return deft_view_make(out, first.size + 1 + second.size);
}

static void count_pair(topic_counter *counter, uint32_t first, const name_word *first_word,
                       uint32_t second, const name_word *second_word)
{
    char           key[2 * WORD_SIZE_MAX + 1];
    char           text[2 * WORD_SIZE_MAX + 1];
    const uint32_t place = count_one(
        counter, join(key, singular(word_view(first_word)), singular(word_view(second_word))),
        join(text, word_view(first_word), word_view(second_word)));
    if (place == NO_PLACE) {
        return;
    }

    candidate *pair = &counter->candidates[place];
    pair->is_pair   = true;
    pair->first     = first;
    pair->second    = second;
    for (int i = 0; i < 2; i++) {
        candidate *part = &counter->candidates[i == 0 ? first : second];
        part->pair_best = pair->count > part->pair_best ? pair->count : part->pair_best;
    }
}

static bool is_word_of(deft_view name, deft_view text)
{
    name_word part;
    size_t    at = 0;
    while (next_word(name, &at, &part)) {
        if (deft_view_equal(singular(word_view(&part)), singular(text))) {
            return true;
        }
    }
    return false;
}

static void count_name(topic_counter *counter, deft_view name, deft_view server)
{
    name_word words[2]; // this one and the one before
    uint32_t  before = NO_PLACE;
    size_t    at     = 0;
    for (size_t i = 0; next_word(name, &at, &words[i % 2]); i++) {
        const name_word *current = &words[i % 2];
        if (is_ignored(word_view(current)) || is_word_of(server, word_view(current))) {
            before = NO_PLACE;
        } else {
            const uint32_t place =
                count_one(counter, singular(word_view(current)), word_view(current));
            if (before != NO_PLACE && place != NO_PLACE && before != place) {
                count_pair(counter, before, &words[(i + 1) % 2], place, current);
            }
            before = place;
        }
    }
}

// How good a topic a candidate makes; 0: none.
static uint32_t score(const topic_counter *counter, const candidate *scored)
{
    if (scored->is_pair) {
        const bool is_free = !counter->candidates[scored->first].is_taken &&
                             !counter->candidates[scored->second].is_taken;
        return is_free && scored->count > 1 ? scored->count : 0;
    } else if (scored->is_taken) {
        return 0;
    } else {
        const bool is_paired = scored->pair_best > 1 && scored->pair_best > scored->count / 2;
        return is_paired ? scored->count - scored->pair_best : scored->count;
    }
}

static candidate *best_candidate(const topic_counter *counter)
{
    candidate *best       = NULL;
    uint32_t   best_score = 0;
    for (size_t i = 0; i < counter->count; i++) {
        candidate     *current = &counter->candidates[i];
        const uint32_t value   = score(counter, current);
        if (value > best_score ||
            (value == best_score && value > 0 && current->is_pair && !best->is_pair)) {
            best       = current;
            best_score = value;
        }
    }
    return best;
}

static size_t append_best(deft_buffer *out, topic_counter *counter)
{
    size_t topics = 0;
    for (; topics < TOPICS_MAX; topics++) {
        candidate *best = best_candidate(counter);
        if (best == NULL) {
            break;
        }
        if (best->is_pair) {
            counter->candidates[best->first].is_taken  = true;
            counter->candidates[best->second].is_taken = true;
        } else {
            best->is_taken = true;
        }
        deft_buffer_append_text(out, topics > 0 ? ", " : "");
        deft__clean_append(out, best->text, SIZE_MAX);
    }
    return topics;
}

size_t deft__topics_append(deft_buffer *out, const deft_catalog *catalog, const uint32_t *tools,
                           size_t count)
{
    topic_counter counter = {.candidates = NULL};
    // The names are a server's: a seed that depends on all of them cannot be aimed at.
    deft__map_init(&counter.places, deft_catalog_version(catalog), out->allocator);
    deft__arena_init(&counter.arena, out->allocator);

    for (size_t i = 0; i < count; i++) {
        const deft_tool *tool = deft_catalog_tool(catalog, (deft_tool_id){tools[i]});
        count_name(&counter, tool->name, deft_catalog_server(catalog, tool->server)->name);
    }
    size_t topics = 0;
    if (counter.is_out_of_memory) {
        out->status = DEFT_OUT_OF_MEMORY;
    } else {
        topics = append_best(out, &counter);
    }
    deft__free(out->allocator, counter.candidates, counter.capacity * sizeof(candidate));
    deft__map_clear(&counter.places);
    deft__arena_clear(&counter.arena);
    return topics;
}
