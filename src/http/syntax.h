// syntax.h - the characters and small forms that all of HTTP is made of (RFC 9110, section 5.6):
// tokens, values, lists, quoted strings. Nothing here allocates, but for unquoting.
#ifndef DEFT_HTTP_SYNTAX_H
#define DEFT_HTTP_SYNTAX_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>

// What a byte may be part of, as bits of deft__http_class.
enum {
    DEFT__HTTP_TOKEN   = 1 << 0, // names of methods, headers, schemes, parameters
    DEFT__HTTP_TARGET  = 1 << 1, // a request target: visible ASCII, no fragment
    DEFT__HTTP_HOST    = 1 << 2, // a host name: letters, digits, '-', '.', '_'
    DEFT__HTTP_HEX     = 1 << 3,
    DEFT__HTTP_DIGIT   = 1 << 4,
    DEFT__HTTP_TOKEN68 = 1 << 5 // a bearer token or base64, without its '=' at the end
};
extern const unsigned char deft__http_class[256];

static inline bool deft__http_is(char byte, unsigned classes)
{
    return (deft__http_class[(unsigned char)byte] & classes) != 0;
}

// How many bytes at the start of `text` belong to one of `classes`.
size_t deft__http_span(deft_view text, unsigned classes);

// Not empty, and every byte belongs to one of `classes`.
bool deft__http_all(deft_view text, unsigned classes);

// No control byte but tab. Bytes above 0x7e other than DEL are allowed: old peers send them.
bool deft__http_is_value(deft_view text);

// The same but for the case of ASCII letters.
bool deft__http_same(deft_view a, deft_view b);
bool deft__http_same_text(deft_view a, const char *b);

// Without spaces and tabs at both ends.
deft_view deft__http_trim(deft_view text);

// 0 to 15; -1 for anything else.
int deft__http_hex_value(char byte);

// The next item of a list: what stands before a comma outside of quoted strings, trimmed, never
// empty. Takes it off `rest`. False at the end.
bool deft__http_list_next(deft_view *rest, deft_view *item);

// The size of the quoted string at the start of `text`, with both quotes; 0 when there is none or
// it does not end.
size_t deft__http_quoted_size(deft_view text);

// One `name=value` at the start of `text`; the value is a token or a quoted string, with its
// quotes. Returns the bytes it takes; 0 when there is none. Blanks around the '=' are allowed,
// since challenges may have them.
size_t deft__http_parameter(deft_view text, deft_view *name, deft_view *value);

// Appends a parameter's value without its quotes and escapes.
void deft__http_unquote(deft_buffer *out, deft_view value);

#endif
