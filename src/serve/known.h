// known.h - what is known from last time: what servers offer, which are quarantined, how often tools were
// used. It is read from the store on another thread, so that an agent's first question waits for no disk.
#ifndef DEFT_SERVE_KNOWN_H
#define DEFT_SERVE_KNOWN_H

#include "serve/service.h"

// Reads it. On any thread, while nobody else uses the store or the keeper.
void deft__known_read(deft__service *service);

// Hands it to the gateway, and starts that; on the loop's thread.
void deft__known_adopt(deft__service *service);

void deft__known_clear(deft__service *service);

// How often a tool was used, as deft_usage asks; nothing changes that after reading.
uint64_t deft__known_use_count(void *context, deft_view tool_id);

#endif
