// link_private.h - the inside of a link, shared by the files behind link.h and by no one else.
//
//   link.c            the object, its states, what its owner may ask
//   link_start.c      the probe and the handshake
//   link_end.c        stops, failures and their pauses, deaths, idleness
//   link_exchange.c   requests: ids, the queue, timeouts, progress, cancellation
//   link_send.c       how they are written
//   link_lists.c      what the server offers, page by page, and the manifest made of it
//   link_listen.c     being told of changes by modern servers
//   link_ask.c        what the server asks of us
//   link_receive.c    which of these a message is for
//
// Callbacks may call back into the link. Three rules make that safe:
//
//   1. A function first brings the link into its new state and calls out last; after calling out it
//      looks again (deft__link_is_current) before it goes on.
//   2. Exchanges that fail are first moved to `doomed`, each with its sentence; deft__link_deliver
//      takes them out one by one. Who is called meanwhile sees a link without them.
//   3. Within deft__link_request nothing is delivered: that waits for the timer `soon`.
#ifndef DEFT_GATEWAY_LINK_PRIVATE_H
#define DEFT_GATEWAY_LINK_PRIVATE_H

#include "gateway/link.h"

#define DEFT__LINK_SENTENCE_SIZE DEFT_ERROR_MESSAGE_SIZE

// Requests of the server that wait for an answer of ours. More are refused.
#define DEFT__LINK_ASKS_MAX 64u
// Bytes of the id of such a request; SDKs use small numbers.
#define DEFT__LINK_ASK_ID_SIZE_MAX 256u

// A ring of exchanges with a head that is none: taking one out needs no search and no list.
typedef struct deft__link_node {
    struct deft__link_node *previous;
    struct deft__link_node *next;
} deft__link_node;

typedef enum deft__exchange_state {
    DEFT__EXCHANGE_FREE,
    DEFT__EXCHANGE_QUEUED,
    DEFT__EXCHANGE_SENT,
    DEFT__EXCHANGE_DOOMED, // it has an ending and a reason, and waits to be told
    DEFT__EXCHANGE_ENDING  // its finish is running
} deft__exchange_state;

// What a request is made of. Views are borrowed.
typedef struct deft__link_parts {
    const char *method;
    deft_view   members;
    deft_view   meta;
    deft_view   capabilities;
    deft_view   log_level;
    bool        wants_progress;
} deft__link_parts;

struct deft__exchange {
    deft__link_node      node; // first, so that a node is its exchange
    deft__link          *link;
    deft__exchange_state state;
    uint64_t             id; // also its progress token; 0 until it is sent
    deft__timer          timer;
    uint64_t             timeout_ms;
    uint64_t             deadline_ms; // progress or not
    deft__link_parts     parts;       // while queued; views into `kept`
    deft_buffer          kept;
    void (*finish)(void *context, deft__exchange *exchange, const deft__outcome *outcome);
    void (*progress)(void *context, deft__exchange *exchange, const deft__mcp_message *message);
    void        *context;
    deft__ending ending;     // while doomed
    bool         is_lasting; // call_time_max_ms does not hold
    char         reason[DEFT__LINK_SENTENCE_SIZE];
};

// Exchanges come in blocks and are used again; they never move.
#define DEFT__LINK_BLOCK_COUNT 16u
typedef struct deft__link_block {
    struct deft__link_block *next;
    deft__exchange           exchanges[DEFT__LINK_BLOCK_COUNT];
} deft__link_block;

typedef enum deft__link_list_kind {
    DEFT__LINK_TOOLS,
    DEFT__LINK_PROMPTS,
    DEFT__LINK_RESOURCES,
    DEFT__LINK_TEMPLATES,
    DEFT__LINK_LIST_COUNT
} deft__link_list_kind;

// One list being fetched.
typedef struct deft__link_list {
    deft__link          *link;
    deft__link_list_kind kind;
    deft__timer          timer; // until it is fetched again, or until a page must be there
    uint64_t             id;    // of the request for a page; 0: none is on its way
    deft_buffer          items; // raw, joined with commas
    deft_buffer          seen;  // a 64-bit hash of each cursor
    uint64_t             pages;
    uint64_t             renewed_at_ms; // when it was last fetched again because it had changed
    bool                 is_renewed;    // renewed_at_ms is true
    bool                 was_restarted;
    bool                 has_news;    // `items` is complete and belongs into the next manifest
    bool                 is_outdated; // it changed while it was being fetched
} deft__link_list;

typedef struct deft__link_ask {
    uint64_t number;
    char    *id; // raw token
    size_t   id_size;
    uint32_t life; // that asks
} deft__link_ask;

// Where a life that runs has got to.
typedef enum deft__link_phase {
    DEFT__LINK_DOWN,
    DEFT__LINK_OPENING,      // driver.start was called
    DEFT__LINK_PROBING,      // server/discover was sent
    DEFT__LINK_INITIALIZING, // initialize was sent
    DEFT__LINK_UP
} deft__link_phase;

// What the server said of itself: the raw parts lie behind one another in `text`.
typedef struct deft__link_hello {
    deft_buffer text;
    size_t      version_size; // decoded
    size_t      capabilities_size;
    size_t      server_info_size;
    size_t      instructions_size;
    unsigned    capabilities; // as bits
} deft__link_hello;

struct deft__link {
    deft_buffer                names; // name, then client_info
    size_t                     name_size;
    deft__link_options         options; // without zeros
    const deft__link_driver   *driver;
    const deft__link_listener *listener;
    deft__timers              *timers;
    const deft_allocator      *allocator;
    void                      *tag;
    deft__manifest            *manifest; // NULL: none

    // Its life.
    deft__link_hello hello;
    uint64_t         started_at_ms;
    uint64_t         used_at_ms;   // when something last happened that keeps it from being idle
    uint64_t         handshake_id; // of initialize, or of server/discover while probing
    uint64_t         probe_id;     // of server/discover
    uint64_t         retry_at_ms;
    deft__timer      start_timer; // while starting: it takes too long; failed: discover again
    deft__timer      probe_timer;
    deft__timer      idle_timer;

    // Requests.
    uint64_t          last_id; // of ours; never used again, not even in another life
    deft__link_node   queued;
    deft__link_node   sent; // in the order of sending
    deft__link_node   doomed;
    deft__link_node   unused;
    deft__link_block *blocks;
    size_t            queued_count;
    size_t            sent_count;
    size_t            doomed_count;
    deft__exchange  **table; // sent ones by id: open addressing
    size_t            table_capacity;
    deft__timer       soon;

    // Lists, and being told of changes.
    deft__link_list lists[DEFT__LINK_LIST_COUNT];
    uint64_t        listen_id; // 0: not listening
    deft__timer     listen_timer;

    // What the server asks.
    deft__link_ask *asks;
    size_t          ask_count;
    size_t          ask_capacity;
    uint64_t        last_ask;

    // Lines.
    deft__mcp_reader reader;
    deft_buffer      params;
    deft_buffer      line;
    uint64_t         ignored_count;

    deft__link_state state;
    deft__link_phase phase;
    deft__mcp_era    era;             // of this life, once known
    uint32_t         life;            // of the life that runs, or ran last
    uint32_t         told_life;       // see has_opened
    uint32_t         failures;        // in a row: the pause before the next start doubles with each
    uint32_t         short_lives;     // in a row: it was ready, and died soon after its start
    uint32_t         listen_failures; // in a row
    unsigned         capabilities;    // ours, as bits
    unsigned         requesting;      // inside deft__link_request
    unsigned         calling;         // inside a callback

    bool is_fresh;       // the manifest
    bool is_probed;      // server/discover was sent in this life
    bool has_discovered; // and was answered well, but late
    bool is_discovering; // lists are wanted for their own sake
    bool is_used;        // a request was made in this life
    bool is_legacy_now;  // it left when it was probed: do not ask again
    bool is_asking;      // several lists are being asked for: no manifest before the last is
    bool is_listen_late; // listening was interrupted: lists may have changed meanwhile
    bool is_receiving;
    bool is_freeing;
    bool has_opened;      // the driver told so from inside a callback: `soon` sees to it
    bool has_closed;      // likewise
    bool is_login_wanted; // and it was deft__link_unauthorized that told
    char closed_reason[DEFT__LINK_SENTENCE_SIZE];
    char reason[DEFT__LINK_SENTENCE_SIZE];
};

// --- link.c

deft_view deft__link_client_info(const deft__link *link);

// Whether this life still runs. Ask after each call out.
bool deft__link_is_current(const deft__link *link, uint32_t life);

// KNOWN or CONFIGURED, DISABLED, QUARANTINED: what it is without a life.
deft__link_state deft__link_rest_state(const deft__link *link);
void             deft__link_set_state(deft__link *link, deft__link_state state); // and tells

// A span of time for a sentence: "30 s", "250 ms".
typedef struct deft__span {
    char text[32];
} deft__span;
const char *deft__span_text(deft__span *span, uint64_t ms);

// --- link_start.c

void deft__link_start(deft__link *link);
void deft__link_start_again(deft__link *link); // a new life within the time of this start
void deft__link_probe_ring(void *context);

// Answers to server/discover and initialize. True: it was one.
bool deft__link_take_handshake(deft__link *link, uint64_t id, const deft__mcp_message *message);

// Parts of what the server said of itself.
deft_view deft__link_hello_version(const deft__link *link);
deft_view deft__link_hello_capabilities(const deft__link *link);
deft_view deft__link_hello_server_info(const deft__link *link);
deft_view deft__link_hello_instructions(const deft__link *link);

// --- link_end.c

// Ends this life; what waits ends with `sentence`, and the link is then in `state`. The driver is
// told to stop it where `is_running`.
void deft__link_end_life(deft__link *link, deft__link_state state, const char *sentence,
                         bool is_running);
// The same as a failure: a pause follows.
void deft__link_fail(deft__link *link, const char *sentence, bool is_running);
// FAILED or UNAUTHORIZED: it has a reason, and a time when it is tried again.
bool deft__link_has_failed(const deft__link *link);

// A line that could not be read may have been any answer.
void deft__link_lost(deft__link *link, const char *what);

// A reason as a clause of one line that fits: what a server says of itself may hold anything.
void deft__link_clause(char clause[DEFT__LINK_SENTENCE_SIZE], deft_view reason);

uint64_t deft__link_idle_limit(const deft__link *link); // ms without requests
void     deft__link_idle_ring(void *context);
void     deft__link_start_ring(void *context); // it took too long, or is to be tried again

// --- link_exchange.c

void deft__link_exchanges_init(deft__link *link);
void deft__link_exchanges_clear(deft__link *link); // all have ended

// Sends what waits, as far as there is room.
void deft__link_pump(deft__link *link);

// Dooms what was sent and tells the server to stop it; or all, without a word to the server. Tell
// whose they are with deft__link_deliver.
void deft__link_give_up_sent(deft__link *link, const char *sentence);
void deft__link_doom_all(deft__link *link, deft__ending ending, const char *sentence);
void deft__link_deliver(deft__link *link);

// True: it was the answer to a request.
bool deft__link_take_answer(deft__link *link, uint64_t id, const deft__mcp_message *message);
// Ends a request without an answer: `clause` says what the server did. True: there was one.
bool deft__link_take_failure(deft__link *link, uint64_t id, const char *clause);
void deft__link_take_progress(deft__link *link, const deft__mcp_message *message);

// The request that was sent last; NULL: none is open.
deft__exchange *deft__link_last_sent(const deft__link *link);

// --- link_send.c

// Sends what is in `line`, which is then empty. False: it had no memory, and nothing was sent.
bool deft__link_send_line(deft__link *link);

// Writes a request into `line`. False: no memory.
bool deft__link_write_request(deft__link *link, uint64_t id, const deft__link_parts *parts);

// Sends a request of the link's own, with our own capabilities. Its id; 0: no memory.
uint64_t deft__link_send_own(deft__link *link, const char *method, deft_view members);
void     deft__link_send_cancelled(deft__link *link, uint64_t id, deft_view reason);

// --- link_lists.c

void deft__link_lists_init(deft__link *link);
void deft__link_lists_clear(deft__link *link); // frees
void deft__link_lists_stop(deft__link *link);  // forgets what is under way

// Fetches what is missing, old or asked for.
void deft__link_lists_begin(deft__link *link);
// Fetches one list again, a little later.
void deft__link_list_changed(deft__link *link, deft__link_list_kind kind);
bool deft__link_lists_are_busy(const deft__link *link);
bool deft__link_take_page(deft__link *link, uint64_t id, const deft__mcp_message *message);
// Gives up what is on its way.
void deft__link_lists_lost(deft__link *link, const char *what);

// --- link_listen.c

void deft__link_listen(deft__link *link); // where the server is modern and can tell of changes
void deft__link_listen_ring(void *context);
bool deft__link_take_listen_end(deft__link *link, uint64_t id, const deft__mcp_message *message);
// True: the acknowledgement was for us.
bool deft__link_take_acknowledged(deft__link *link, const deft__mcp_message *message);

// --- link_ask.c

void deft__link_take_request(deft__link *link, const deft__mcp_message *message);
// The server takes back its request, or ends our listening.
void deft__link_take_cancelled(deft__link *link, const deft__mcp_message *message);
void deft__link_unask_all(deft__link *link);
void deft__link_asks_clear(deft__link *link);

// --- link_receive.c

// A number of ours from its JSON token; 0: it is none.
uint64_t deft__link_parse_id(deft_view token);

#endif
