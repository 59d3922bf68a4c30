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

#endif
