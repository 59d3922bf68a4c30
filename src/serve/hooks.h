// hooks.h - commands that the user wants asked before, or told after, a call. Each is run by the
// shell, with JSON on its stdin; what it says on stderr is its answer.
#ifndef DEFT_SERVE_HOOKS_H
#define DEFT_SERVE_HOOKS_H

#include "gateway/gateway.h"
#include "io/loop.h"

// Bytes of what a hook says that are handed on.
#define DEFT__HOOK_MESSAGE_MAX (8u * 1024)

typedef struct deft__hook_run deft__hook_run;

#define DEFT__HOOKS_REFUSED_MAX 64u

typedef struct deft__hooks {
    deft__loop        *loop;
    const char *const *environment;
    deft__hook_run    *runs; // that are on their way
    // Exactly once for each, and not from within deft__hooks_run(): as deft__gateway_hook_finished()
    // wants it.
    void (*finished)(void *context, uint64_t number, int exit_code, deft_view message);
    void *context;

    // Those that found no memory to run in. Whoever waits for them must hear of it all the same.
    uint64_t   refused[DEFT__HOOKS_REFUSED_MAX];
    size_t     refused_count;
    deft__task refuse;
} deft__hooks;

void deft__hooks_init(deft__hooks *hooks, deft__loop *loop, const char *const *environment);
void deft__hooks_clear(deft__hooks *hooks); // kills what runs; nothing is told

void deft__hooks_run(deft__hooks *hooks, const deft__hook *hook);

#endif
