#include "http/headers.h"

#include "base/fail.h"
#include "base/utf8.h"
#include "http/base64.h"
#include "http/syntax.h"

// --- Media types. ---------------------------------------------------------------------------------

// `type/subtype` at the start of `value`; what follows is parameters. False: not well formed.
static bool split_media(deft_view value, deft_view *type, deft_view *parameters)
{
    const deft_view text  = deft__http_trim(value);
    const size_t    slash = deft__http_span(text, DEFT__HTTP_TOKEN);
    if (slash == 0 || slash == text.size || text.data[slash] != '/') {
        return false;
    }
    const size_t subtype =
        deft__http_span(deft_view_slice(text, slash + 1, text.size), DEFT__HTTP_TOKEN);
    const size_t end = slash + 1 + subtype;
    *type            = deft_view_slice(text, 0, end);
    *parameters      = deft__http_trim(deft_view_slice(text, end, text.size));
    return subtype > 0 && (parameters->size == 0 || parameters->data[0] == ';');
}

// The next parameter of "; a=b; c=d"; takes it off `rest`. False at the end, and where the form is
// broken: then `rest` is not empty.
static bool next_parameter(deft_view *rest, deft_view *name, deft_view *value)
{
    while (rest->size > 0 && rest->data[0] == ';') {
        const deft_view after = deft__http_trim(deft_view_slice(*rest, 1, rest->size));
        const size_t    size  = deft__http_parameter(after, name, value);
        if (size > 0) {
            *rest = deft__http_trim(deft_view_slice(after, size, after.size));
            return true;
        } else if (after.size > 0 && after.data[0] != ';') {
            return false;
        }
        *rest = after; // ";;" and ";" at the end do no harm
    }
    return false;
}

static bool are_parameters(deft_view rest)
{
    deft_view name;
    deft_view value;
    while (next_parameter(&rest, &name, &value)) {
    }
    return rest.size == 0;
}

bool deft__http_is_media_type(deft_view value, const char *type)
{
    deft_view found;
    deft_view parameters;
    return split_media(value, &found, &parameters) && deft__http_same_text(found, type) &&
           are_parameters(parameters);
}

bool deft__http_media_parameter(deft_view value, const char *name, deft_view *parameter)
{
    deft_view type;
    deft_view rest;
    deft_view found;
    deft_view text;
    if (!split_media(value, &type, &rest)) {
        return false;
    }
    while (next_parameter(&rest, &found, &text)) {
        if (deft__http_same_text(found, name)) {
            *parameter = text;
            return true;
        }
    }
    return false;
}

bool deft__http_is_json(deft_view value)
{
    deft_view charset;
    return deft__http_is_media_type(value, "application/json") &&
           (!deft__http_media_parameter(value, "charset", &charset) ||
            deft__http_same_text(charset, "utf-8") || deft__http_same_text(charset, "\"utf-8\""));
}

// How well a range of an Accept header fits: 0 not at all, 1 "*/*", 2 "text/*", 3 exactly.
static int fit_of(deft_view range, deft_view type)
{
    const size_t slash = deft__http_span(type, DEFT__HTTP_TOKEN);
    if (deft_view_equals(range, "*/*")) {
        return 1;
    } else if (range.size == slash + 2 && range.data[slash + 1] == '*' &&
               deft__http_same(deft_view_slice(range, 0, slash + 1),
                               deft_view_slice(type, 0, slash + 1))) {
        return 2;
    } else {
        return deft__http_same(range, type) ? 3 : 0;
    }
}

// "0", "0.0", "0.000": anything else is more than nothing.
static bool is_zero(deft_view weight)
{
    for (size_t i = 0; i < weight.size; i++) {
        if (weight.data[i] != '0' && !(i == 1 && weight.data[i] == '.')) {
            return false;
        }
    }
    return weight.size > 0;
}

// What the ranges of Accept headers say of one type, so far.
typedef struct acceptance {
    deft_view type;
    int       fit; // of the best range
    bool      is_accepted;
} acceptance;

static void read_range(deft_view item, acceptance *found)
{
    deft_view range;
    deft_view parameters;
    deft_view weight;
    if (!split_media(item, &range, &parameters)) {
        return;
    }
    const int fit = fit_of(range, found->type);
    if (fit == 0 || fit < found->fit) {
        return;
    }
    const bool is_wanted = parameters.size == 0 ||
                           !(deft__http_media_parameter(item, "q", &weight) && is_zero(weight));
    found->is_accepted = is_wanted || (fit == found->fit && found->is_accepted);
    found->fit         = fit;
}

bool deft__http_accepts(const deft__http_head *head, const char *type)
{
    acceptance found   = {.type = deft_view_of(type)};
    bool       has_any = false;
    for (size_t i = 0; i < head->header_count; i++) {
        deft_view rest = head->headers[i].value;
        deft_view item;
        if (head->headers[i].name.size == sizeof "Accept" - 1 &&
            deft__http_same_text(head->headers[i].name, "Accept")) {
            has_any = true;
            while (deft__http_list_next(&rest, &item)) {
                read_range(item, &found);
            }
        }
    }
    return !has_any || found.is_accepted;
}

// --- Who asks. ------------------------------------------------------------------------------------

bool deft__http_is_loopback(const deft__http_authority *host)
{
    return host->is_ipv6 ? deft_view_equals(host->host, "::1")
                         : deft__http_same_text(host->host, "localhost") ||
                               deft_view_equals(host->host, "127.0.0.1");
}

static bool is_same_host(const deft__http_authority *a, const deft__http_authority *b)
{
    return a->is_ipv6 == b->is_ipv6 && deft__http_same(a->host, b->host);
}

bool deft__http_allows_host(const deft__http_authority *host, bool allows_loopback,
                            const deft_view *names, size_t count)
{
    if (host->host.size == 0) {
        return false; // HTTP/1.0 without Host
    } else if (allows_loopback && deft__http_is_loopback(host)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        deft__http_authority allowed;
        if (deft__http_read_authority(names[i], &allowed) && is_same_host(host, &allowed) &&
            (allowed.port < 0 || allowed.port == host->port)) {
            return true;
        }
    }
    return false;
}

typedef struct page_origin {
    deft__http_authority host; // with the scheme's own port where none is written
    bool                 is_https;
} page_origin;

static bool read_origin(deft_view text, page_origin *read)
{
    deft_view rest;
    if (!deft__http_read_url(text, &read->is_https, &read->host, &rest) || rest.size > 0) {
        return false;
    }
    if (read->host.port < 0) {
        read->host.port = read->is_https ? 443 : 80;
    }
    return true;
}

bool deft__http_allows_origin(deft_view origin, bool allows_loopback, const deft_view *origins,
                              size_t count)
{
    page_origin asking;
    if (!read_origin(origin, &asking)) {
        return false;
    } else if (allows_loopback && deft__http_is_loopback(&asking.host)) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        page_origin allowed;
        if (read_origin(origins[i], &allowed) && allowed.is_https == asking.is_https &&
            is_same_host(&allowed.host, &asking.host) && allowed.host.port == asking.host.port) {
            return true;
        }
    }
    return false;
}

deft_status deft__http_bearer(deft_view authorization, deft_view *token)
{
    static const char scheme[] = "Bearer";
    const deft_view   name     = deft_view_slice(authorization, 0, sizeof scheme - 1);
    const deft_view   after    = deft_view_slice(authorization, sizeof scheme - 1, SIZE_MAX);
    if (!deft__http_same_text(name, scheme) ||
        (after.size > 0 && deft__http_is(after.data[0], DEFT__HTTP_TOKEN))) {
        return DEFT_NOT_FOUND;
    }
    const deft_view text = deft__http_trim(after);
    size_t          size = deft__http_span(text, DEFT__HTTP_TOKEN68);
    if (size == 0) {
        return DEFT_INVALID;
    }
    while (size < text.size && text.data[size] == '=') {
        size++;
    }
    // A blank is what separates: "Bearer:x" and "Bearer=x" are something else.
    if (size < text.size || (after.data[0] != ' ' && after.data[0] != '\t')) {
        return DEFT_INVALID;
    }
    *token = text;
    return DEFT_OK;
}

// --- MCP. -----------------------------------------------------------------------------------------

// Visible ASCII, which is what a session id may consist of.
static bool is_visible(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < 0x21 || text.data[i] > 0x7e) {
            return false;
        }
    }
    return true;
}

static deft_status find_once(const deft__http_head *head, const char *name, deft_view *value,
                             bool *has_it, deft_error *error)
{
    const deft_status status = deft__http_find(head, name, value);
    if (status == DEFT_DUPLICATE) {
        return deft__fail(error, status, 0, "the header %s was sent twice", name);
    }
    *has_it = status == DEFT_OK;
    return DEFT_OK;
}

deft_status deft__http_read_mcp_headers(const deft__http_head  *head,
                                        deft__http_mcp_headers *headers, deft_error *error)
{
    deft__http_mcp_headers read   = {0};
    bool                   has_it = false;
    deft_status            status =
        find_once(head, "MCP-Protocol-Version", &read.protocol_version, &has_it, error);
    if (status == DEFT_OK) {
        status = find_once(head, "Mcp-Method", &read.method, &read.has_method, error);
    }
    if (status == DEFT_OK) {
        status = find_once(head, "Mcp-Name", &read.name, &read.has_name, error);
    }
    if (status == DEFT_OK) {
        status = find_once(head, "Mcp-Session-Id", &read.session_id, &has_it, error);
    }
    if (status == DEFT_OK) {
        status = find_once(head, "Last-Event-ID", &read.last_event_id, &has_it, error);
    }
    if (status == DEFT_OK && !is_visible(read.session_id)) {
        status = deft__fail(error, DEFT_INVALID, 0, "Mcp-Session-Id holds more than visible ASCII");
    }
    if (status == DEFT_OK) {
        *headers = read;
    }
    return status;
}

bool deft__http_mcp_parameter_next(const deft__http_head *head, size_t *at, deft_view *name,
                                   deft_view *value)
{
    const deft_view prefix = deft_view_of("Mcp-Param-");
    while (*at < head->header_count) {
        const deft__http_header *header = &head->headers[(*at)++];
        if (header->name.size > prefix.size &&
            deft__http_same(deft_view_slice(header->name, 0, prefix.size), prefix)) {
            *name  = deft_view_slice(header->name, prefix.size, header->name.size);
            *value = header->value;
            return true;
        }
    }
    return false;
}

static const deft_view encoded_start = DEFT_VIEW_INIT("=?base64?");
static const deft_view encoded_end   = DEFT_VIEW_INIT("?=");

static bool is_encoded(deft_view text)
{
    const size_t around = encoded_start.size + encoded_end.size;
    return text.size >= around && deft_view_starts_with(text, encoded_start) &&
           deft_view_equal(deft_view_slice(text, text.size - encoded_end.size, text.size),
                           encoded_end);
}

static bool is_printable(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < 0x20 || text.data[i] > 0x7e) {
            return false;
        }
    }
    return true;
}

deft_status deft__http_mcp_decode(deft_view value, deft_buffer *room, deft_view *text,
                                  deft_error *error)
{
    const deft_view trimmed = deft__http_trim(value);
    if (!is_encoded(trimmed)) {
        if (!is_printable(trimmed)) {
            return deft__fail(error, DEFT_INVALID, 0,
                              "a value with other than printable ASCII is sent as =?base64?...?=");
        }
        *text = trimmed;
        return DEFT_OK;
    }

    const size_t    start = room->size;
    const deft_view inner = deft_view_slice(trimmed, encoded_start.size,
                                            trimmed.size - encoded_start.size - encoded_end.size);
    if (!deft__base64_read(room, inner)) {
        return deft__fail(error, DEFT_INVALID, encoded_start.size, "this is not base64");
    } else if (room->status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    const deft_view decoded = deft_view_slice(deft_buffer_view(room), start, room->size);
    if (deft__utf8_valid_size(decoded) != decoded.size) {
        deft_buffer_truncate(room, start);
        return deft__fail(error, DEFT_INVALID, encoded_start.size,
                          "what is base64 here is not UTF-8");
    }
    *text = decoded;
    return DEFT_OK;
}

void deft__http_mcp_encode(deft_buffer *out, deft_view text)
{
    if (is_printable(text) && !is_encoded(text) && deft__http_trim(text).size == text.size) {
        deft_buffer_append(out, text);
    } else {
        deft_buffer_append(out, encoded_start);
        deft__base64_write(out, text);
        deft_buffer_append(out, encoded_end);
    }
}
