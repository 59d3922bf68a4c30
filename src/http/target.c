#include "http/target.h"

#include "base/fail.h"
#include "base/utf8.h"
#include "http/syntax.h"

// At most five digits and at most 65535; -1 otherwise.
static int read_port(deft_view digits)
{
    if (digits.size > 5 || !deft__http_all(digits, DEFT__HTTP_DIGIT)) {
        return -1;
    }
    int port = 0;
    for (size_t i = 0; i < digits.size; i++) {
        port = port * 10 + (digits.data[i] - '0');
    }
    return port <= 65535 ? port : -1;
}

// The letters of an IPv6 address; what they mean is for whoever compares it.
static bool is_ipv6(deft_view text)
{
    size_t colons = 0;
    for (size_t i = 0; i < text.size; i++) {
        colons += text.data[i] == ':';
        if (!deft__http_is(text.data[i], DEFT__HTTP_HEX) && text.data[i] != ':' &&
            text.data[i] != '.') {
            return false;
        }
    }
    return colons >= 2 && text.size <= 45; // INET6_ADDRSTRLEN without its NUL
}

bool deft__http_read_authority(deft_view text, deft__http_authority *authority)
{
    deft__http_authority read = {.port = -1};
    size_t               end  = 0;
    if (text.size > 0 && text.data[0] == '[') {
        const char *bracket = memchr(text.data, ']', text.size);
        if (bracket == NULL) {
            return false;
        }
        end          = (size_t)(bracket - text.data) + 1;
        read.host    = deft_view_slice(text, 1, end - 2);
        read.is_ipv6 = true;
        if (!is_ipv6(read.host)) {
            return false;
        }
    } else {
        end       = deft__http_span(text, DEFT__HTTP_HOST);
        read.host = deft_view_slice(text, 0, end);
        if (end == 0) {
            return false;
        }
    }

    if (end < text.size) {
        read.port = read_port(deft_view_slice(text, end + 1, text.size));
        if (text.data[end] != ':' || read.port < 0) {
            return false;
        }
    }
    *authority = read;
    return true;
}

bool deft__http_read_url(deft_view text, bool *is_https, deft__http_authority *authority,
                         deft_view *rest)
{
    const bool is_secure = deft__http_same_text(deft_view_slice(text, 0, 8), "https://");
    if (!is_secure && !deft__http_same_text(deft_view_slice(text, 0, 7), "http://")) {
        return false;
    }
    const deft_view after = deft_view_slice(text, is_secure ? 8 : 7, text.size);
    size_t          end   = 0;
    while (end < after.size && after.data[end] != '/' && after.data[end] != '?' &&
           after.data[end] != '#') {
        end++;
    }
    if (!deft__http_read_authority(deft_view_slice(after, 0, end), authority)) {
        return false;
    }
    *is_https = is_secure;
    *rest     = deft_view_slice(after, end, after.size);
    return true;
}

bool deft__http_path_next(deft_view *path, deft_view *segment)
{
    if (path->size == 0 || path->data[0] != '/') {
        return false;
    }
    const deft_view after = deft_view_slice(*path, 1, path->size);
    const char     *slash = after.size > 0 ? memchr(after.data, '/', after.size) : NULL;
    const size_t    size  = slash != NULL ? (size_t)(slash - after.data) : after.size;
    *segment              = deft_view_slice(after, 0, size);
    *path                 = deft_view_slice(after, size, after.size);
    return true;
}

// Appends `text` unescaped; what was appended is taken back when it is refused.
static deft_status unescape(deft_buffer *out, deft_view text, bool plus_is_space, deft_error *error)
{
    const size_t start = out->size;
    for (size_t at = 0; at < text.size; at++) {
        char byte = text.data[at];
        if (byte == '%') {
            const int high = at + 2 < text.size ? deft__http_hex_value(text.data[at + 1]) : -1;
            const int low  = at + 2 < text.size ? deft__http_hex_value(text.data[at + 2]) : -1;
            if (high < 0 || low < 0) {
                deft_buffer_truncate(out, start);
                return deft__fail(error, DEFT_INVALID, at, "'%%' wants two hex digits behind it");
            }
            byte = (char)(high * 16 + low);
            at += 2;
        } else if (byte == '+' && plus_is_space) {
            byte = ' ';
        }
        if ((unsigned char)byte < 0x20 || byte == 0x7f) {
            deft_buffer_truncate(out, start);
            return deft__fail(error, DEFT_INVALID, at, "a control character is not allowed here");
        }
        deft_buffer_append_byte(out, byte);
    }
    if (out->status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    const deft_view plain = deft_view_slice(deft_buffer_view(out), start, out->size);
    if (deft__utf8_valid_size(plain) != plain.size) {
        deft_buffer_truncate(out, start);
        return deft__fail(error, DEFT_INVALID, 0, "the unescaped text is not UTF-8");
    }
    return DEFT_OK;
}

deft_status deft__http_unescape_segment(deft_buffer *out, deft_view segment, deft_error *error)
{
    const size_t start  = out->size;
    deft_status  status = unescape(out, segment, false, error);
    if (status != DEFT_OK) {
        return status;
    }
    const deft_view plain = deft_view_slice(deft_buffer_view(out), start, out->size);
    if (deft_view_equals(plain, ".") || deft_view_equals(plain, "..") ||
        (plain.size > 0 && (memchr(plain.data, '/', plain.size) != NULL ||
                            memchr(plain.data, '\\', plain.size) != NULL))) {
        deft_buffer_truncate(out, start);
        status = deft__fail(error, DEFT_INVALID, 0,
                            "a path segment holds no slashes and is not '.' or '..'");
    }
    return status;
}

deft_status deft__http_unescape_query(deft_buffer *out, deft_view text, deft_error *error)
{
    return unescape(out, text, true, error);
}

bool deft__http_query_next(deft_view *query, deft_view *name, deft_view *value)
{
    while (query->size > 0) {
        const char     *ampersand = memchr(query->data, '&', query->size);
        const size_t    size  = ampersand != NULL ? (size_t)(ampersand - query->data) : query->size;
        const deft_view pair  = deft_view_slice(*query, 0, size);
        *query                = deft_view_slice(*query, size + 1, query->size);
        const char  *equals   = pair.size > 0 ? memchr(pair.data, '=', pair.size) : NULL;
        const size_t name_end = equals != NULL ? (size_t)(equals - pair.data) : pair.size;
        if (pair.size > 0) {
            *name  = deft_view_slice(pair, 0, name_end);
            *value = deft_view_slice(pair, name_end + 1, pair.size);
            return true;
        }
    }
    return false;
}
