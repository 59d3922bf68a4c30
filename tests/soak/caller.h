// caller.h - an HTTP client without patience or memory to spare: one connection of many, driven by
// whoever waits for its descriptor. It reads what deft sends (JSON or events, plain or in chunks) and
// believes nothing else. For the soak and for benchmarks of many connections.
#ifndef DEFT_TESTS_SOAK_CALLER_H
#define DEFT_TESTS_SOAK_CALLER_H

#include "deft/buffer.h"
#include "deft/view.h"
#include "http/sse.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum caller_news {
    CALLER_HEAD,  // of an answer: `status`, `is_events` and `session` are known
    CALLER_EVENT, // one event of a stream; the data
    CALLER_END,   // the answer is complete; the body, or nothing behind a stream of events
    CALLER_GONE,  // the other side has closed or reset the connection
    CALLER_WRONG  // it sent what is no answer; the data says what
} caller_news;

typedef struct caller caller;

struct caller {
    int   descriptor; // -1: not connected
    void *context;
    void (*hear)(caller *self, caller_news news, deft_view data);
    int              status;
    bool             is_events;
    bool             is_last; // the other side will close behind this answer
    char             session[33];
    char             last_id[48]; // of the last event with an id
    deft_buffer      in;          // what is not yet read
    deft_buffer      body;
    deft__sse_reader sse;
    int64_t          left;  // bytes of the body, or of the chunk; -1: up to the end
    uint8_t          state; // private
};

// Both leave the memory of an earlier connection in place.
void caller_init(caller *self, void (*hear)(caller *self, caller_news news, deft_view data),
                 void   *context);
bool caller_connect(caller *self, uint16_t port); // to 127.0.0.1; false: it did not work
void caller_close(caller *self);
void caller_reset(caller *self); // with RST instead of FIN
void caller_clear(caller *self);

// False: the connection is broken, or takes no more.
bool caller_send(caller *self, deft_view bytes);

// One POST to `path`; `headers` are whole lines with their ends.
bool caller_post(caller *self, const char *path, const char *headers, deft_view body);

// Reads what is there; `hear` is called for each piece of news and may close it.
void caller_read(caller *self);

#endif
