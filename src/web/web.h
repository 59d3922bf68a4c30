// web.h - MCP over HTTP, as a server: Streamable HTTP of both eras in front of a gateway. Like the
// gateway it does no I/O: bytes of connections come in, bytes go out through a host.
//
//     POST /mcp            tools deferred, found by search
//     POST /mcp/all        every tool listed, for hosts that search themselves
//     POST /mcp/SERVER     one server, under its own names
//     GET, DELETE          streams and ends of legacy sessions
//     GET /healthz /readyz /metrics
//
// Host and Origin are looked at before anything else, then who is asking, then what for. Everything
// belongs to the gateway's thread.
#ifndef DEFT_WEB_WEB_H
#define DEFT_WEB_WEB_H

#include "gateway/gateway.h"
#include "web/access.h"

typedef struct deft__web            deft__web;
typedef struct deft__web_connection deft__web_connection;

typedef struct deft__web_host {
    void *context;
    void (*send)(void *context, void *tag, deft_view bytes);
    // Close it when what was sent is out. The connection is gone for the web with this call.
    void (*close)(void *context, void *tag);
    void (*random)(void *context, void *bytes, size_t size);
} deft__web_host;

// Zero in a field means the default.
typedef struct deft__web_options {
    const deft_view *hosts; // accepted in Host beside localhost, 127.0.0.1 and [::1]
    size_t           host_count;
    bool             is_any_host; // where a token is needed anyway
    const deft_view *origins;     // accepted in Origin beside loopback's own
    size_t           origin_count;
    bool             is_cors_off;         // those origins get no CORS headers, and no preflight
    uint32_t         head_size_max;       // of the request line and all headers; 32 KiB
    uint64_t         body_size_max;       // 64 MiB
    uint32_t         requests_max;        // on one connection, which is closed then; 100,000
    uint32_t         sessions_max;        // 10,000
    uint64_t         session_idle_ms;     // without a request or a stream; an hour
    uint64_t         request_idle_ms;     // a request that does not get on; 30,000
    uint64_t         request_ms;          // a request from its first byte to its last; 300,000
    uint64_t         keep_alive_ms;       // a connection without a request; 120,000
    uint32_t         failures_per_second; // tokens that are nobody's; 100
    uint64_t         quiet_ms;            // a stream that is silent gets a comment; 15,000
    uint32_t         replay_count_max;    // events kept of a session, to be sent again; 256
    size_t           replay_size_max;     // bytes of these; 1 MiB
    size_t           held_size_max; // bytes of requests behind one that is not answered; 1 MiB
} deft__web_options;

// `options` is copied, lists included; the gateway and what `host` points to must outlive the web.
// New: free it before the gateway. NULL when there is no memory.
deft__web *deft__web_new(deft__gateway *gateway, const deft__web_options *options,
                         const deft__web_host *host, uint64_t now_ms,
                         const deft_allocator *allocator, deft_error *error);
void       deft__web_free(deft__web *web); // NULL is fine. Connections are forgotten, not closed.

// From now on one of these tokens must be shown; without any, nobody may. What belongs to one that is
// gone, or may reach other things now, ends at once: its sessions, streams, calls and connections.
// Before the first call everybody may. On failure nothing has changed.
deft_status deft__web_set_tokens(deft__web *web, const deft__token *tokens, size_t count,
                                 deft_error *error);

// A connection; `tag` is the host's. NULL: no memory.
deft__web_connection *deft__web_connect(deft__web *web, void *tag);
void                  deft__web_receive(deft__web_connection *connection, deft_view bytes);
void                  deft__web_disconnect(deft__web_connection *connection); // the peer is gone

// Goes on with what answers have made possible. Call it after anything was handed to the web or to
// the gateway.
void deft__web_run(deft__web *web);

// Every second or so: time in milliseconds, and the date in seconds since 1970. Closes what takes
// too long.
void deft__web_tick(deft__web *web, uint64_t now_ms, int64_t date_s);

// No new requests from now on: they are refused politely, open ones go on, and subscriptions end.
void deft__web_drain(deft__web *web);
// The same where another process takes new connections at the same address: nothing is refused. Requests
// on the connections that there are get their answer, each as the last one of its connection; a
// connection without any is closed after a second.
void deft__web_hand_over(deft__web *web);
// Nothing is left that one would wait for: every request is answered, those with events included, and of
// what was handed over nobody may still ask. Streams that never end by themselves do not count.
bool   deft__web_is_done(const deft__web *web);
size_t deft__web_open_count(const deft__web *web); // requests that are not answered; no streams

#endif
