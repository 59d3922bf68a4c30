// era.h - which revision of the protocol is spoken. Legacy revisions (up to 2025-11-25) begin with a
// handshake; modern ones (2026-07-28 on) carry version and capabilities in every request. The two
// never mix in one negotiation.
#ifndef DEFT_MCP_ERA_H
#define DEFT_MCP_ERA_H

#include "mcp/message.h"

typedef enum deft__mcp_era {
    DEFT__MCP_ERA_UNKNOWN,
    DEFT__MCP_ERA_LEGACY,
    DEFT__MCP_ERA_MODERN
} deft__mcp_era;

#define DEFT__MCP_VERSION_LEGACY "2025-11-25" // the newest that `initialize` can agree on
#define DEFT__MCP_VERSION_MODERN "2026-07-28"

const char *deft__mcp_era_name(deft__mcp_era era); // "unknown", "legacy", "modern"
bool        deft__mcp_era_from_name(deft_view name, deft__mcp_era *era);

// The revisions that we speak, oldest first, of one era.
const char *const *deft__mcp_versions(deft__mcp_era era, size_t *count);
bool               deft__mcp_speaks(deft__mcp_era era, deft_view version);

// What a server answers to `initialize`: the client's version where we speak it, else our newest.
const char *deft__mcp_agree(deft_view requested);

// What clients can do for servers, and servers for clients, as bits.
enum {
    DEFT__MCP_CLIENT_ROOTS           = 1 << 0,
    DEFT__MCP_CLIENT_SAMPLING        = 1 << 1,
    DEFT__MCP_CLIENT_SAMPLING_TOOLS  = 1 << 2,
    DEFT__MCP_CLIENT_ELICITATION     = 1 << 3, // form
    DEFT__MCP_CLIENT_ELICITATION_URL = 1 << 4,
    DEFT__MCP_CLIENT_ROOTS_CHANGED   = 1 << 5 // legacy: roots.listChanged
};
enum {
    DEFT__MCP_SERVER_TOOLS               = 1 << 0,
    DEFT__MCP_SERVER_TOOLS_CHANGED       = 1 << 1,
    DEFT__MCP_SERVER_PROMPTS             = 1 << 2,
    DEFT__MCP_SERVER_PROMPTS_CHANGED     = 1 << 3,
    DEFT__MCP_SERVER_RESOURCES           = 1 << 4,
    DEFT__MCP_SERVER_RESOURCES_CHANGED   = 1 << 5,
    DEFT__MCP_SERVER_RESOURCES_SUBSCRIBE = 1 << 6,
    DEFT__MCP_SERVER_COMPLETIONS         = 1 << 7,
    DEFT__MCP_SERVER_LOGGING             = 1 << 8
};

// Reads a ClientCapabilities or ServerCapabilities object; what is unknown is passed over.
unsigned deft__mcp_client_capabilities(deft__json_value capabilities);
unsigned deft__mcp_server_capabilities(deft__json_value capabilities);

// Appends the object for a set of bits, as that era writes it.
void deft__mcp_write_client_capabilities(deft_buffer *out, unsigned bits, deft__mcp_era era);
void deft__mcp_write_server_capabilities(deft_buffer *out, unsigned bits);

// The capability that a request of a server to a client needs; 0 for one that needs none ("ping"),
// all bits for a method that no client knows. `params` tells form from url elicitation, and whether
// sampling uses tools.
unsigned deft__mcp_needed_capability(deft_view method, deft__json_value params);

// What a modern request says of itself, in params._meta.
typedef struct deft__mcp_envelope {
    deft_view        version;      // decoded; borrowed like the message
    deft__json_value capabilities; // an object
    deft__json_value client_info;  // NONE where absent
    deft_view        log_level;    // decoded; empty where absent
} deft__mcp_envelope;

// Whether a message claims to be modern: it has a protocolVersion in its _meta.
bool deft__mcp_is_modern(const deft__mcp_message *message);

// DEFT_INVALID: the envelope is malformed or lacks a member; the error names it. The reader keeps
// decoded text.
deft_status deft__mcp_read_envelope(deft__mcp_reader *reader, const deft__mcp_message *message,
                                    deft__mcp_envelope *envelope, deft_error *error);

// The token under which progress is reported: the raw JSON of _meta.progressToken; empty: none, or
// neither a string nor a number.
deft_view deft__mcp_progress_token(const deft__mcp_message *message);

// Appends the members of `meta` that travel on, without braces: all but progressToken and those
// under io.modelcontextprotocol/. `meta` may be NONE. Nothing is appended where nothing is left.
void deft__mcp_write_forwarded_meta(deft_buffer *out, deft__json_value meta);

// Appends the members of our own modern envelope, without braces: protocolVersion,
// clientCapabilities (raw JSON object), clientInfo, and logLevel where it is not empty.
void deft__mcp_write_envelope(deft_buffer *out, deft_view version, deft_view capabilities,
                              deft_view client_info, deft_view log_level);

#endif
