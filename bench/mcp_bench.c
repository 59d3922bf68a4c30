// What the protocol costs in one relayed tools/call: the client's request is read and written on
// with another id, the server's result is read, adapted to the client's era and written back. No
// pipes and no waiting: this is the share of the protocol alone.
#include "bench/bench.h"
#include "mcp/adapt.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS  200000
#define ROUNDS 7 // the best one counts

static const char request[] =
    "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
    "\"arguments\":{\"message\":\"hello, how are you?\",\"count\":3},"
    "\"_meta\":{\"progressToken\":17}}}";
static const char info[] = "{\"name\":\"deft\",\"version\":\"0.1.0\"}";

typedef struct conversation {
    deft__mcp_reader from_client;
    deft__mcp_reader from_server;
    deft_buffer      to_server;
    deft_buffer      adapted;
    deft_buffer      to_client;
} conversation;

static void must(bool fact)
{
    if (!fact) {
        (void)fprintf(stderr, "a message was not relayed\n");
        exit(1);
    }
}

static deft__mcp_message read_one(deft__mcp_reader *reader, deft_view line)
{
    deft__mcp_message message;
    must(deft__mcp_reader_take(reader, line, NULL) == DEFT_OK);
    must(deft__mcp_reader_next(reader, &message, NULL) == DEFT_OK);
    return message;
}

static void relay_call(conversation *relay, deft_view result_line, deft__mcp_era client)
{
    const deft__mcp_message asked =
        read_one(&relay->from_client, deft_view_make(request, sizeof request - 1));
    deft_buffer_reset(&relay->to_server);
    deft__mcp_write_request(&relay->to_server, deft_view_of("4711"), "tools/call",
                            deft__json_raw(asked.params));

    const deft__mcp_message answered = read_one(&relay->from_server, result_line);
    deft_buffer_reset(&relay->adapted);
    deft_buffer_reset(&relay->to_client);
    deft__mcp_write_result_for(&relay->adapted, answered.result, client, NULL, deft_view_of(info),
                               true);
    deft__mcp_write_result(&relay->to_client, asked.id, deft_buffer_view(&relay->adapted));
    must(relay->to_server.status == DEFT_OK && relay->to_client.status == DEFT_OK);
}

// A result of a tool with about `size` bytes of text.
static void write_answer(deft_buffer *out, size_t size)
{
    deft_buffer_append_text(out, "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"content\":[{"
                                 "\"type\":\"text\",\"text\":\"");
    while (out->size < size) {
        deft_buffer_append_text(out, "a line of what a tool has to say\\n");
    }
    deft_buffer_append_text(out, "\"}],\"isError\":false}}");
}

static void measure(size_t size, deft__mcp_era client)
{
    conversation relay;
    deft_buffer  answer;
    double       best = 0;
    deft_buffer_init(&answer, NULL);
    write_answer(&answer, size);
    deft__mcp_reader_init(&relay.from_client, NULL);
    deft__mcp_reader_init(&relay.from_server, NULL);
    deft_buffer_init(&relay.to_server, NULL);
    deft_buffer_init(&relay.adapted, NULL);
    deft_buffer_init(&relay.to_client, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_seconds();
        for (int i = 0; i < CALLS; i++) {
            relay_call(&relay, deft_buffer_view(&answer), client);
        }
        const double seconds = bench_seconds() - start;
        best                 = round == 0 || seconds < best ? seconds : best;
    }
    printf("%8zu bytes of result, to a %s client  %8.0f ns a call\n", answer.size,
           deft__mcp_era_name(client), best / CALLS * 1e9);
    deft_buffer_clear(&relay.to_client);
    deft_buffer_clear(&relay.adapted);
    deft_buffer_clear(&relay.to_server);
    deft__mcp_reader_clear(&relay.from_server);
    deft__mcp_reader_clear(&relay.from_client);
    deft_buffer_clear(&answer);
}

int main(void)
{
    bench_head("mcp: the protocol's share of a relayed call");
    measure(0, DEFT__MCP_ERA_LEGACY);
    measure(0, DEFT__MCP_ERA_MODERN);
    measure(4096, DEFT__MCP_ERA_LEGACY);
    measure(4096, DEFT__MCP_ERA_MODERN);
    return 0;
}
