// Names in a query. A model pastes what it has seen: `create_issue`, `github::create_issue`,
// `mcp__github__create_issue`, several at once, or the name as words. Such a tool is what was meant,
// whatever the words score.
#include "core/ranking/searcher.h"

static bool add_tool(deft_tool_id *tools, size_t *count, size_t max, uint32_t tool)
{
    for (size_t i = 0; i < *count; i++) {
        if (tools[i].index == tool) {
            return true;
        }
    }
    if (*count == max) {
        return false;
    }
    tools[(*count)++] = (deft_tool_id){tool};
    return true;
}

static void add_named(const deft_index *index, deft_view text, deft_tool_id *tools, size_t *count,
                      size_t max)
{
    char            squeezed[DEFT_QUERY_SIZE_MAX];
    const size_t    size = deft__squeeze(text, squeezed);
    const deft_view name = deft_view_make(squeezed, size);
    for (uint32_t tool = deft__spellings_find(&index->spellings, name);
         tool != DEFT__NONE && add_tool(tools, count, max, tool);
         tool = index->spellings.next[tool]) {
    }
}

static bool is_letter_or_digit(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (unsigned char)byte >= 0x80;
}

// Whether a word of the query can only be an identifier: joined by `_`, `::`, `.`, `-` or `/`
// inside, or with a capital after a small letter.
static bool is_identifier(deft_view word)
{
    for (size_t i = 1; i + 1 < word.size; i++) {
        const char before = word.data[i - 1];
        const char here   = word.data[i];
        const bool is_joint =
            here == '_' || here == ':' || here == '.' || here == '-' || here == '/';
        if (is_joint && (is_letter_or_digit(before) || before == here)) {
            return true;
        }
        if (before >= 'a' && before <= 'z' && here >= 'A' && here <= 'Z') {
            return true;
        }
    }
    return false;
}

// Without the punctuation around a name in a list or a sentence.
static deft_view stripped(deft_view word)
{
    while (word.size > 0 && !is_letter_or_digit(word.data[0]) && word.data[0] != '_') {
        word = deft_view_slice(word, 1, word.size);
    }
    while (word.size > 0 && !is_letter_or_digit(word.data[word.size - 1]) &&
           word.data[word.size - 1] != '_') {
        word.size--;
    }
    return word;
}

static bool is_between_names(char byte)
{
    return byte == ' ' || byte == ',' || byte == ';' || byte == '\t' || byte == '\n';
}

size_t deft__exact_tools(const deft_index *index, deft_view words, deft_tool_id *tools, size_t max)
{
    size_t count = 0;
    add_named(index, words, tools, &count, max);

    size_t at = 0;
    while (at < words.size && count < max) {
        size_t end = at;
        while (end < words.size && !is_between_names(words.data[end])) {
            end++;
        }
        const deft_view word = stripped(deft_view_slice(words, at, end - at));
        deft_tool_id    tool = {0};
        if (is_identifier(word)) {
            if (deft_catalog_resolve(index->catalog, word, &tool, NULL) == DEFT_OK) {
                (void)add_tool(tools, &count, max, tool.index);
            } else {
                add_named(index, word, tools, &count, max);
            }
        }
        at = end + 1;
    }
    return count;
}
