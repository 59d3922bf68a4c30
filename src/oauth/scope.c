#include "oauth/scope.h"

bool deft__oauth_scope_next(deft_view *rest, deft_view *word)
{
    size_t start = 0;
    while (start < rest->size && rest->data[start] == ' ') {
        start++;
    }
    size_t end = start;
    while (end < rest->size && rest->data[end] != ' ') {
        end++;
    }
    *word = deft_view_slice(*rest, start, end - start);
    *rest = deft_view_slice(*rest, end, rest->size);
    return word->size > 0;
}

static bool is_word(deft_view word)
{
    for (size_t i = 0; i < word.size; i++) {
        const char byte = word.data[i];
        if (byte < 0x21 || byte > 0x7e || byte == '"' || byte == '\\') {
            return false;
        }
    }
    return word.size > 0;
}

static bool has(deft_view set, deft_view wanted)
{
    deft_view word;
    while (deft__oauth_scope_next(&set, &word)) {
        if (deft_view_equal(word, wanted)) {
            return true;
        }
    }
    return false;
}

void deft__oauth_scope_add(deft_buffer *set, deft_view scopes)
{
    deft_view word;
    while (deft__oauth_scope_next(&scopes, &word)) {
        if (is_word(word) && set->size + word.size < DEFT__OAUTH_SCOPE_SIZE_MAX &&
            !has(deft_buffer_view(set), word)) {
            deft_buffer_append_text(set, set->size > 0 ? " " : "");
            deft_buffer_append(set, word);
        }
    }
}

bool deft__oauth_scope_has_all(deft_view set, deft_view scopes)
{
    deft_view word;
    while (deft__oauth_scope_next(&scopes, &word)) {
        if (!has(set, word)) {
            return false;
        }
    }
    return true;
}
