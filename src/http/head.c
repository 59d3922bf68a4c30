// The head of a request, by RFC 9112, read strictly: whatever two readers could understand in two
// ways (and a proxy and we might be those two) is refused. Node's answers are the bar; where we
// refuse more, docs/http.md says what and why.
#include "http/head.h"

#include "http/syntax.h"

static bool refuse(deft__http_refusal *refusal, int status, const char *reason)
{
    *refusal = (deft__http_refusal){status, reason};
    return false;
}

// --- The request line. ----------------------------------------------------------------------------

static const struct {
    deft_view         name;
    deft__http_method method;
} methods[] = {
    {DEFT_VIEW_INIT("POST"), DEFT__HTTP_METHOD_POST},
    {DEFT_VIEW_INIT("GET"), DEFT__HTTP_METHOD_GET},
    {DEFT_VIEW_INIT("DELETE"), DEFT__HTTP_METHOD_DELETE},
    {DEFT_VIEW_INIT("OPTIONS"), DEFT__HTTP_METHOD_OPTIONS},
    {DEFT_VIEW_INIT("HEAD"), DEFT__HTTP_METHOD_HEAD},
};

static deft__http_method method_of(deft_view name)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (deft_view_equal(methods[i].name, name)) {
            return methods[i].method;
        }
    }
    return DEFT__HTTP_METHOD_OTHER;
}

bool deft__http_check_method(deft_view line, deft__http_refusal *refusal)
{
    const size_t size =
        deft__http_span(deft_view_slice(line, 0, DEFT__HTTP_METHOD_SIZE_MAX + 1), DEFT__HTTP_TOKEN);
    if (size > DEFT__HTTP_METHOD_SIZE_MAX) {
        return refuse(refusal, 501, "the method's name is too long");
    } else if (size < line.size && (size == 0 || line.data[size] != ' ')) {
        return refuse(refusal, 400, "the request does not begin with a method and a space");
    } else {
        return true;
    }
}

static bool read_version(deft_view text, int *minor, deft__http_refusal *refusal)
{
    if (text.size != 8 || memcmp(text.data, "HTTP/", 5) != 0 ||
        !deft__http_is(text.data[5], DEFT__HTTP_DIGIT) || text.data[6] != '.' ||
        !deft__http_is(text.data[7], DEFT__HTTP_DIGIT)) {
        return refuse(refusal, 400, "the request line does not end in HTTP/1.1");
    } else if (text.data[5] != '1' || text.data[7] > '1') {
        return refuse(refusal, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    } else {
        *minor = text.data[7] - '0';
        return true;
    }
}

// Splits the target, whose bytes are allowed in one. Of the four forms, the authority of CONNECT is for proxies, which we are not.
static bool read_target(deft_view target, deft__http_head *head, deft__http_refusal *refusal)
{
    deft_view rest = target;
    head->host     = (deft__http_authority){.port = -1};
    if (target.size > DEFT__HTTP_TARGET_SIZE_MAX) {
        return refuse(refusal, 414, "the request target is longer than 8 KiB");
    } else if (deft_view_equals(target, "*") && head->method == DEFT__HTTP_METHOD_OPTIONS) {
        head->path  = target;
        head->query = deft_view_make(NULL, 0);
        return true;
    } else if (target.data[0] != '/') {
        bool is_https = false;
        if (!deft__http_read_url(target, &is_https, &head->host, &rest)) {
            return refuse(refusal, 400, "the request target is neither a path nor an http URL");
        }
    }

    const char  *mark = rest.size > 0 ? memchr(rest.data, '?', rest.size) : NULL;
    const size_t size = mark != NULL ? (size_t)(mark - rest.data) : rest.size;
    head->path        = size > 0 ? deft_view_slice(rest, 0, size) : deft_view_of("/");
    head->query       = deft_view_slice(rest, size + 1, rest.size);
    return true;
}

bool deft__http_read_request_line(deft_view line, deft__http_head *head,
                                  deft__http_refusal *refusal)
{
    if (!deft__http_check_method(line, refusal)) {
        return false;
    }
    const size_t    size   = deft__http_span(line, DEFT__HTTP_TOKEN);
    const deft_view after  = deft_view_slice(line, size + 1, line.size);
    const size_t    target = deft__http_span(after, DEFT__HTTP_TARGET);
    if (target == 0 || target == after.size || after.data[target] != ' ') {
        return refuse(refusal, 400,
                      "the request line is not a method, a target of visible ASCII and a version");
    }
    head->method_name = deft_view_slice(line, 0, size);
    head->method      = method_of(head->method_name);
    // The version first: the preface of HTTP/2 is told what we speak, not what is wrong with it.
    return read_version(deft_view_slice(after, target + 1, after.size), &head->minor, refusal) &&
           read_target(deft_view_slice(after, 0, target), head, refusal);
}

// --- Headers. -------------------------------------------------------------------------------------

bool deft__http_read_header(deft_view line, deft__http_header *header, deft__http_refusal *refusal)
{
    const size_t size = deft__http_span(line, DEFT__HTTP_TOKEN);
    if (size == 0 && line.size > 0 && (line.data[0] == ' ' || line.data[0] == '\t')) {
        return refuse(refusal, 400, "a header is folded over several lines");
    } else if (size == 0 || size == line.size || line.data[size] != ':') {
        return refuse(refusal, 400, "a header is not a name, a colon and a value");
    }
    const deft_view value = deft_view_slice(line, size + 1, line.size);
    if (!deft__http_is_value(value)) {
        return refuse(refusal, 400, "a header's value holds a control character");
    }
    *header = (deft__http_header){deft_view_slice(line, 0, size), deft__http_trim(value)};
    return true;
}

// What finish_head has seen so far.
typedef struct framing {
    bool has_host;
    bool has_length;
    bool has_encoding;
    bool is_closing;       // Connection: close
    bool wants_keeping;    // Connection: keep-alive
    bool expects_continue; // Expect: 100-continue
} framing;

static bool read_host(deft_view value, deft__http_head *head, framing *seen,
                      deft__http_refusal *refusal)
{
    deft__http_authority host;
    if (seen->has_host) {
        return refuse(refusal, 400, "there are two Host headers");
    } else if (!deft__http_read_authority(value, &host)) {
        return refuse(refusal, 400, "the Host header is not a host with an optional port");
    } else if (head->host.host.size > 0 &&
               (!deft__http_same(head->host.host, host.host) || head->host.port != host.port)) {
        return refuse(refusal, 400, "the request target and the Host header name different hosts");
    }
    head->host     = host;
    seen->has_host = true;
    return true;
}

static bool read_length(deft_view value, deft__http_head *head, framing *seen,
                        deft__http_refusal *refusal)
{
    if (seen->has_length) {
        return refuse(refusal, 400, "there are two Content-Length headers");
    } else if (value.size > 19 || !deft__http_all(value, DEFT__HTTP_DIGIT)) {
        return refuse(refusal, 400, "Content-Length is not a number");
    }
    uint64_t size = 0; // 19 digits fit
    for (size_t i = 0; i < value.size; i++) {
        size = size * 10 + (uint64_t)(value.data[i] - '0');
    }
    head->body_size  = size;
    seen->has_length = true;
    return true;
}

static bool read_encoding(deft_view value, deft__http_head *head, framing *seen,
                          deft__http_refusal *refusal)
{
    if (seen->has_encoding) {
        return refuse(refusal, 400, "there are two Transfer-Encoding headers");
    } else if (!deft__http_same_text(value, "chunked")) {
        return refuse(refusal, 501, "the only Transfer-Encoding understood here is 'chunked'");
    } else if (head->minor == 0) {
        return refuse(refusal, 400, "HTTP/1.0 has no Transfer-Encoding");
    }
    head->is_chunked   = true;
    seen->has_encoding = true;
    return true;
}

static void read_connection(deft_view value, framing *seen)
{
    deft_view option;
    while (deft__http_list_next(&value, &option)) {
        seen->is_closing    = seen->is_closing || deft__http_same_text(option, "close");
        seen->wants_keeping = seen->wants_keeping || deft__http_same_text(option, "keep-alive");
    }
}

static bool read_expectation(deft_view value, framing *seen, deft__http_refusal *refusal)
{
    if (!deft__http_same_text(value, "100-continue")) {
        return refuse(refusal, 417, "the only expectation met here is '100-continue'");
    }
    seen->expects_continue = true;
    return true;
}

static bool read_framing_header(const deft__http_header *header, deft__http_head *head,
                                framing *seen, deft__http_refusal *refusal)
{
    // The size of the name settles most cases before any letter is compared.
    switch (header->name.size) {
    case sizeof "Host" - 1:
        return !deft__http_same_text(header->name, "Host") ||
               read_host(header->value, head, seen, refusal);
    case sizeof "Expect" - 1:
        return !deft__http_same_text(header->name, "Expect") ||
               read_expectation(header->value, seen, refusal);
    case sizeof "Connection" - 1:
        if (deft__http_same_text(header->name, "Connection")) {
            read_connection(header->value, seen);
        }
        return true;
    case sizeof "Content-Length" - 1:
        return !deft__http_same_text(header->name, "Content-Length") ||
               read_length(header->value, head, seen, refusal);
    case sizeof "Transfer-Encoding" - 1:
        return !deft__http_same_text(header->name, "Transfer-Encoding") ||
               read_encoding(header->value, head, seen, refusal);
    default:
        return true;
    }
}

bool deft__http_finish_head(deft__http_head *head, deft__http_refusal *refusal)
{
    framing seen     = {0};
    head->body_size  = 0;
    head->is_chunked = false;
    for (size_t i = 0; i < head->header_count; i++) {
        if (!read_framing_header(&head->headers[i], head, &seen, refusal)) {
            return false;
        }
    }
    if (head->minor == 1 && !seen.has_host) {
        return refuse(refusal, 400, "there is no Host header");
    } else if (seen.has_length && seen.has_encoding) {
        return refuse(refusal, 400, "there are both Content-Length and Transfer-Encoding");
    }
    head->is_kept_alive = !seen.is_closing && (head->minor == 1 || seen.wants_keeping);
    head->expects_continue =
        seen.expects_continue && head->minor == 1 && (head->is_chunked || head->body_size > 0);
    return true;
}

// --- Looking up and keeping. ----------------------------------------------------------------------

deft_status deft__http_find(const deft__http_head *head, const char *name, deft_view *value)
{
    const deft_view          wanted = deft_view_of(name);
    const deft__http_header *found  = NULL;
    for (size_t i = 0; i < head->header_count; i++) {
        // Most names differ in their size.
        if (head->headers[i].name.size == wanted.size &&
            deft__http_same(head->headers[i].name, wanted)) {
            if (found != NULL) {
                return DEFT_DUPLICATE;
            }
            found = &head->headers[i];
        }
    }
    if (found == NULL) {
        return DEFT_NOT_FOUND;
    }
    *value = found->value;
    return DEFT_OK;
}

bool deft__http_head_copy(const deft__http_head *head, deft__arena *arena, deft__http_head *copy)
{
    deft__http_head    kept = *head;
    deft__http_header *room = NULL;
    if (head->header_count > 0) {
        room = deft__arena_array(arena, head->header_count, sizeof *room);
        if (room == NULL) {
            return false;
        }
    }
    bool is_copied = deft__arena_copy(arena, head->method_name, &kept.method_name) &&
                     deft__arena_copy(arena, head->path, &kept.path) &&
                     deft__arena_copy(arena, head->query, &kept.query) &&
                     deft__arena_copy(arena, head->host.host, &kept.host.host);
    for (size_t i = 0; is_copied && i < head->header_count; i++) {
        is_copied = deft__arena_copy(arena, head->headers[i].name, &room[i].name) &&
                    deft__arena_copy(arena, head->headers[i].value, &room[i].value);
    }
    kept.headers = room;
    if (is_copied) {
        *copy = kept;
    }
    return is_copied;
}
