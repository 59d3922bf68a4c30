#include "transport/address.h"

#include "base/fail.h"
#include "http/headers.h"
#include "http/syntax.h"
#include "http/target.h"
#include "transport/curl.h"

typedef struct origin {
    bool                 is_https;
    deft__http_authority authority;
} origin;

static bool read_origin(deft_view url, origin *place)
{
    deft_view rest;
    if (!deft__http_read_url(url, &place->is_https, &place->authority, &rest)) {
        return false;
    }
    if (place->authority.port < 0) {
        place->authority.port = place->is_https ? 443 : 80;
    }
    return true;
}

deft_status deft__address_check(deft_view url, bool *is_open, deft_error *error)
{
    origin place;
    if (!read_origin(url, &place)) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "cannot be reached: its url is not http:// or https:// with a host and "
                          "without a user name (credentials go into headers)");
    }
    *is_open = !place.is_https && !deft__http_is_loopback(&place.authority);
    return DEFT_OK;
}

bool deft__address_is_same_origin(deft_view a, deft_view b)
{
    origin one;
    origin other;
    return read_origin(a, &one) && read_origin(b, &other) && one.is_https == other.is_https &&
           one.authority.port == other.authority.port &&
           deft__http_same(one.authority.host, other.authority.host);
}

bool deft__address_resolve(deft_view base, deft_view reference, deft_buffer *out)
{
    const deft__curl *curl = deft__curl_load(NULL);
    deft_buffer       text; // both, each with a NUL
    if (curl == NULL) {
        return false;
    }
    deft_buffer_init(&text, out->allocator);
    deft_buffer_append(&text, base);
    deft_buffer_append_byte(&text, '\0');
    deft_buffer_append(&text, reference);
    deft_buffer_append_byte(&text, '\0');
    bool   is_resolved = false;
    CURLU *url         = curl->url();
    char  *whole       = NULL;
    if (text.status == DEFT_OK && url != NULL &&
        curl->url_set(url, CURLUPART_URL, text.data, 0) == CURLUE_OK &&
        curl->url_set(url, CURLUPART_URL, text.data + base.size + 1, 0) == CURLUE_OK &&
        curl->url_get(url, CURLUPART_URL, &whole, 0) == CURLUE_OK) {
        deft_buffer_append_text(out, whole);
        is_resolved = out->status == DEFT_OK;
    }
    curl->free(whole);
    curl->url_cleanup(url);
    deft_buffer_clear(&text);
    return is_resolved;
}

void deft__address_write_origin(deft_view url, deft_buffer *out)
{
    origin    place;
    deft_view rest;
    if (deft__http_read_url(url, &place.is_https, &place.authority, &rest)) {
        deft_buffer_append(out, deft_view_make(url.data, url.size - rest.size));
    } else {
        deft_buffer_append_text(out, "an address that cannot be read");
    }
}
