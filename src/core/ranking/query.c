#include "core/ranking/query.h"

#include "base/fail.h"

static const deft_view select_prefix = DEFT_VIEW_INIT("select:");
static const deft_view server_prefix = DEFT_VIEW_INIT("server:");

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\0';
}

static deft_view trimmed(deft_view text)
{
    while (text.size > 0 && is_space(text.data[0])) {
        text = deft_view_slice(text, 1, text.size);
    }
    while (text.size > 0 && is_space(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

// Without white space and without one pair of quotes around it.
static deft_view unquoted(deft_view text)
{
    text = trimmed(text);
    if (text.size >= 2 && (text.data[0] == '"' || text.data[0] == '\'') &&
        text.data[text.size - 1] == text.data[0]) {
        text = trimmed(deft_view_slice(text, 1, text.size - 2));
    }
    return text;
}

// The size of the first word; `server:"two words"` is one.
static size_t word_size(deft_view text)
{
    size_t at        = 0;
    bool   is_quoted = false;
    if (deft_view_starts_with(text, server_prefix) && text.size > server_prefix.size &&
        text.data[server_prefix.size] == '"') {
        is_quoted = true;
        at        = server_prefix.size + 1;
    }
    while (at < text.size && (is_quoted ? text.data[at] != '"' : !is_space(text.data[at]))) {
        at++;
    }
    return is_quoted && at < text.size ? at + 1 : at;
}

static deft_status parse_names(deft__query *query, deft_view text, deft_error *error)
{
    query->is_selection = true;
    while (text.size > 0) {
        const char     *comma = memchr(text.data, ',', text.size);
        const size_t    size  = comma != NULL ? (size_t)(comma - text.data) : text.size;
        const deft_view name  = unquoted(deft_view_slice(text, 0, size));
        text                  = deft_view_slice(text, size + 1, text.size);
        if (name.size == 0) {
            continue;
        }
        if (query->name_count == DEFT_QUERY_NAMES_MAX) {
            return deft__fail(error, DEFT_LIMIT, 0, "select: names more than %u tools",
                              DEFT_QUERY_NAMES_MAX);
        }
        query->names[query->name_count++] = name;
    }
    return DEFT_OK;
}

static void append_word(deft__query *query, deft_view word)
{
    if (query->words_size > 0) {
        query->words[query->words_size++] = ' ';
    }
    memcpy(query->words + query->words_size, word.data, word.size);
    query->words_size += word.size;
}

// A `+` or a `-` before a letter; a number may have a sign, as in "+49 30" and "-5 degrees".
static bool has_operator(deft_view word, char operator)
{
    return word.size > 1 &&
           word.data[0] == operator&&((word.data[1] >= 'a' && word.data[1] <= 'z') ||
                                      (word.data[1] >= 'A' && word.data[1] <= 'Z') ||
                                      (unsigned char)word.data[1] >= 0x80);
}

static deft_status parse_word(deft__query *query, deft_view word, deft_error *error)
{
    if (deft_view_starts_with(word, server_prefix) && word.size > server_prefix.size) {
        if (query->server_count == DEFT_QUERY_SERVERS_MAX) {
            return deft__fail(error, DEFT_LIMIT, 0, "the query has server: more than %u times",
                              DEFT_QUERY_SERVERS_MAX);
        }
        query->servers[query->server_count++] =
            unquoted(deft_view_slice(word, server_prefix.size, word.size));
    } else if (has_operator(word, '+')) {
        const deft_view required = deft_view_slice(word, 1, word.size);
        if (query->required_count == DEFT_QUERY_TERMS_MAX) {
            return deft__fail(error, DEFT_LIMIT, 0, "the query has more than %u words with a +",
                              DEFT_QUERY_TERMS_MAX);
        }
        query->required[query->required_count++] = required;
        append_word(query, required);
    } else if (has_operator(word, '-')) {
        if (query->excluded_count == DEFT_QUERY_TERMS_MAX) {
            return deft__fail(error, DEFT_LIMIT, 0, "the query has more than %u words with a -",
                              DEFT_QUERY_TERMS_MAX);
        }
        query->excluded[query->excluded_count++] = deft_view_slice(word, 1, word.size);
    } else {
        append_word(query, word);
    }
    return DEFT_OK;
}

// `/pattern/`, with an i behind it where case does not count.
static bool parse_pattern(deft__query *query, deft_view text)
{
    if (text.size < 3 || text.data[0] != '/') {
        return false;
    }
    const bool   is_caseless = text.data[text.size - 1] == 'i';
    const size_t end         = text.size - (is_caseless ? 2 : 1);
    if (end < 2 || text.data[end] != '/') {
        return false;
    }
    query->is_pattern  = true;
    query->is_caseless = is_caseless;
    query->pattern     = deft_view_slice(text, 1, end - 1);
    return true;
}

static bool is_need_separator(char byte)
{
    return is_space(byte) || byte == ',' || byte == ';';
}

// `"create issue", "send mail"`: nothing but texts in quotes, at least two of them.
static void parse_needs(deft__query *query, deft_view text)
{
    size_t at    = 0;
    size_t count = 0;
    while (at < text.size) {
        if (is_need_separator(text.data[at])) {
            at++;
            continue;
        }
        const char *end =
            text.data[at] == '"' ? memchr(text.data + at + 1, '"', text.size - at - 1) : NULL;
        if (end == NULL) {
            return;
        }
        const deft_view need =
            trimmed(deft_view_make(text.data + at + 1, (size_t)(end - text.data) - at - 1));
        if (need.size > 0 && count < DEFT_QUERY_NEEDS_MAX) {
            query->needs[count++] = need;
        }
        at = (size_t)(end - text.data) + 1;
    }
    query->need_count = count > 1 ? count : 0;
}

// What both ways of reading share. `text` comes back trimmed, for the rest.
static deft_status begin(deft__query *query, deft_view *text, deft_error *error)
{
    query->is_selection   = false;
    query->name_count     = 0;
    query->server_count   = 0;
    query->required_count = 0;
    query->excluded_count = 0;
    query->is_pattern     = false;
    query->need_count     = 0;
    query->words_size     = 0;
    if (text->size > DEFT_QUERY_SIZE_MAX) {
        return deft__fail(error, DEFT_LIMIT, DEFT_QUERY_SIZE_MAX,
                          "the query has %zu bytes; at most %u are accepted: a few keywords do",
                          text->size, DEFT_QUERY_SIZE_MAX);
    }
    *text = trimmed(*text);
    if (deft_view_starts_with(*text, select_prefix)) {
        return parse_names(query, deft_view_slice(*text, select_prefix.size, text->size), error);
    }
    return DEFT_OK;
}

deft_status deft__query_parse(deft__query *query, deft_view text, deft_error *error)
{
    deft_status status = begin(query, &text, error);
    if (status != DEFT_OK || query->is_selection || parse_pattern(query, text)) {
        return status;
    }
    parse_needs(query, text);
    while (status == DEFT_OK && text.size > 0) {
        const size_t size = word_size(text);
        status            = parse_word(query, deft_view_slice(text, 0, size), error);
        text              = trimmed(deft_view_slice(text, size, text.size));
    }
    return status;
}

deft_status deft__query_parse_plain(deft__query *query, deft_view text, deft_error *error)
{
    const deft_status status = begin(query, &text, error);
    if (status == DEFT_OK && !query->is_selection && text.size > 0) {
        append_word(query, text);
    }
    return status;
}
