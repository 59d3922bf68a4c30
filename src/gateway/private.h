// private.h - what a gateway and its clients hold, for the files of this folder.
#ifndef DEFT_GATEWAY_PRIVATE_H
#define DEFT_GATEWAY_PRIVATE_H

#include "base/arena.h"
#include "base/map.h"
#include "deft/bridge.h"
#include "deft/session.h"
#include "gateway/answers.h"
#include "gateway/gateway.h"
#include "mcp/adapt.h"
#include "json/writer.h"

typedef struct deft__relay    deft__relay;    // relay.h: a client's request on its way
typedef struct deft__question deft__question; // ask.h: what a server wants to know of a client
typedef struct deft__listen   deft__listen;   // listen.h: changes that a client wants to hear of

// One configured server.
typedef struct deft__slot {
    deft__gateway *gateway;
    size_t         place;
    deft__link    *link;
    bool           is_awaited; // its lists are being learned for the first time
    bool           is_stale;   // its manifest is old: learn it anew
    bool           is_wanted;  // it is to be started for its lists, when it is its turn
    bool           is_aside;   // it is quarantined
} deft__slot;

struct deft__gateway {
    const deft_allocator *allocator;
    const deft_settings  *settings;
    const deft_model     *model; // NULL: words alone
    deft_usage            usage;
    bool                  has_usage;
    deft_naming           naming;
    uint64_t              first_wait_ms;
    uint64_t              clients_max;
    uint64_t              discoveries_max;
    uint64_t              refresh_age_ms;
    unsigned              declared; // 0: what the first client can do
    uint64_t              seed;
    deft__seal_key        key;
    deft__gateway_host    host;
    deft__timers          timers;
    deft__link_driver     driver;
    deft__link_listener   listener;
    deft__slot           *slots;
    size_t                slot_count;
    size_t                awaited_count;

    deft__snapshot     *snapshot;    // NULL: the first is not built yet
    deft_searcher      *searcher;    // of its index
    deft__snapshot_job *job;         // being run
    bool                is_outdated; // manifests have changed since it was begun
    deft__timer         rebuild;     // set: manifests have changed since
    deft__timer         patience;    // set: the first list still waits
    deft__timer         entrance;    // set: waiting lines can be looked at
    deft__timer         refresh;     // when all lists are asked for again
    deft__timer         hold;        // when the next held answer is sent
    deft__timer         discovery;   // set: another server may be started for its lists
    bool                is_started;
    bool                is_discovering; // it has begun, or begins with the start
    bool                is_patient;     // the first list may still wait for servers

    deft__client *clients;
    size_t        client_count;
    deft__relay  *parked;  // answered with a question, waiting to be taken up again
    uint64_t      numbers; // the last number given to a hook, a parked call, a question

    deft__answers    answers; // to searches
    deft__mcp_reader reader;  // of what a client says
    deft_buffer      line;    // what is being written to a client
    deft_buffer      scratch; // one definition, while it is adapted
};

typedef struct deft__held deft__held; // held.c

// A line that came before there was a catalog to answer it from.
typedef struct deft__waiting {
    struct deft__waiting *next;
    deft_buffer           line;
    size_t                id_offset; // of the request's id in the line
    size_t                id_size;
} deft__waiting;

// Who a client says it is.
typedef struct deft__identity {
    uint32_t name_size;         // of clientInfo.name
    uint32_t capabilities_size; // of ClientCapabilities, raw, as it declared them
    char     text[];            // the one and the other
} deft__identity;

// The tools that a client was shown, from the first time that it asked for them.
typedef struct deft__shown {
    deft_buffer bridge; // definitions of the bridge's tools, as written at the start
    deft_buffer tools;  // definitions of the tools in the list, in the order sent
    deft__map   listed; // ids of these
    deft__arena ids;    // of `listed`
} deft__shown;

// There are thousands that listen and say nothing: what only some of them need is behind a pointer.
struct deft__client {
    deft__gateway *gateway;
    void          *tag;
    uint64_t       principal;
    deft_view      token;                                     // what its token is called. Borrowed.
    void (*send)(void *tag, deft_view about, deft_view line); // NULL: the host's
    deft__client *next, *previous;
    bool          is_closed;

    // What it is shown.
    bool             is_everything;
    bool             is_person;
    const char      *failure;  // deft__client_failure()
    bool             has_only; // one server's things only, under their own names
    uint32_t         only;
    bool             is_restricted;
    deft_restriction restriction;
    deft__arena      patterns; // of the restriction

    deft__mcp_era   era;     // pinned by its first message
    const char     *version; // of a legacy client
    unsigned        capabilities;
    unsigned        log_level;        // the lowest that it wants; see deft__log_level
    deft__identity *identity;         // NULL: it did not say
    bool            is_log_level_set; // it said so itself
    bool            is_initialized;

    deft_session *session;
    bool          has_bridge;      // the bridge's tools are in its list; once true it stays
    bool          is_listed;       // it has seen a list, so a change must be told
    bool          is_list_ignored; // it did not ask for its list when it was told of a change
    deft__shown  *shown;           // NULL: it has not asked for its list

    deft__held     *held;
    deft__waiting  *waiting;
    deft__waiting **waiting_end;
    deft__relay    *relays;
    size_t          relay_count;
    deft__question *questions;
    deft__listen   *listens;
};

// --- gateway.c ---

// Another number, never 0.
uint64_t deft__gateway_number(deft__gateway *gateway);
uint64_t deft__gateway_now(const deft__gateway *gateway);
// Whether requests can be answered, or must wait for the first catalog.
bool deft__gateway_is_open(const deft__gateway *gateway);
// Every waiting line of every client is looked at again, soon: never within another call.
void deft__gateway_let_in(deft__gateway *gateway);

// --- client.c ---

deft_view deft__client_name(const deft__client *client);              // clientInfo.name
deft_view deft__client_capabilities_text(const deft__client *client); // raw; empty: none declared

// Writing to a client. begin_result starts a line in gateway->line up to the result's value, which
// the caller appends; finish closes and sends it. A line that could not be written for want of
// memory becomes an error, so that every request is answered.
deft_buffer *deft__client_begin_result(deft__client *client, deft_view id);
void         deft__client_finish_result(deft__client *client, deft_view id);
void deft__client_send_error(deft__client *client, deft_view id, int64_t code, const char *format,
                             ...) __attribute__((format(printf, 4, 5)));
void deft__client_send_error_raw(deft__client *client, deft_view id, deft_view error);
// Sends gateway->line, or an error where it could not be written.
void deft__client_send_line(deft__client *client, deft_view id);

// Sends gateway->line as it is.
void deft__client_send_about(deft__client *client, deft_view about);

void deft__client_notify(deft__client *client, deft_view about, const char *method,
                         deft_view params);

// The members that end every result of ours for a modern client: resultType, caching, serverInfo.
void deft__client_write_tail(deft__client *client, deft__json_writer *json,
                             const deft__mcp_caching *caching);

// Appends `result` as this client's era wants it.
void deft__client_write_result(deft__client *client, deft_buffer *out, deft__json_value result,
                               const deft__mcp_caching *caching, bool is_call);

// --- reach.c: what it may reach. ---

deft_status deft__client_restrict(deft__client *client, const deft__client_options *options,
                                  deft_error *error);
// Whether anything of a server may be known to the client; and whether it may have to do with its
// prompts, resources and messages.
bool deft__client_may_see(const deft__client *client, uint32_t server);
bool deft__client_may_reach(const deft__client *client, uint32_t server);
// Whether two lists show this client the same.
bool deft__client_sees_same(const deft__client *client, const deft__offers *a,
                            const deft__offers *b);

// Whether two catalogs have the same tools for it. Where it may reach everything this is not looked at:
// they are two because something has changed.
bool deft__client_sees_same_tools(const deft__client *client, const deft_catalog *a,
                                  const deft_catalog *b);

// What our lists say about being kept.
extern const deft__mcp_caching deft__list_caching;
extern const deft_view         deft__server_info; // raw JSON: who we are

// --- held.c ---

// Keeps gateway->line, an answer to `id`, until the client has asked for its list, or a moment has
// passed. False: it is to be sent now.
bool deft__client_hold_line(deft__client *client, deft_view id);
// It has asked: what was held is sent.
void   deft__client_send_held(deft__client *client);
bool   deft__client_cancel_held(deft__client *client, deft_view id);
size_t deft__client_held_count(const deft__client *client);
void   deft__client_clear_held(deft__client *client);
void   deft__gateway_hold_ring(void *context);

// --- tools.c ---

void deft__client_list_tools(deft__client *client, const deft__mcp_message *message);
void deft__client_call_tool(deft__client *client, const deft__mcp_message *message);
// A new snapshot in place of `old` (NULL: it is the first): the session takes it up, and the client is
// told which lists changed.
void deft__client_update(deft__client *client, const deft__snapshot *old);
void deft__client_reset(deft__client *client);
bool deft__client_ensure_session(deft__client *client);
void deft__client_clear_session(deft__client *client);

// --- offered.c ---

void deft__client_list_prompts(deft__client *client, const deft__mcp_message *message);
void deft__client_get_prompt(deft__client *client, const deft__mcp_message *message);
void deft__client_list_resources(deft__client *client, const deft__mcp_message *message);
void deft__client_list_templates(deft__client *client, const deft__mcp_message *message);
void deft__client_read_resource(deft__client *client, const deft__mcp_message *message);
void deft__client_subscribe(deft__client *client, const deft__mcp_message *message);
void deft__client_unsubscribe(deft__client *client, const deft__mcp_message *message);
void deft__client_complete(deft__client *client, const deft__mcp_message *message);

// A prompt, resource or template by the name that this client knows it under; NULL: it may not, or
// there is none.
const deft__offer *deft__client_find(const deft__client *client, const deft__offers *offers,
                                     deft_view name);
// The server of a resource, and what that calls it; false: it may not, or there is none.
bool deft__client_find_resource(const deft__client *client, deft_view uri, uint32_t *server,
                                deft_view *key);

// --- notices.c ---

// Log levels from debug, 0, to emergency, 7; false for another word.
bool        deft__log_level(deft_view name, unsigned *level);
const char *deft__log_level_name(unsigned level);
void        deft__client_set_log_level(deft__client *client, const deft__mcp_message *message);
// Asks servers for what clients want to hear: one that has come up, or all of them.
void deft__slot_set_log_level(deft__slot *slot);
void deft__gateway_set_log_levels(deft__gateway *gateway);
void deft__client_listen(deft__client *client, const deft__mcp_message *message);
// True when `id` was a listen of the client's, which has ended now.
bool deft__client_end_listen(deft__client *client, deft_view id);
void deft__client_clear_listens(deft__client *client);
typedef enum deft__changed_list {
    DEFT__CHANGED_TOOLS,
    DEFT__CHANGED_PROMPTS,
    DEFT__CHANGED_RESOURCES
} deft__changed_list;
void deft__client_tell_changed(deft__client *client, deft__changed_list list);
// From a server to those whom it concerns.
void deft__gateway_notified(void *context, deft__link *link, const deft__mcp_message *message);

#endif
