#include "config/jsonc.h"

#include "base/fail.h"

#include <stdbool.h>
#include <string.h>

// Past the closing quote of the string that opens at `at`; the end when there is none.
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++) {
        if (text[at] == '\\') {
            at++;
        }
    }
    return at < size ? at + 1 : size;
}

// Line ends stay: they carry the line numbers.
static void blank(char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (text[i] != '\n' && text[i] != '\r') {
            text[i] = ' ';
        }
    }
}

// Past the comment that opens at `at`; 0 when it never ends.
static size_t skip_comment(const char *text, size_t size, size_t at)
{
    if (text[at + 1] == '/') {
        while (at < size && text[at] != '\n' && text[at] != '\r') {
            at++;
        }
        return at;
    }
    for (at += 2; at + 1 < size; at++) {
        if (text[at] == '*' && text[at + 1] == '/') {
            return at + 2;
        }
    }
    return 0;
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool opens_comment(const char *text, size_t size, size_t at)
{
    return at + 1 < size && text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*');
}

deft_status deft__jsonc_blank(char *text, size_t size, deft_error *error)
{
    // A comma is a trailing one when a bracket comes next, and something other than an opening
    // bracket or another comma came before: [,] stays the error it is.
    size_t comma     = size;
    bool   has_value = false;
    size_t at        = 0;

    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        blank(text, 0, 3);
    }
    while (at < size) {
        const char byte = text[at];
        if (opens_comment(text, size, at)) {
            const size_t end = skip_comment(text, size, at);
            if (end == 0) {
                return deft__fail(error, DEFT_INVALID, at, "a comment that never ends");
            }
            blank(text, at, end);
            at = end;
        } else if (is_space(byte)) {
            at++;
        } else {
            if ((byte == ']' || byte == '}') && comma < size) {
                text[comma] = ' ';
            }
            comma     = byte == ',' && has_value ? at : size;
            has_value = byte != ',' && byte != '[' && byte != '{' && byte != ':';
            at        = byte == '"' ? skip_string(text, size, at) : at + 1;
        }
    }
    return DEFT_OK;
}

size_t deft__jsonc_skip(const char *text, size_t size, size_t at)
{
    while (at < size && (is_space(text[at]) || opens_comment(text, size, at))) {
        at = is_space(text[at]) ? at + 1 : skip_comment(text, size, at);
    }
    return at;
}
