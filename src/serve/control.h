// control.h - asks a gateway that runs: each has a Unix socket, named by its process id, in a folder
// that only its user can enter. What is spoken is JSON-RPC, one message a line.
//
//     deft/status                    {"pid", "version", "startedAt", "directory", "text", "status"}:
//                                    `text` is for a person; `status` has settled, tools, search
//                                    (ranking, model), clients, servers. Times are seconds since 1970
//     deft/servers  {discover}       {"servers": [...]}: name, state, era, version, tools, tokens,
//                                    reason, retryInMs, open, checkedAt (when its manifest last held
//                                    true). With `discover` true, after servers that are not known
//                                    were asked
//     deft/manifests                 {"manifests": [...], "missing": "..."}: what each server said of
//                                    itself, as in gateway/manifest.h
//     deft/logs     {server}         {"server", "text"}: what it wrote to stderr, the newest 64 KiB
//     deft/search   {query, limit}   {"hits": [{"id", "server", "name", "description", "score",
//                                    "tokens", "place"}], "missing": "..."}: best first; `missing`
//                                    names servers that could not be searched and why
//     deft/call     {tool, arguments}  {"result", "failure"}: that of tools/call as the server gave it;
//                                    where an error is not the server's, how the call ended:
//                                    "refused" (the tool was not called), "failed", "timeout"
//     deft/quarantine  {server, on}  {}: put a server aside, or let it go; the store is the caller's
//     deft/login    {server, on}     {}: its login has changed (`on`: there is one); it is read again,
//                                    and the server tried
//     deft/reset                     {}: measure and decide anew, forget what was loaded
#ifndef DEFT_SERVE_CONTROL_H
#define DEFT_SERVE_CONTROL_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

// Where the sockets are: deft in `runtime_directory` (XDG_RUNTIME_DIR), else deft/run in `state_home`
// (XDG_STATE_HOME), else .local/state/deft/run in `home`; only absolute paths count, NULL and empty
// mean unset. Appends the path and a NUL; false: there is no place for one, or no memory.
bool deft__control_directory(const char *runtime_directory, const char *state_home,
                             const char *home, deft_buffer *path);

// Calls `found` for each gateway that runs, the newest first. Sockets that nobody answers on are
// removed. How many there are.
typedef void (*deft__control_found)(void *context, const char *path, int process_id);
size_t deft__control_find(const char *directory, deft__control_found found, void *context);

// Asks and waits for the answer: `result`, raw JSON, is appended. `params` is a raw JSON object or
// empty. DEFT_NOT_FOUND: nobody listens at `path`, or there is no such server or tool; DEFT_INVALID:
// the gateway says no, or went away, the message says why.
deft_status deft__control_ask(const char *path, const char *method, deft_view params,
                              deft_buffer *result, deft_error *error);

#endif
