#include "oauth/url.h"

#include "http/base64.h"
#include "http/headers.h"
#include "http/syntax.h"
#include "http/target.h"

typedef struct place {
    bool                 is_https;
    deft__http_authority authority;
    deft_view            path; // with its query
} place;

static bool read_place(deft_view url, place *out)
{
    if (!deft__http_read_url(url, &out->is_https, &out->authority, &out->path)) {
        return false;
    }
    if (out->authority.port < 0) {
        out->authority.port = out->is_https ? 443 : 80;
    }
    return true;
}

bool deft__oauth_url_is_safe(deft_view url, bool allows_loopback)
{
    place where;
    return url.size <= DEFT__OAUTH_URL_SIZE_MAX && deft__http_all(url, DEFT__HTTP_TARGET) &&
           read_place(url, &where) && where.authority.port > 0 &&
           (deft__http_is_loopback(&where.authority) ? allows_loopback : where.is_https);
}

bool deft__oauth_url_is_loopback(deft_view url)
{
    place where;
    return read_place(url, &where) && deft__http_is_loopback(&where.authority);
}

deft_view deft__oauth_url_origin(deft_view url)
{
    place where;
    return read_place(url, &where) ? deft_view_slice(url, 0, url.size - where.path.size)
                                   : deft_view_of(NULL);
}

// Without query and without slashes at its end; empty for the root.
static deft_view path_of(const place *where)
{
    deft_view path = where->path;
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '?' || path.data[i] == '#') {
            path.size = i;
        }
    }
    while (path.size > 0 && path.data[path.size - 1] == '/') {
        path.size--;
    }
    return path;
}

bool deft__oauth_url_has_path(deft_view url)
{
    place where;
    return read_place(url, &where) && path_of(&where).size > 0;
}

bool deft__oauth_url_covers(deft_view resource, deft_view endpoint)
{
    place one;
    place other;
    if (!read_place(resource, &one) || !read_place(endpoint, &other) ||
        one.is_https != other.is_https || one.authority.port != other.authority.port ||
        !deft__http_same(one.authority.host, other.authority.host)) {
        return false;
    }
    const deft_view above = path_of(&one);
    const deft_view below = path_of(&other);
    return deft_view_starts_with(below, above) &&
           (below.size == above.size || below.data[above.size] == '/');
}

void deft__oauth_url_write_known(deft_view url, deft__oauth_known where, const char *name,
                                 deft_buffer *out)
{
    place           at   = {.path = {NULL, 0}};
    const bool      is   = read_place(url, &at);
    const deft_view path = is ? path_of(&at) : deft_view_of(NULL);
    deft_buffer_append(out, deft__oauth_url_origin(url));
    if (where == DEFT__OAUTH_KNOWN_APPENDED) {
        deft_buffer_append(out, path);
    }
    deft_buffer_append_text(out, "/.well-known/");
    deft_buffer_append_text(out, name);
    if (where == DEFT__OAUTH_KNOWN_INSERTED) {
        deft_buffer_append(out, path);
    }
}

void deft__oauth_escape(deft_buffer *out, deft_view text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
            (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' ||
            byte == '~') {
            deft_buffer_append_byte(out, byte);
        } else {
            const char escape[3] = {'%', digits[(unsigned char)byte >> 4],
                                    digits[(unsigned char)byte & 15]};
            deft_buffer_append(out, deft_view_make(escape, sizeof escape));
        }
    }
}

void deft__oauth_form_add(deft_buffer *out, size_t start, const char *name, deft_view value)
{
    if (out->size > start) {
        deft_buffer_append_byte(out, '&');
    }
    deft_buffer_append_text(out, name);
    deft_buffer_append_byte(out, '=');
    deft__oauth_escape(out, value);
}

void deft__oauth_base64url(deft_buffer *out, deft_view bytes)
{
    const size_t start = out->size;
    deft__base64_write(out, bytes);
    while (out->size > start && out->data[out->size - 1] == '=') {
        deft_buffer_truncate(out, out->size - 1);
    }
    for (size_t i = start; i < out->size; i++) {
        out->data[i] = out->data[i] == '+' ? '-' : out->data[i] == '/' ? '_' : out->data[i];
    }
}
