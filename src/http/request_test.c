// Requests out of bytes: what is accepted, what is refused and with which status, however the bytes
// are cut. The list of refusals is the one that servers are known to get wrong.
#include "http/request.h"

#include "http/syntax.h"
#include "support/allocator.h"
#include "support/guard.h"
#include "support/test.h"

#include <stdlib.h>

#define BODY_SIZE_MAX 1000

// What a head says, in a line: method, path, query, and how body and connection go on.
static void describe(deft_buffer *out, const deft__http_head *head)
{
    deft_buffer_append(out, head->method_name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, head->path);
    if (head->query.size > 0) {
        deft_buffer_append_byte(out, '?');
        deft_buffer_append(out, head->query);
    }
    deft_buffer_append_text(out, " 1.");
    deft_buffer_append_u64(out, (uint64_t)head->minor);
    deft_buffer_append_text(out, head->is_kept_alive ? " keep" : " close");
    if (head->is_chunked) {
        deft_buffer_append_text(out, " chunked");
    } else if (head->body_size > 0) {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append_u64(out, head->body_size);
    }
    if (head->expects_continue) {
        deft_buffer_append_text(out, " expects");
    }
    deft_buffer_append_text(out, ": ");
}

// Takes every event: a head as above, body bytes as they are, `.` at the end, a status when refused.
static void drain(deft__http_reader *reader, deft__http_event *event, deft_buffer *out)
{
    deft__http_event_kind kind;
    while ((kind = deft__http_reader_next(reader, event)) != DEFT__HTTP_MORE) {
        switch (kind) {
        case DEFT__HTTP_HEAD:
            describe(out, &event->head);
            break;
        case DEFT__HTTP_BODY:
            assert_true(event->body.size > 0);
            deft_buffer_append(out, event->body);
            break;
        case DEFT__HTTP_END:
            deft_buffer_append_text(out, ". ");
            break;
        case DEFT__HTTP_REFUSED:
            deft_buffer_append_u64(out, (uint64_t)event->refusal.status);
            assert_non_null(event->refusal.reason);
            break;
        case DEFT__HTTP_MORE:
        default:
            fail();
        }
    }
}

// Feeds `bytes` in pieces of `step`, each laid against a forbidden page.
static void run(deft_view bytes, size_t step, deft_buffer *out)
{
    deft__http_reader reader;
    deft__http_event  event;
    deft__http_reader_init(&reader, BODY_SIZE_MAX, NULL);
    for (size_t at = 0; at < bytes.size; at += step) {
        test_guard guard;
        memset(&event, 0xff, sizeof event); // as another connection may leave it
        deft__http_reader_feed(&reader, test_guard_copy(&guard, deft_view_slice(bytes, at, step)));
        drain(&reader, &event, out);
        test_guard_clear(&guard);
    }
    if (!deft__http_reader_is_idle(&reader)) {
        deft_buffer_append_text(out, "...");
    }
    deft__http_reader_clear(&reader);
}

typedef struct request_case {
    const char *name;
    const char *bytes;
    const char *events;
} request_case;

// Each case as a whole, byte by byte, and in some sizes in between.
static void run_cases(const request_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const deft_view bytes   = deft_view_of(cases[i].bytes);
        const size_t    steps[] = {bytes.size, 1, 2, 3, 7, 16, 61};
        case_name(cases[i].name);
        for (size_t j = 0; j < array_size(steps); j++) {
            deft_buffer out;
            deft_buffer_init(&out, NULL);
            run(bytes, steps[j], &out);
            assert_view_equal(deft_buffer_view(&out), cases[i].events);
            deft_buffer_clear(&out);
        }
    }
}

#define HOST "Host: h\r\n"
#define GET  "GET / HTTP/1.1\r\n" HOST
#define POST "POST /mcp HTTP/1.1\r\n" HOST

static const request_case accepted[] = {
    {"nothing", "", ""},
    {"a request without a body", GET "\r\n", "GET / 1.1 keep: . "},
    {"a body of known size", POST "Content-Length: 5\r\n\r\nhello",
     "POST /mcp 1.1 keep 5: hello. "},
    {"a body of no size", POST "Content-Length: 0\r\n\r\n", "POST /mcp 1.1 keep: . "},
    {"a size with zeros in front", POST "Content-Length: 0005\r\n\r\nhello",
     "POST /mcp 1.1 keep 5: hello. "},
    {"a body that is not complete", POST "Content-Length: 5\r\n\r\nhel",
     "POST /mcp 1.1 keep 5: hel..."},
    {"a head that is not complete", POST "Content-Le", "..."},
    {"requests behind one another",
     POST "Content-Length: 2\r\n\r\nab" GET "\r\n" POST "Content-Length: 1\r\n\r\nc",
     "POST /mcp 1.1 keep 2: ab. GET / 1.1 keep: . POST /mcp 1.1 keep 1: c. "},
    {"methods", "DELETE /mcp HTTP/1.1\r\n" HOST "\r\nOPTIONS * HTTP/1.1\r\n" HOST "\r\n",
     "DELETE /mcp 1.1 keep: . OPTIONS * 1.1 keep: . "},
    {"a method that we do not know", "BREW /pot HTTP/1.1\r\n" HOST "\r\n",
     "BREW /pot 1.1 keep: . "},
    {"methods have a case", "post / HTTP/1.1\r\n" HOST "\r\n", "post / 1.1 keep: . "},
    {"a query", "GET /a/b?c=d&e=%20f?g HTTP/1.1\r\n" HOST "\r\n",
     "GET /a/b?c=d&e=%20f?g 1.1 keep: . "},
    {"a URL as target", "GET http://h/a?b HTTP/1.1\r\n" HOST "\r\n", "GET /a?b 1.1 keep: . "},
    {"a URL without a path", "GET http://h?b HTTP/1.1\r\n" HOST "\r\n", "GET /?b 1.1 keep: . "},
    {"an empty line or two before a request", "\r\n\r\n" GET "\r\n\r\n" GET "\r\n",
     "GET / 1.1 keep: . GET / 1.1 keep: . "},
    {"the client closes", GET "Connection: close\r\n\r\n", "GET / 1.1 close: . "},
    {"close among others", GET "Connection: foo, Close\r\n\r\n", "GET / 1.1 close: . "},
    {"close wins", GET "Connection: close\r\nConnection: keep-alive\r\n\r\n",
     "GET / 1.1 close: . "},
    {"what follows the last request is not read", GET "Connection: close\r\n\r\nGET /no HTTP/1.1",
     "GET / 1.1 close: . "},
    {"HTTP/1.0 closes", "GET / HTTP/1.0\r\n\r\n", "GET / 1.0 close: . "},
    {"HTTP/1.0 keeps when asked", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
     "GET / 1.0 keep: . "},
    {"HTTP/1.0 with a body", "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok",
     "POST / 1.0 close 2: ok. "},
    {"it waits for 100 Continue", POST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nok",
     "POST /mcp 1.1 keep 2 expects: ok. "},
    {"without a body there is nothing to wait for", POST "Expect: 100-continue\r\n\r\n",
     "POST /mcp 1.1 keep: . "},
    {"HTTP/1.0 cannot wait",
     "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
     "POST / 1.0 close 2: ok. "},
    {"values are trimmed, and may be empty", GET "A:\r\nB: \t \r\nC:x\r\n\r\n",
     "GET / 1.1 keep: . "},
    {"bytes beyond ASCII in a value", GET "A: caf\xc3\xa9 \xff\r\n\r\n", "GET / 1.1 keep: . "},
    {"an IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "GET / 1.1 keep: . "},
};

static void good_requests_come_out_whole_however_they_are_cut(void **state)
{
    (void)state;
    run_cases(accepted, array_size(accepted));
}

#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

static const request_case chunks[] = {
    {"chunks", CHUNKED "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n",
     "POST /mcp 1.1 keep chunked: hello world. "},
    {"no chunk", CHUNKED "0\r\n\r\n" GET "\r\n",
     "POST /mcp 1.1 keep chunked: . GET / 1.1 keep: . "},
    {"sizes in hex, in any case, with zeros",
     CHUNKED "00A\r\n0123456789\r\nb\r\n0123456789a\r\n000\r\n\r\n",
     "POST /mcp 1.1 keep chunked: 01234567890123456789a. "},
    {"the coding in any case", POST "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
     "POST /mcp 1.1 keep chunked: . "},
    {"extensions are passed over", CHUNKED "2;a=b;c=\"d\"\r\nok\r\n0;e\r\n\r\n",
     "POST /mcp 1.1 keep chunked: ok. "},
    {"trailers are passed over",
     CHUNKED "2\r\nok\r\n0\r\nDigest: x\r\nHost: other\r\n\r\n" GET "\r\n",
     "POST /mcp 1.1 keep chunked: ok. GET / 1.1 keep: . "},
    {"line ends in the data are data", CHUNKED "4\r\n\r\n\r\n\r\n0\r\n\r\n",
     "POST /mcp 1.1 keep chunked: \r\n\r\n. "},
    {"not complete", CHUNKED "5\r\nhel", "POST /mcp 1.1 keep chunked: hel..."},
    {"no end", CHUNKED "2\r\nok\r\n0\r\n", "POST /mcp 1.1 keep chunked: ok..."},
    {"as large as is allowed", CHUNKED "0\r\n\r\n", "POST /mcp 1.1 keep chunked: . "},
    {"a size that is none", CHUNKED "x\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"no size", CHUNKED "\r\nok", "POST /mcp 1.1 keep chunked: 400"},
    {"a negative size", CHUNKED "-1\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a size as C writes it", CHUNKED "0x2\r\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a size with a blank in front", CHUNKED " 2\r\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a size with a blank behind", CHUNKED "2 \r\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a size beyond any number", CHUNKED "10000000000000002\r\nok\r\n",
     "POST /mcp 1.1 keep chunked: 400"},
    {"a size beyond the limit", CHUNKED "fffffffffffffff\r\nok\r\n",
     "POST /mcp 1.1 keep chunked: 413"},
    {"sizes beyond the limit together", CHUNKED "2\r\nok\r\n3e7\r\n",
     "POST /mcp 1.1 keep chunked: ok413"},
    {"a chunk longer than it says", CHUNKED "2\r\nokay\r\n", "POST /mcp 1.1 keep chunked: ok400"},
    {"a chunk that ends in LF", CHUNKED "2\r\nok\n0\r\n\r\n", "POST /mcp 1.1 keep chunked: ok400"},
    {"a chunk that ends in CR", CHUNKED "2\r\nok\r0\r\n\r\n", "POST /mcp 1.1 keep chunked: ok400"},
    {"a size that ends in LF", CHUNKED "2\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"an extension with CR inside", CHUNKED "2;a\rb\r\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"an extension with NUL", CHUNKED "2;a\x01\r\nok\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a trailer that is none", CHUNKED "0\r\nno trailer\r\n\r\n",
     "POST /mcp 1.1 keep chunked: 400"},
    {"a folded trailer", CHUNKED "0\r\nA: b\r\n c\r\n\r\n", "POST /mcp 1.1 keep chunked: 400"},
    {"a trailer that ends in LF", CHUNKED "0\r\nA: b\n\r\n", "POST /mcp 1.1 keep chunked: 400"},
};

static void chunks_come_out_as_a_body(void **state)
{
    (void)state;
    run_cases(chunks, array_size(chunks));
}

static const request_case refused[] = {
    {"a size and chunks", POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400"},
    {"chunks and a size", POST "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
     "400"},
    {"two sizes", POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", "400"},
    {"the same size twice", POST "Content-Length: 2\r\ncontent-length: 2\r\n\r\nab", "400"},
    {"two sizes in a list", POST "Content-Length: 2, 2\r\n\r\nab", "400"},
    {"a size with a sign", POST "Content-Length: +2\r\n\r\nab", "400"},
    {"a negative size", POST "Content-Length: -2\r\n\r\nab", "400"},
    {"a size in hex", POST "Content-Length: 0x2\r\n\r\nab", "400"},
    {"a size with a blank inside", POST "Content-Length: 1 2\r\n\r\nab", "400"},
    {"no size at all", POST "Content-Length: \r\n\r\n", "400"},
    {"a size beyond any number", POST "Content-Length: 99999999999999999999\r\n\r\n", "400"},
    {"a size beyond the limit", POST "Content-Length: 1001\r\n\r\n", "413"},
    {"a blank before the colon", POST "Content-Length : 2\r\n\r\nab", "400"},
    {"lines end in LF", "GET / HTTP/1.1\nHost: h\n\n", "400"},
    {"one line ends in LF", "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n", "400"},
    {"the last line ends in LF", "GET / HTTP/1.1\r\nHost: h\r\n\n", "400"},
    {"lines end in CR", "GET / HTTP/1.1\rHost: h\r\r\n\r\n", "400"},
    {"CR inside a value", GET "A: b\rC: d\r\n\r\n", "400"},
    {"CR CR LF", GET "A: b\r\r\n\r\n", "400"},
    {"an empty line of LF in front", "\nGET / HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"CR in front", "\rGET / HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"too many empty lines in front", "\r\n\r\n\r\n\r\n\r\n" GET "\r\n", "400"},
    {"a blank in front", " GET / HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a folded header", GET "A: b\r\n c\r\n\r\n", "400"},
    {"a header folded with a tab", GET "A: b\r\n\tc\r\n\r\n", "400"},
    {"the first header folded", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", "400"},
    {"a control byte in a value",
     GET "A: b\x01"
         "c\r\n\r\n",
     "400"},
    {"DEL in a value", GET "A: bbbbbbbbbbbbbb\x7f\r\n\r\n", "400"},
    {"a header without a colon", GET "nonsense\r\n\r\n", "400"},
    {"a header without a name", GET ": b\r\n\r\n", "400"},
    {"a name with a blank", GET "A B: c\r\n\r\n", "400"},
    {"a name with brackets", GET "A(b): c\r\n\r\n", "400"},
    {"a name beyond ASCII", GET "\xc3\xa9: c\r\n\r\n", "400"},
    {"another coding", POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501"},
    {"a coding before chunks", POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"},
    {"chunks twice", POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "501"},
    {"chunks in two headers",
     POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
    {"the empty coding", POST "Transfer-Encoding:\r\n\r\n", "501"},
    {"a coding in quotes", POST "Transfer-Encoding: \"chunked\"\r\n\r\n", "501"},
    {"a vertical tab around the coding",
     POST "Transfer-Encoding: \x0b"
          "chunked\r\n\r\n",
     "400"},
    {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
    {"no Host", "GET / HTTP/1.1\r\n\r\n", "400"},
    {"two Hosts", GET "Host: h\r\n\r\n", "400"},
    {"two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\n" HOST HOST "\r\n", "400"},
    {"an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "400"},
    {"a Host with a path", "GET / HTTP/1.1\r\nHost: h/evil\r\n\r\n", "400"},
    {"a Host with a user", "GET / HTTP/1.1\r\nHost: me@h\r\n\r\n", "400"},
    {"a Host that is a list", "GET / HTTP/1.1\r\nHost: h, i\r\n\r\n", "400"},
    {"a port beyond any port", "GET / HTTP/1.1\r\nHost: h:65536\r\n\r\n", "400"},
    {"another host in the target", "GET http://evil/ HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"another port in the target", "GET http://h:81/ HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a target of a proxy", "CONNECT h:80 HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"another scheme", "GET ftp://h/ HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a star for GET", "GET * HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a fragment", "GET /a#b HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a control byte in the target", "GET /\x01 HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a target beyond ASCII", "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a blank in the target", "GET /a b HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"two blanks", "GET  / HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"two blanks before the version", "GET /  HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a blank behind the version", "GET / HTTP/1.1 \r\n" HOST "\r\n", "400"},
    {"a tab instead of a blank", "GET\t/ HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"no version", "GET /\r\n", "400"},
    {"no target", "GET HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a method alone", "GET\r\n", "400"},
    {"the version in small letters", "GET / http/1.1\r\n" HOST "\r\n", "400"},
    {"a longer version", "GET / HTTP/1.10\r\n" HOST "\r\n", "400"},
    {"a version to come", "GET / HTTP/1.2\r\n" HOST "\r\n", "505"},
    {"HTTP/0.9", "GET / HTTP/0.9\r\n" HOST "\r\n", "505"},
    {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"},
    {"TLS", "\x16\x03\x01\x02", "400"},
    {"JSON", "{\"jsonrpc\":\"2.0\"}", "400"},
    {"a method in brackets", "G(T / HTTP/1.1\r\n" HOST "\r\n", "400"},
    {"a method without end", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG", "501"},
    {"another expectation", POST "Expect: the-unexpected\r\nContent-Length: 2\r\n\r\nok", "417"},
    {"refused behind a good one", GET "\r\nGET / HTTP/3.0\r\n\r\n" GET "\r\n",
     "GET / 1.1 keep: . 505"},
};

static void bad_requests_are_refused_however_they_are_cut(void **state)
{
    (void)state;
    run_cases(refused, array_size(refused));
}

// NUL cannot stand in a C string of the tables above.
static void nul_is_refused_everywhere(void **state)
{
    static const char text[] = "GET /a HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n\r\n";
    (void)state;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        char        bytes[sizeof text];
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        memcpy(bytes, text, sizeof text);
        bytes[at] = '\0';
        run(deft_view_make(bytes, sizeof text - 1), sizeof text, &out);
        assert_view_equal(deft_buffer_view(&out), at == sizeof text - 2 ? "..." : "400");
        deft_buffer_clear(&out);
    }
}

// `head` followed by `count` times `repeated`, then `tail`.
static void run_long(const char *head, const char *repeated, size_t count, const char *tail,
                     size_t step, const char *events)
{
    deft_buffer bytes;
    deft_buffer out;
    deft_buffer_init(&bytes, NULL);
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&bytes, head);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(&bytes, repeated);
    }
    deft_buffer_append_text(&bytes, tail);
    run(deft_buffer_view(&bytes), step > 0 ? step : bytes.size, &out);
    assert_view_equal(deft_buffer_view(&out), events);
    deft_buffer_clear(&out);
    deft_buffer_clear(&bytes);
}

#define TEN       "xxxxxxxxxx"
#define FORTY     TEN TEN TEN TEN
#define EXTENSION FORTY FORTY TEN TEN "x"

static void limits_hold_to_the_byte(void **state)
{
    (void)state;
    const size_t steps[] = {0, 1000, 37};
    for (size_t i = 0; i < array_size(steps); i++) {
        const size_t step = steps[i];
        const size_t room = DEFT__HTTP_HEAD_SIZE_MAX - strlen(GET "A: \r\n\r\n");
        run_long(GET "A: ", "x", room, "\r\n\r\n", step, "GET / 1.1 keep: . ");
        run_long(GET "A: ", "x", room + 1, "\r\n\r\n", step, "431");
        run_long(GET "A: ", "x", 1000 * 1000, "\r\n\r\n", step > 0 ? 1000 : 0, "431");
        run_long(GET, "A: b\r\n", DEFT__HTTP_HEADERS_MAX - 1, "\r\n", step, "GET / 1.1 keep: . ");
        run_long(GET, "A: b\r\n", DEFT__HTTP_HEADERS_MAX, "\r\n", step, "431");

        run_long("GET /", "x", DEFT__HTTP_TARGET_SIZE_MAX, " HTTP/1.1\r\n" HOST "\r\n", step,
                 "414");
        run_long("GET /", "x", 1000 * 100, " HTTP/1.1\r\n" HOST "\r\n", step, "414");

        run_long(CHUNKED "2", ";", DEFT__HTTP_CHUNK_LINE_SIZE_MAX - 3, "\r\nok\r\n0\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: ok. ");
        run_long(CHUNKED "2", ";", DEFT__HTTP_CHUNK_LINE_SIZE_MAX - 2, "\r\nok\r\n0\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: 400");
        // 40 times 102 bytes of extensions are 4,080; with another one they are too many.
        run_long(CHUNKED, "1;" EXTENSION "\r\nx\r\n", 40, "0\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: " FORTY ". ");
        run_long(CHUNKED, "1;" EXTENSION "\r\nx\r\n", 41, "0\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: " FORTY "400");

        run_long(CHUNKED "0\r\nA: ", "x", DEFT__HTTP_TRAILERS_SIZE_MAX - 7, "\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: . ");
        run_long(CHUNKED "0\r\nA: ", "x", DEFT__HTTP_TRAILERS_SIZE_MAX - 6, "\r\n\r\n", step,
                 "POST /mcp 1.1 keep chunked: 431");
        run_long(CHUNKED "0\r\n", "A: b\r\n", DEFT__HTTP_HEADERS_MAX, "\r\n", step,
                 "POST /mcp 1.1 keep chunked: . ");
        run_long(CHUNKED "0\r\n", "A: b\r\n", DEFT__HTTP_HEADERS_MAX + 1, "\r\n", step,
                 "POST /mcp 1.1 keep chunked: 431");
    }
}

static void a_target_may_be_eight_kibibytes_long(void **state)
{
    (void)state;
    deft_buffer       bytes;
    deft__http_reader reader;
    deft__http_event  event;
    deft_buffer_init(&bytes, NULL);
    deft__http_reader_init(&reader, 0, NULL);
    deft_buffer_append_text(&bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF /");
    for (size_t i = 1; i < DEFT__HTTP_TARGET_SIZE_MAX; i++) {
        deft_buffer_append_byte(&bytes, 'x');
    }
    deft_buffer_append_text(&bytes, " HTTP/1.1\r\n" HOST "\r\n");
    deft__http_reader_feed(&reader, deft_buffer_view(&bytes));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
    assert_int_equal(event.head.path.size, DEFT__HTTP_TARGET_SIZE_MAX);
    assert_int_equal(event.head.method, DEFT__HTTP_METHOD_OTHER);
    deft__http_reader_clear(&reader);
    deft_buffer_clear(&bytes);
}

static void methods_are_known_by_name(void **state)
{
    static const struct {
        const char       *name;
        deft__http_method method;
    } names[] = {{"GET", DEFT__HTTP_METHOD_GET},         {"HEAD", DEFT__HTTP_METHOD_HEAD},
                 {"POST", DEFT__HTTP_METHOD_POST},       {"DELETE", DEFT__HTTP_METHOD_DELETE},
                 {"OPTIONS", DEFT__HTTP_METHOD_OPTIONS}, {"PUT", DEFT__HTTP_METHOD_OTHER},
                 {"get", DEFT__HTTP_METHOD_OTHER}};
    (void)state;
    for (size_t i = 0; i < array_size(names); i++) {
        deft__http_reader reader;
        deft__http_event  event;
        char              bytes[100];
        (void)snprintf(bytes, sizeof bytes, "%s / HTTP/1.1\r\n" HOST "\r\n", names[i].name);
        deft__http_reader_init(&reader, 0, NULL);
        deft__http_reader_feed(&reader, deft_view_of(bytes));
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
        assert_int_equal(event.head.method, names[i].method);
        deft__http_reader_clear(&reader);
    }
}

static void headers_are_found_by_any_spelling_but_only_once(void **state)
{
    (void)state;
    deft__http_reader reader;
    deft__http_event  event;
    deft_view         value = deft_view_of("untouched");
    deft__http_reader_init(&reader, 0, NULL);
    deft__http_reader_feed(&reader, deft_view_of("GET / HTTP/1.1\r\nhOST: h:8080\r\nX-One: \t1 \r\n"
                                                 "Two: a\r\ntWO: b\r\n\r\n"));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
    assert_int_equal(event.head.header_count, 4);
    assert_view_equal(event.head.host.host, "h");
    assert_int_equal(event.head.host.port, 8080);
    assert_int_equal(deft__http_find(&event.head, "Three", &value), DEFT_NOT_FOUND);
    assert_int_equal(deft__http_find(&event.head, "Two", &value), DEFT_DUPLICATE);
    assert_view_equal(value, "untouched");
    assert_int_equal(deft__http_find(&event.head, "x-one", &value), DEFT_OK);
    assert_view_equal(value, "1");
    deft__http_reader_clear(&reader);
}

static void a_request_in_one_piece_is_not_copied(void **state)
{
    (void)state;
    static const char bytes[] = POST "Content-Length: 2\r\n\r\nok";
    test_allocator    allocator;
    deft__http_reader reader;
    deft__http_event  event;
    test_allocator_init(&allocator);
    deft__http_reader_init(&reader, 2, &allocator.allocator);
    for (size_t i = 0; i < 3; i++) {
        deft__http_reader_feed(&reader, deft_view_of(bytes));
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
        assert_ptr_equal(event.head.method_name.data, bytes);
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_BODY);
        assert_ptr_equal(event.body.data, bytes + sizeof bytes - 3);
        assert_false(deft__http_reader_is_idle(&reader));
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_END);
        assert_ptr_equal(event.head.path.data, bytes + 5); // still there
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_MORE);
        assert_true(deft__http_reader_is_idle(&reader));
    }
    assert_int_equal(allocator.requests, 0);
    deft__http_reader_clear(&reader);
}

static void an_idle_connection_holds_nothing(void **state)
{
    (void)state;
    test_allocator    allocator;
    deft__http_reader reader;
    deft__http_event  event;
    deft_buffer       out;
    test_allocator_init(&allocator);
    deft_buffer_init(&out, NULL);
    deft__http_reader_init(&reader, BODY_SIZE_MAX, &allocator.allocator);
    deft__http_reader_feed(&reader, deft_view_of(POST "Content-"));
    drain(&reader, &event, &out);
    assert_int_equal(allocator.blocks, 1);
    assert_int_equal(deft__http_reader_held(&reader), strlen(POST "Content-"));
    deft__http_reader_feed(&reader, deft_view_of("Length: 2\r\n\r\nok"));
    drain(&reader, &event, &out);
    assert_view_equal(deft_buffer_view(&out), "POST /mcp 1.1 keep 2: ok. ");
    assert_int_equal(allocator.blocks, 0);
    assert_int_equal(deft__http_reader_held(&reader), 0);
    assert_true(sizeof reader <= 128);
    deft__http_reader_clear(&reader);
    deft_buffer_clear(&out);
}

// The caller answers the first request later; its bytes are gone by then.
static void what_is_held_comes_later(void **state)
{
    (void)state;
    char              bytes[] = GET "\r\n" POST "Content-Length: 2\r\n\r\nok" GET;
    deft__http_reader reader;
    deft__http_event  event;
    deft_buffer       out;
    deft_buffer_init(&out, NULL);
    deft__http_reader_init(&reader, BODY_SIZE_MAX, NULL);
    deft__http_reader_feed(&reader, deft_view_of(bytes));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_END);
    deft__http_reader_hold(&reader);
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(deft__http_reader_held(&reader),
                     strlen(POST "Content-Length: 2\r\n\r\nok" GET));
    deft__http_reader_feed(&reader, deft_view_of("A: b\r\n\r")); // more comes meanwhile

    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_BODY);
    assert_view_equal(event.body, "ok");
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_END);
    deft__http_reader_hold(&reader); // a second time, with what was held
    deft__http_reader_feed(&reader, deft_view_of("\n" GET "\r\n"));
    drain(&reader, &event, &out);
    assert_view_equal(deft_buffer_view(&out), "GET / 1.1 keep: . GET / 1.1 keep: . ");
    deft__http_reader_clear(&reader);
    deft_buffer_clear(&out);
}

static void after_a_refusal_nothing_is_read(void **state)
{
    (void)state;
    deft__http_reader reader;
    deft__http_event  event;
    deft__http_reader_init(&reader, 0, NULL);
    deft__http_reader_feed(&reader, deft_view_of("nonsense\n" GET "\r\n"));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_REFUSED);
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_MORE);
    deft__http_reader_feed(&reader, deft_view_of(GET "\r\n"));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_MORE);
    assert_true(deft__http_reader_is_idle(&reader));
    assert_int_equal(deft__http_reader_held(&reader), 0);
    deft__http_reader_clear(&reader);
}

// One byte at a time, a head of the largest size is looked through again and again by a careless
// reader: 32 KiB would be half a billion steps. Ours takes no longer than this test may.
static void slow_heads_cost_no_more(void **state)
{
    (void)state;
    deft__http_reader reader;
    deft__http_event  event;
    deft__http_reader_init(&reader, 0, NULL);
    for (size_t round = 0; round < 50; round++) {
        deft__http_event_kind kind = DEFT__HTTP_MORE;
        deft__http_reader_feed(&reader, deft_view_of(GET "A: "));
        for (size_t i = 0; i < 30000 && kind == DEFT__HTTP_MORE; i++) {
            kind = deft__http_reader_next(&reader, &event);
            assert_int_equal(kind, DEFT__HTTP_MORE);
            deft__http_reader_feed(&reader, deft_view_of("x"));
        }
        assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_MORE);
        deft__http_reader_clear(&reader);
    }
}

static void a_head_can_be_kept(void **state)
{
    (void)state;
    char              bytes[] = "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: c\r\n\r\n";
    deft__http_reader reader;
    deft__http_event  event;
    deft__http_head   kept;
    deft__arena       arena;
    deft_buffer       out;
    deft_view         value;
    deft_buffer_init(&out, NULL);
    deft__arena_init(&arena, NULL);
    deft__http_reader_init(&reader, 0, NULL);
    deft__http_reader_feed(&reader, deft_view_of(bytes));
    assert_int_equal(deft__http_reader_next(&reader, &event), DEFT__HTTP_HEAD);
    assert_true(deft__http_head_copy(&event.head, &arena, &kept));
    memset(bytes, 'x', sizeof bytes);
    memset(&event, 0xff, sizeof event);
    describe(&out, &kept);
    assert_view_equal(deft_buffer_view(&out), "GET /a?b 1.1 keep: ");
    assert_view_equal(kept.host.host, "h");
    assert_int_equal(deft__http_find(&kept, "accept", &value), DEFT_OK);
    assert_view_equal(value, "c");
    deft__arena_clear(&arena);
    deft__http_reader_clear(&reader);
    deft_buffer_clear(&out);
}

// A request in pieces, held and kept. Out of memory is a refusal, and nothing leaks.
static bool attempt_requests(const deft_allocator *allocator, void *context)
{
    static const char *const pieces[] = {"POST /mcp HT", "TP/1.1\r\n" HOST,
                                         "Transfer-Encoding: chunked\r\n", "\r\n2",
                                         "\r\nok\r\n0\r\n\r\n" GET "\r\n"};
    deft__http_reader        reader;
    deft__http_event         event;
    deft__arena              arena;
    deft__http_head          kept;
    bool                     is_fine = true;
    size_t                   ends    = 0;
    (void)context;
    deft__arena_init(&arena, allocator);
    deft__http_reader_init(&reader, BODY_SIZE_MAX, allocator);
    for (size_t i = 0; i < array_size(pieces); i++) {
        deft__http_event_kind kind;
        deft__http_reader_feed(&reader, deft_view_of(pieces[i]));
        while ((kind = deft__http_reader_next(&reader, &event)) != DEFT__HTTP_MORE) {
            if (kind == DEFT__HTTP_HEAD) {
                is_fine = is_fine && deft__http_head_copy(&event.head, &arena, &kept);
            } else if (kind == DEFT__HTTP_REFUSED) {
                assert_int_equal(event.refusal.status, 503);
                is_fine = false;
            } else if (kind == DEFT__HTTP_END) {
                ends++;
                deft__http_reader_hold(&reader);
            }
        }
    }
    assert_true(!is_fine || ends == 2);
    deft__http_reader_clear(&reader);
    deft__arena_clear(&arena);
    return is_fine;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(test_every_allocation_fails(attempt_requests, NULL), 2, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_requests_come_out_whole_however_they_are_cut),
        cmocka_unit_test(chunks_come_out_as_a_body),
        cmocka_unit_test(bad_requests_are_refused_however_they_are_cut),
        cmocka_unit_test(nul_is_refused_everywhere),
        cmocka_unit_test(limits_hold_to_the_byte),
        cmocka_unit_test(a_target_may_be_eight_kibibytes_long),
        cmocka_unit_test(methods_are_known_by_name),
        cmocka_unit_test(headers_are_found_by_any_spelling_but_only_once),
        cmocka_unit_test(a_request_in_one_piece_is_not_copied),
        cmocka_unit_test(an_idle_connection_holds_nothing),
        cmocka_unit_test(what_is_held_comes_later),
        cmocka_unit_test(after_a_refusal_nothing_is_read),
        cmocka_unit_test(slow_heads_cost_no_more),
        cmocka_unit_test(a_head_can_be_kept),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
