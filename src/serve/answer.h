// answer.h - answers the requests of control.h, from a socket or from our own command line.
#ifndef DEFT_SERVE_ANSWER_H
#define DEFT_SERVE_ANSWER_H

#include "serve/service.h"

typedef struct deft__request deft__request;

struct deft__request {
    deft__speaker  speaker; // of its own client, where it calls a tool
    deft__service *service;
    deft__request *next; // of those that wait until every server is known
    deft__client  *client;
    deft_buffer    params; // a raw object, or empty
    deft_buffer    result; // raw JSON, where `error.status` is DEFT_OK
    deft_error     error;
    bool           is_patient; // waits until every server is known, where that matters
    bool           is_waiting; // it does
    size_t         place;      // of a server that it waits for, too; SIZE_MAX: none
    const struct deft__control_method *method;
    deft__task                         tell;
    // Once, and not from within deft__request_start(); the request may be freed then.
    void (*answered)(void *context, deft__request *request);
    void *context;
};

// Begins to answer; what is pointed to is copied. `is_patient`: a search, or a call, waits until
// servers that are not known yet were asked what they have.
void deft__request_start(deft__request *request, deft__service *service, deft_view method,
                         deft_view params, bool is_patient);

// Gives it up. The storage is the caller's.
void deft__request_clear(deft__request *request);

// Goes on with what waits, where all servers are known by now.
void deft__requests_look(deft__service *service);

#endif
