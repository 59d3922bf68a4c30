// Any bytes as the value of every header that is taken apart. What comes out lies inside what went
// in, lists and challenges come to an end, and what is encoded is decoded to the same.
#include "fuzz/fuzz.h"
#include "http/base64.h"
#include "http/challenge.h"
#include "http/headers.h"
#include "http/response.h"
#include "http/syntax.h"

// A view is a part of the input.
static void check_inside(deft_view part, deft_view all)
{
    check(part.size <= all.size);
    check(part.size == 0 ||
          (part.data >= all.data && part.data + part.size <= all.data + all.size));
}

static void check_lists(deft_view text)
{
    deft_view rest = text;
    deft_view item;
    while (deft__http_list_next(&rest, &item)) {
        check(item.size > 0);
        check_inside(item, text);
    }
    check(rest.size == 0);

    deft_view parameter;
    if (deft__http_media_parameter(text, "charset", &parameter)) {
        check(parameter.size > 0);
        check_inside(parameter, text);
    }
    check(!deft__http_is_json(text) || deft__http_is_media_type(text, "application/json"));
}

static void check_challenges(deft_view text, deft_buffer *out)
{
    deft_view            rest = text;
    deft__http_challenge challenge;
    deft_status          status;
    size_t               left = SIZE_MAX;
    while ((status = deft__http_challenge_next(&rest, &challenge)) == DEFT_OK) {
        check(rest.size < left); // it gets shorter
        left = rest.size;
        check(challenge.scheme.size > 0);
        check(challenge.token.size == 0 || challenge.parameters.size == 0);
        check_inside(challenge.scheme, text);
        check_inside(challenge.token, text);
        check_inside(challenge.parameters, text);
        (void)deft__http_challenge_parameter(&challenge, "scope", out);
    }
    check(status == DEFT_INVALID || status == DEFT_NOT_FOUND);
    check(rest.size == 0);
}

static void check_hosts(deft_view text)
{
    const deft_view      allowed[] = {text, DEFT_VIEW_INIT("h:80")};
    deft__http_authority host;
    bool                 is_https;
    deft_view            rest;
    if (deft__http_read_authority(text, &host)) {
        check(host.host.size > 0 && host.port >= -1 && host.port <= 65535);
        check_inside(host.host, text);
        check(deft__http_allows_host(&host, false, allowed, 2)); // it is itself
        check(!deft__http_allows_host(&host, false, allowed, 0));
    }
    if (deft__http_read_url(text, &is_https, &host, &rest)) {
        check_inside(rest, text);
        check(deft__http_allows_origin(text, false, allowed, 1) == (rest.size == 0));
    }
    deft_view token;
    if (deft__http_bearer(text, &token) == DEFT_OK) {
        check(token.size > 0 && deft__http_is_value(token));
        check_inside(token, text);
    }
}

static void check_paths(deft_view text, deft_buffer *out)
{
    deft_view path = text;
    deft_view segment;
    while (deft__http_path_next(&path, &segment)) {
        deft_error error = DEFT_ERROR_INIT;
        deft_buffer_reset(out);
        if (deft__http_unescape_segment(out, segment, &error) == DEFT_OK) {
            check(out->size == 0 || memchr(out->data, '/', out->size) == NULL);
            check(deft__http_is_value(deft_buffer_view(out)));
        } else {
            check(out->size == 0 && error.message[0] != '\0');
        }
    }
    deft_view query = text;
    deft_view name;
    deft_view value;
    while (deft__http_query_next(&query, &name, &value)) {
        check_inside(name, text);
        check_inside(value, text);
        deft_buffer_reset(out);
        (void)deft__http_unescape_query(out, value, NULL);
    }
}

// Encoded, any UTF-8 is a header's value and decodes to itself. Base64 is for any bytes.
static void check_encoding(deft_view text, deft_buffer *out)
{
    deft_buffer room;
    deft_view   decoded;
    deft_error  error;
    deft_buffer_init(&room, NULL);
    deft_buffer_reset(out);
    deft__http_mcp_encode(out, text);
    check(deft__http_is_value(deft_buffer_view(out)));
    const deft_status status =
        deft__http_mcp_decode(deft_buffer_view(out), &room, &decoded, &error);
    if (status == DEFT_OK) {
        check(deft_view_equal(decoded, text));
    }
    deft_buffer_reset(&room);
    deft_buffer_reset(out);
    deft__base64_write(out, text);
    check(deft__base64_read(&room, deft_buffer_view(out)));
    check(deft_view_equal(deft_buffer_view(&room), text));
    deft_buffer_reset(&room);
    if (deft__base64_read(&room, text)) { // there is one way to write it
        deft_buffer_reset(out);
        deft__base64_write(out, deft_buffer_view(&room));
        check(deft_view_equal(deft_buffer_view(out), text));
    }
    deft_buffer_reset(&room);
    if (deft__http_mcp_decode(text, &room, &decoded, &error) != DEFT_OK) {
        check(room.size == 0 && error.message[0] != '\0');
    }
    deft_buffer_clear(&room);
}

// A header that is written is one line, or nothing.
static void check_written(deft_view text, deft_buffer *out)
{
    deft_buffer_reset(out);
    deft__http_header_text(out, "A", text);
    if (out->status == DEFT_OK) {
        check(out->size == text.size + 5);
        check(memchr(out->data, '\n', out->size) == out->data + out->size - 1);
    } else {
        check(!deft__http_is_value(text));
    }
    deft_buffer_reset(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view         text      = deft_view_make((const char *)data, size);
    const deft__http_header headers[] = {{DEFT_VIEW_INIT("Accept"), text},
                                         {DEFT_VIEW_INIT("Mcp-Session-Id"), text}};
    const deft__http_head   head      = {.headers = headers, .header_count = 2};
    deft__http_mcp_headers  mcp;
    deft_buffer             out;
    deft_buffer_init(&out, NULL);
    check_lists(text);
    check_challenges(text, &out);
    check_hosts(text);
    check_paths(text, &out);
    check_encoding(text, &out);
    check_written(text, &out);
    (void)deft__http_accepts(&head, "text/event-stream");
    (void)deft__http_read_mcp_headers(&head, &mcp, NULL);
    deft_buffer_clear(&out);
    return 0;
}
