// token_list.h - the tokens that a gateway is to accept, from the configuration and from a file of
// plain lines. Only their SHA-256 is kept.
#ifndef DEFT_CLI_TOKEN_LIST_H
#define DEFT_CLI_TOKEN_LIST_H

#include "base/arena.h"
#include "deft/config.h"
#include "web/access.h"

typedef struct deft__token_list {
    deft__token *items;
    size_t       count;
    size_t       capacity;
    deft__arena  arena; // of names and patterns
} deft__token_list;

void deft__token_list_init(deft__token_list *list);
void deft__token_list_clear(deft__token_list *list);

// Adds those of http.tokens.
deft_status deft__token_list_add(deft__token_list *list, const deft_config *config,
                                 deft_error *error);

// Adds a token for each line of a file; lines that are empty or begin with # are none. It may reach
// everything, and is called "line-N". A file without any is an error.
deft_status deft__token_list_read_file(deft__token_list *list, const char *path, deft_error *error);

// When to read them again. A file of tokens is written by hand, or by a program that takes its time, and half a
// token is none: it is read when it has been the same for two looks. The configuration, which deft replaces
// whole, is read at once.
typedef struct deft__token_watch {
    uint64_t settings; // the signature of the configuration that was read
    uint64_t all;      // of that and the file of tokens
    uint64_t last;     // what `all` was at the last look
} deft__token_watch;

void deft__token_watch_init(deft__token_watch *watch, uint64_t settings, uint64_t all);
// Signatures as they are now. True: read them; that counts as done then.
bool deft__token_watch_look(deft__token_watch *watch, uint64_t settings, uint64_t all);

// DEFT_DUPLICATE: two of them are the same token, so that nobody can say what it may reach.
deft_status deft__token_list_check(const deft__token_list *list, deft_error *error);

#endif
