// curl.h - libcurl, loaded when the first remote server is spoken to. It brings 25 libraries along
// (TLS, Kerberos, LDAP, ...), which cost every start 5 ms and 4 MB; most people have local servers
// only. So the program is not linked to it, and calls it through this table.
#ifndef DEFT_TRANSPORT_CURL_H
#define DEFT_TRANSPORT_CURL_H

#include "deft/error.h"

#include <stdbool.h>

// The checks of option types are macros under the functions' own names, and could not see these.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define DEFT__CURL_FUNCTIONS(X)                                                                    \
    X(global_init_mem)                                                                             \
    X(global_cleanup)                                                                              \
    X(easy_init)                                                                                   \
    X(easy_cleanup)                                                                                \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_header)                                                                                 \
    X(easy_strerror)                                                                               \
    X(multi_init)                                                                                  \
    X(multi_cleanup)                                                                               \
    X(multi_setopt)                                                                                \
    X(multi_add_handle)                                                                            \
    X(multi_remove_handle)                                                                         \
    X(multi_info_read)                                                                             \
    X(multi_socket_action)                                                                         \
    X(multi_assign)                                                                                \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(url)                                                                                         \
    X(url_cleanup)                                                                                 \
    X(url_set)                                                                                     \
    X(url_get)                                                                                     \
    X(free)

// `curl->easy_init()` is curl_easy_init().
typedef struct deft__curl {
#define DEFT__CURL_FIELD(name) __typeof__(curl_##name) *name; // NOLINT(bugprone-macro-parentheses)
    DEFT__CURL_FUNCTIONS(DEFT__CURL_FIELD)
#undef DEFT__CURL_FIELD
} deft__curl;

// The library, for as long as the process lives. NULL: it is not installed, or too old; the message
// says what to install. Any thread may ask.
const deft__curl *deft__curl_load(deft_error *error);

// The same with other names of the library, NULL last, into a table of the caller's. False: failed.
bool deft__curl_load_named(deft__curl *curl, const char *const *names, deft_error *error);

#endif
