// source.h - what one file, variable or flag said. A config is a list of sources; joining them is
// resolve.h's work. A source is complete before it joins the list, so a bad file changes nothing.
#ifndef DEFT_CONFIG_SOURCE_H
#define DEFT_CONFIG_SOURCE_H

#include "base/arena.h"
#include "config/value.h"
#include "deft/config.h"

// Which of two values of one key in one group is meant. Ours wins over another product's word for
// it, and what was said outright over what follows from something else ("auto:5").
enum {
    DEFT__RANK_EXPLICIT = 1,
    DEFT__RANK_OWN      = 2
};

typedef struct deft__assignment {
    deft__key   key;
    deft__value value;
    unsigned    rank;   // DEFT__RANK_ bits
    size_t      line;   // in the file; 0 elsewhere
    deft_view   name;   // as it was spelled
    size_t      object; // offset of the object that it stood in: the same name there is a duplicate
} deft__assignment;

typedef struct deft__source_server {
    deft_server_config server;
    const deft_rule   *rules; // of its tools, patterns with the server's name: "github::create_*"
    size_t             rule_count;
} deft__source_server;

typedef struct deft__source {
    deft_layer           layer;
    size_t               group; // within a layer a later group wins; variables and flags share one
    deft_view            name;  // file, variable or flag
    bool                 has_dictionary; // an object of keys: for PraisonAI this alone means auto
    deft__assignment    *assignments;
    size_t               assignment_count;
    size_t               assignment_capacity;
    deft__source_server *servers;
    size_t               server_count;
    size_t               server_capacity;
    deft_token_config   *tokens; // in the arena
    size_t               token_count;
    bool                 has_tokens; // a list was given, also an empty one
    deft_warning        *warnings;
    size_t               warning_count;
    size_t               warning_capacity;
    deft__arena          arena; // everything that the above points to
} deft__source;

// More in one file are only counted: a person needs the first few.
#define DEFT__WARNINGS_MAX 100

// New: free with deft__source_free(). NULL when there is no memory.
deft__source *deft__source_new(deft_layer layer, deft_view name, const deft_allocator *allocator);
void          deft__source_free(deft__source *source); // NULL is fine

bool deft__source_assign(deft__source *source, const deft__assignment *assignment);

// Adds a value, and what follows from it: "auto:5" is also a percent, and PizzaPi's maxResults
// also the number of results where a search does not say.
bool deft__source_add_value(deft__source *source, deft__key_match match,
                            const deft__assignment *assignment);

bool deft__source_add_server(deft__source *source, const deft__source_server *server);

// `message` is copied.
bool deft__source_warn(deft__source *source, size_t line, const char *message);

#endif
