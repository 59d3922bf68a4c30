// server.c - a small legacy MCP server over stdio, for tests of what is around the gateway.
//
//   server NAME [FILE]    writes a line to FILE at its start, so that starts can be counted
//
// Its tools: echo answers with its arguments; later does so a moment after; never does not; huge with a
// line of 100,000 bytes; fail ends the process with a word on stderr.
#include "mcp/message.h"
#include "json/lines.h"
#include "json/writer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char tools[] =
    "{\"tools\":[{\"name\":\"echo\",\"description\":\"Say the same again.\",\"inputSchema\":{"
    "\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}},"
    "{\"name\":\"later\",\"description\":\"Say it a moment later.\",\"inputSchema\":{\"type\":"
    "\"object\"}},"
    "{\"name\":\"never\",\"description\":\"Say nothing at all.\",\"inputSchema\":{\"type\":"
    "\"object\"}},"
    "{\"name\":\"huge\",\"description\":\"Say too much.\",\"inputSchema\":{\"type\":"
    "\"object\"}},"
    "{\"name\":\"fail\",\"description\":\"Break down.\",\"inputSchema\":{\"type\":\"object\"}}]}";

static void answer(deft_view id, deft_view result)
{
    deft_buffer line;
    deft_buffer_init(&line, NULL);
    deft__mcp_write_result(&line, id, result);
    deft_buffer_append_byte(&line, '\n');
    fwrite(line.data, 1, line.size, stdout);
    fflush(stdout);
    deft_buffer_clear(&line);
}

static void answer_call(const deft__mcp_message *message)
{
    const deft__json_value name = deft__mcp_param(message, "name");
    deft_buffer            result;
    deft__json_writer      json;
    if (deft__json_string_equals(name, deft_view_of("never"))) {
        return;
    } else if (deft__json_string_equals(name, deft_view_of("huge"))) {
        printf("%0100000d\n", 0);
        fflush(stdout);
        return;
    } else if (deft__json_string_equals(name, deft_view_of("fail"))) {
        fputs("broke down\n", stderr);
        exit(3);
    } else if (deft__json_string_equals(name, deft_view_of("later"))) {
        poll(NULL, 0, 100);
    }
    deft_buffer_init(&result, NULL);
    deft__json_writer_init(&json, &result);
    deft_buffer_append_text(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
    deft__json_write_string(&json, deft__json_raw(deft__mcp_param(message, "arguments")));
    deft_buffer_append_text(&result, "}]}");
    answer(message->id, deft_buffer_view(&result));
    deft_buffer_clear(&result);
}

static void take(const deft__mcp_message *message, const char *name)
{
    if (message->kind != DEFT__MCP_REQUEST) {
        return;
    } else if (deft_view_equals(message->method, "initialize")) {
        char result[300];
        snprintf(result, sizeof result,
                 "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                 "\"serverInfo\":{\"name\":\"%s\",\"version\":\"1\"}}",
                 name);
        answer(message->id, deft_view_of(result));
    } else if (deft_view_equals(message->method, "tools/list")) {
        answer(message->id, deft_view_of(tools));
    } else if (deft_view_equals(message->method, "tools/call")) {
        answer_call(message);
    } else if (deft_view_equals(message->method, "ping")) {
        answer(message->id, deft_view_of("{}"));
    } else {
        printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n",
               (int)message->id.size, message->id.data);
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    static char      bytes[65536];
    deft__lines      lines;
    deft__mcp_reader reader;
    const char      *name = count > 1 ? arguments[1] : "server";
    if (count > 2) {
        FILE *file = fopen(arguments[2], "a");
        if (file != NULL) {
            fprintf(file, "%s\n", name);
            fclose(file);
        }
    }
    fprintf(stderr, "%s is here\n", name);
    deft__lines_init(&lines, 0, NULL);
    deft__mcp_reader_init(&reader, NULL);
    for (ssize_t size = read(0, bytes, sizeof bytes); size > 0;
         size         = read(0, bytes, sizeof bytes)) {
        deft_view         line;
        deft__mcp_message message;
        deft__lines_feed(&lines, deft_view_make(bytes, (size_t)size));
        while (deft__lines_next(&lines, &line) != DEFT_NOT_FOUND) {
            if (deft__mcp_reader_take(&reader, line, NULL) == DEFT_OK &&
                deft__mcp_reader_next(&reader, &message, NULL) == DEFT_OK) {
                take(&message, name);
            }
        }
    }
    deft__mcp_reader_clear(&reader);
    deft__lines_clear(&lines);
    return 0;
}
