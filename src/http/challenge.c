#include "http/challenge.h"

#include "http/syntax.h"

// Without blanks and commas in front: empty list items are allowed.
static deft_view skip_commas(deft_view text)
{
    while (text.size > 0 && (text.data[0] == ',' || text.data[0] == ' ' || text.data[0] == '\t')) {
        text = deft_view_slice(text, 1, text.size);
    }
    return text;
}

static deft_view skip(deft_view text, size_t size)
{
    return deft_view_slice(text, size, text.size);
}

// Whether text is at the end of a list item.
static bool is_at_end(deft_view text)
{
    size_t at = 0;
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t')) {
        at++;
    }
    return at == text.size || text.data[at] == ',';
}

// The bytes of a token68 that is the whole rest of a challenge; 0: something else stands there.
static size_t token68_size(deft_view text)
{
    size_t size = deft__http_span(text, DEFT__HTTP_TOKEN68);
    while (size > 0 && size < text.size && text.data[size] == '=') {
        size++;
    }
    return size > 0 && is_at_end(skip(text, size)) ? size : 0;
}

// The parameters at the start of `text`, which ends before the next challenge: a name that no '='
// follows. False: malformed.
static bool take_parameters(deft_view text, deft_view *parameters, deft_view *rest)
{
    const deft_view start = text;
    deft_view       name;
    deft_view       value;
    size_t          size = 0;
    size_t          end  = 0;
    while ((size = deft__http_parameter(text, &name, &value)) > 0) {
        text = skip(text, size);
        end  = start.size - text.size;
        if (!is_at_end(text)) {
            return false;
        }
        text = skip_commas(text);
    }
    *parameters = deft_view_slice(start, 0, end);
    *rest       = text;
    return end > 0;
}

deft_status deft__http_challenge_next(deft_view *rest, deft__http_challenge *challenge)
{
    deft__http_challenge found = {0};
    const deft_view      text  = skip_commas(*rest);
    *rest                      = deft_view_make(NULL, 0);
    if (text.size == 0) {
        return DEFT_NOT_FOUND;
    }
    const size_t size = deft__http_span(text, DEFT__HTTP_TOKEN);
    if (size == 0) {
        return DEFT_INVALID;
    }
    found.scheme = deft_view_slice(text, 0, size);

    deft_view after = skip(text, size);
    if (is_at_end(after)) {
        *rest = after; // a scheme alone
    } else if (after.data[0] != ' ') {
        return DEFT_INVALID;
    } else {
        after              = deft__http_trim(after);
        const size_t token = token68_size(after);
        if (token > 0) {
            found.token = deft_view_slice(after, 0, token);
            *rest       = skip(after, token);
        } else if (!take_parameters(after, &found.parameters, rest)) {
            *rest = deft_view_make(NULL, 0);
            return DEFT_INVALID;
        }
    }
    *challenge = found;
    return DEFT_OK;
}

bool deft__http_challenge_parameter(const deft__http_challenge *challenge, const char *name,
                                    deft_buffer *value)
{
    deft_view text = challenge->parameters;
    deft_view found;
    deft_view written;
    size_t    size = 0;
    while ((size = deft__http_parameter(text, &found, &written)) > 0) {
        if (deft__http_same_text(found, name)) {
            deft__http_unquote(value, written);
            return true;
        }
        text = skip_commas(skip(text, size));
    }
    return false;
}
