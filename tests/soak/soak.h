// soak.h - what the soak's files share: the clients (crowd.c), and the servers and waves (soak.c).
#ifndef DEFT_TESTS_SOAK_SOAK_H
#define DEFT_TESTS_SOAK_SOAK_H

#include "faults/serving.h"
#include "soak/caller.h"

#include <stdint.h>
#include <sys/types.h>

#define SOAK_SERVERS_MAX 200
#define SOAK_SAMPLES_MAX 4000000

typedef enum ask_kind {
    ASK_NOTHING,
    ASK_INITIALIZE,
    ASK_INITIALIZED,
    ASK_NEAR,   // echo, of a child process
    ASK_FAR,    // echo, over HTTP
    ASK_STREAM, // the same, as events
    ASK_CUT,    // a server that breaks off
    ASK_TELL,   // a server that has something to say to all, and has another tool from then on
    ASK_SEARCH,
    ASK_LIST,
    ASK_PING,
    ASK_DELETE,
    ASK_COUNT
} ask_kind;

extern const char *const soak_names[ASK_COUNT];

typedef struct soak soak;

typedef struct client {
    soak    *soak;
    caller   line;   // for requests
    caller   stream; // a legacy session's own
    bool     is_modern;
    bool     is_silent;  // it has sent half a request and waits to be cut off
    bool     is_deaf;    // it does not read
    bool     has_closed; // its side, while it waits for an answer
    ask_kind asking;
    unsigned answers; // to what it asks
    uint64_t number;  // of the request
    int64_t  asked_ms;
    int64_t  due_ms; // when it does the next thing
} client;

typedef struct far_server {
    pid_t    process; // 0: it is down
    uint16_t port;
    bool     is_modern;
    int64_t  due_ms; // when it is started again
} far_server;

struct soak {
    serving     server;
    uint16_t    port;
    int         waiting; // epoll
    uint64_t    random;
    int64_t     now_ms;
    bool        is_ending; // nobody begins anything
    long        seconds, waves, client_count, server_count, pace_ms;
    size_t      near_count, far_count;
    client     *clients;
    far_server  fars[SOAK_SERVERS_MAX];
    pid_t       stopped; // a server that sleeps; 0: none
    const char *deft, *fault, *far;
    uint64_t    numbers;
    // Counted.
    uint64_t  asked[ASK_COUNT], failed[ASK_COUNT];
    uint64_t  resets, silences, half_closes, deaf, leaves, resumed, events, kills, stops;
    uint32_t *samples[ASK_COUNT]; // milliseconds of answers that were right
    size_t    sample_count[ASK_COUNT];
};

int64_t  soak_now_ms(void);
uint64_t soak_random(soak *self, uint64_t below);

// --- crowd.c ---

void soak_client_init(client *one, soak *self, bool is_modern);
// Does what is due, and fails where something is overdue.
void soak_client_look(client *one);
// It has no connection and no session.
bool soak_client_is_away(const client *one);

#endif
