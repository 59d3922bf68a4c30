// What HTTP costs in one POST of an MCP client, without the socket: its head and body are read, the
// headers that matter are looked at, and the answer's head is written. Then events, both ways.
#include "bench/bench.h"
#include "http/headers.h"
#include "http/request.h"
#include "http/response.h"
#include "http/sse.h"

#include <stdio.h>
#include <stdlib.h>

#define REQUESTS 400000
#define ROUNDS   7 // the best one counts

// As the TypeScript SDK on Node sends it.
static const char request[] =
    "POST /mcp HTTP/1.1\r\n"
    "host: 127.0.0.1:8080\r\n"
    "connection: keep-alive\r\n"
    "accept: application/json, text/event-stream\r\n"
    "content-type: application/json\r\n"
    "mcp-protocol-version: 2026-07-28\r\n"
    "mcp-method: tools/call\r\n"
    "mcp-name: get_weather\r\n"
    "authorization: Bearer 3f8a1c9d5e7b2a4f6c8d0e1f2a3b4c5d\r\n"
    "accept-language: *\r\n"
    "sec-fetch-mode: cors\r\n"
    "user-agent: node\r\n"
    "accept-encoding: gzip, deflate\r\n"
    "content-length: 134\r\n\r\n"
    "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"get_weather\","
    "\"arguments\":{\"city\":\"Ulm\",\"days\":3},\"_meta\":{\"a\":\"b\"}}} ";

static void must(bool fact)
{
    if (!fact) {
        (void)fprintf(stderr, "a request was not read\n");
        exit(1);
    }
}

typedef struct http_edge {
    deft__http_reader reader;
    deft__http_event  event;
    deft_buffer       out;
} http_edge;

static void read_bytes(http_edge *edge, deft_view bytes)
{
    deft__http_event_kind kind;
    deft__http_reader_feed(&edge->reader, bytes);
    while ((kind = deft__http_reader_next(&edge->reader, &edge->event)) != DEFT__HTTP_MORE) {
        must(kind != DEFT__HTTP_REFUSED);
    }
}

static void read_whole(http_edge *edge)
{
    read_bytes(edge, deft_view_make(request, sizeof request - 1));
}

static void read_two_pieces(http_edge *edge)
{
    const deft_view bytes = deft_view_make(request, sizeof request - 1);
    read_bytes(edge, deft_view_slice(bytes, 0, 200));
    read_bytes(edge, deft_view_slice(bytes, 200, bytes.size));
}

static void read_and_answer(http_edge *edge)
{
    const deft__http_head *head = &edge->event.head;
    deft__http_mcp_headers mcp;
    deft_view              value;
    read_whole(edge);
    must(deft__http_allows_host(&head->host, true, NULL, 0));
    must(deft__http_find(head, "Origin", &value) == DEFT_NOT_FOUND);
    must(deft__http_find(head, "Authorization", &value) == DEFT_OK);
    must(deft__http_bearer(value, &value) == DEFT_OK);
    must(deft__http_find(head, "Content-Type", &value) == DEFT_OK && deft__http_is_json(value));
    must(deft__http_accepts(head, "application/json"));
    must(deft__http_accepts(head, "text/event-stream"));
    must(deft__http_read_mcp_headers(head, &mcp, NULL) == DEFT_OK);

    deft_buffer_reset(&edge->out);
    deft__http_start(&edge->out, 200, deft_view_of("Sun, 06 Nov 1994 08:49:37 GMT"));
    deft__http_connection(&edge->out, head, false);
    deft__http_body(&edge->out, "application/json",
                    deft_view_of("{\"jsonrpc\":\"2.0\",\"id\":17,\"result\":{}}"), false);
    must(edge->out.status == DEFT_OK);
}

static void measure(const char *name, void (*run)(http_edge *edge))
{
    http_edge edge;
    double    best = 0;
    deft__http_reader_init(&edge.reader, 1024, NULL);
    deft_buffer_init(&edge.out, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_seconds();
        for (int i = 0; i < REQUESTS; i++) {
            run(&edge);
        }
        const double seconds = bench_seconds() - start;
        best                 = round == 0 || seconds < best ? seconds : best;
    }
    printf("%-44s %6.0f ns  %6.0f MB/s\n", name, best / REQUESTS * 1e9,
           (double)(sizeof request - 1) * REQUESTS / best / 1e6);
    deft_buffer_clear(&edge.out);
    deft__http_reader_clear(&edge.reader);
}

// An event with `size` bytes of data, written once and then read again and again.
static void measure_events(size_t size)
{
    deft_buffer      data;
    deft_buffer      bytes;
    deft__sse_reader reader;
    double           best  = 0;
    const int        count = size > 10000 ? 2000 : 200000;
    deft_buffer_init(&data, NULL);
    deft_buffer_init(&bytes, NULL);
    while (data.size < size) {
        deft_buffer_append_byte(&data, 'x');
    }
    deft__sse_write(&bytes, &(deft__sse_event){.type = deft_view_of("message"),
                                               .data = deft_buffer_view(&data)});
    deft__sse_reader_init(&reader, size, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_seconds();
        for (int i = 0; i < count; i++) {
            deft__sse_event event;
            deft__sse_reader_feed(&reader, deft_buffer_view(&bytes));
            must(deft__sse_reader_next(&reader, &event) == DEFT_OK);
            must(deft__sse_reader_next(&reader, &event) == DEFT_NOT_FOUND);
        }
        const double seconds = bench_seconds() - start;
        best                 = round == 0 || seconds < best ? seconds : best;
    }
    printf("an event of %7zu bytes is read %13s %6.0f ns  %6.0f MB/s\n", size, "",
           best / count * 1e9, (double)bytes.size * count / best / 1e6);
    deft__sse_reader_clear(&reader);
    deft_buffer_clear(&bytes);
    deft_buffer_clear(&data);
}

int main(void)
{
    bench_head("http: the protocol's share of a POST");
    printf("%zu bytes, of which 134 are the body; an idle connection keeps %zu bytes\n",
           sizeof request - 1, sizeof(deft__http_reader));
    measure("read, in one piece", read_whole);
    measure("read, in two pieces", read_two_pieces);
    measure("read, its headers judged, and answered", read_and_answer);
    measure_events(300);
    measure_events(100000);
    return 0;
}
