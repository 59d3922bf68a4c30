// lives.h - servers as they live: a process or a conversation over HTTP for each run of each, started one
// after the other, with what each says handed to the gateway. For the files of this folder.
#ifndef DEFT_SERVE_LIVES_H
#define DEFT_SERVE_LIVES_H

#include "serve/service.h"

// What the gateway asks of its host (gateway.h): server_start, server_send, server_stop. The context is
// the service.
void deft__lives_start(void *context, size_t place, uint32_t number);
void deft__lives_send(void *context, size_t place, uint32_t number, deft_view line);
void deft__lives_stop(void *context, size_t place, uint32_t number);

// The task service->start: starts the next one of those that wait.
void deft__lives_start_next(void *context);

void deft__lives_end(deft__service *service);         // asks all of them to leave, soon
void deft__lives_kill(deft__service *service);        // at once
void deft__lives_clear(deft__service_server *server); // forgets those of one server

#endif
