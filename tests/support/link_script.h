// link_script.h - plays a conversation with one server from a text: what happens stands at the
// start of a line, what the link does about it is indented below. Nothing sleeps: time is a line.
//
//     option NAME VALUE          of deft__link_options; before anything else
//     client BIT ...             what we can do for servers: roots, sampling, elicitation
//     manifest fresh|stale JSON  what is known already
//     ask NAME METHOD [{members}] [progress] [timeout=MS] [meta={...}] [capabilities={...}]
//         [level=L] [lasting]    a request; NAME is how the script calls it
//     cancel NAME [REASON]
//     opened, closed CLAUSE, unauthorized CLAUSE, unanswered ID CLAUSE, overflowed, server > LINE
//                                from the server; with @N: of life N
//     clock + 500ms
//     discover, stop [REASON], quarantine, release
//     answer N JSON, refuse N CODE TEXT, notify METHOD [JSON]
//     show                       state, era, counts
//     when TEXT => EVENT         once, from inside the callback that says TEXT first
#ifndef DEFT_TESTS_LINK_SCRIPT_H
#define DEFT_TESTS_LINK_SCRIPT_H

#include "deft/allocator.h"
#include "deft/buffer.h"

// Appends the script, with what happened in place of its indented lines, to `transcript`. Fails the
// test when a request does not end exactly once or a line makes no sense.
void test_link_script_play(deft_view script, const deft_allocator *allocator,
                           deft_buffer *transcript);

#endif
