// message.h - JSON-RPC 2.0 as MCP speaks it, both eras. A line of text goes in, messages come out as
// structs over the line's own bytes; what is written goes into a buffer, raw parts spliced in as
// they came. No message is longer than its transport allows; this file only reads and writes.
#ifndef DEFT_MCP_MESSAGE_H
#define DEFT_MCP_MESSAGE_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"
#include "json/reader.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum deft__mcp_kind {
    DEFT__MCP_REQUEST,
    DEFT__MCP_NOTIFICATION,
    DEFT__MCP_RESULT,
    DEFT__MCP_ERROR
} deft__mcp_kind;

// Error codes that we send or act on.
enum {
    DEFT__MCP_PARSE_ERROR         = -32700,
    DEFT__MCP_INVALID_REQUEST     = -32600,
    DEFT__MCP_METHOD_NOT_FOUND    = -32601,
    DEFT__MCP_INVALID_PARAMS      = -32602,
    DEFT__MCP_INTERNAL_ERROR      = -32603,
    DEFT__MCP_HEADER_MISMATCH     = -32020, // modern, over HTTP
    DEFT__MCP_MISSING_CAPABILITY  = -32021, // modern
    DEFT__MCP_UNSUPPORTED_VERSION = -32022, // modern
    DEFT__MCP_RESOURCE_NOT_FOUND  = -32002, // legacy only
    DEFT__MCP_URL_ELICITATION     = -32042  // 2025-11-25 only
};

// One message. Everything is borrowed from the reader and the line, until the next read.
typedef struct deft__mcp_message {
    deft__mcp_kind   kind;
    deft_view        id; // the JSON token as it came, quotes included; empty where there is none
    deft_view        method; // decoded; requests and notifications
    deft__json_value params; // an object; kind NONE where absent or null
    deft__json_value meta;   // params._meta, or result._meta; an object, or NONE
    deft__json_value result; // RESULT: an object; NONE where it is null
    deft__json_value error;  // ERROR: the whole object
    int64_t          error_code;
    deft_view        error_message; // decoded
} deft__mcp_message;

typedef struct deft__mcp_reader {
    deft__json          document;
    deft_buffer         scratch;   // decoded methods and messages
    size_t              kept_size; // private: of scratch, what the message itself borrows
    deft__json_iterator batch;     // what is left of an array of messages
    bool                is_batch;  // the line holds an array
    bool                is_done;   // private
} deft__mcp_reader;

void deft__mcp_reader_init(deft__mcp_reader *reader, const deft_allocator *allocator);
void deft__mcp_reader_clear(deft__mcp_reader *reader);

// Takes a line in, which stays where it is. DEFT_INVALID: not JSON (-32700), or an empty array
// (-32600; `is_batch` tells); DEFT_LIMIT: too deep, too large or of too many values.
deft_status deft__mcp_reader_take(deft__mcp_reader *reader, deft_view line, deft_error *error);

// The next message of the line: one, or several where the line is an array. DEFT_NOT_FOUND: there
// are no more. DEFT_INVALID: it is JSON but no message; `message->id` is its id where one can be
// read, for the answer -32600, and `message->kind` what it seems to be: REQUEST where nothing
// tells, RESULT or ERROR for a malformed answer. The next call goes on behind it. Of two members
// with one name the last counts.
deft_status deft__mcp_reader_next(deft__mcp_reader *reader, deft__mcp_message *message,
                                  deft_error *error);

// A member of the message's params; kind NONE when absent.
deft__json_value deft__mcp_param(const deft__mcp_message *message, const char *name);

// Writing. `id`, `params`, `result` and `data` are raw JSON; an empty id, params or data is left
// out. Line ends between tokens are taken out, so what is appended is one line, without its end.
void deft__mcp_write_request(deft_buffer *out, deft_view id, const char *method, deft_view params);
void deft__mcp_write_notification(deft_buffer *out, const char *method, deft_view params);
void deft__mcp_write_result(deft_buffer *out, deft_view id, deft_view result);
void deft__mcp_write_error(deft_buffer *out, deft_view id, int64_t code, deft_view message,
                           deft_view data);

#endif
