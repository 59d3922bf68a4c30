// Who asks, and whether it may ask now. A token that is nobody's costs whoever shows it, and nobody
// else: when there are too many of these they are turned away with less, while a good one is let in as
// always.
#include "http/headers.h"
#include "web/private.h"

#include <inttypes.h>
#include <stdio.h>

// What a call that came too soon is told; outside of what the protocol keeps for itself.
#define TOO_MANY_CODE 429

// With no token there is no error in it (RFC 6750, section 3.1).
static const char challenge[] = "Bearer realm=\"deft\"";
static const char invalid[]   = "Bearer realm=\"deft\", error=\"invalid_token\", "
                                "error_description=\"the token is unknown or has expired\"";

bool deft__web_find_principal(deft__web_connection *connection)
{
    deft__web         *web     = connection->web;
    deft__web_request *request = connection->request;
    deft_view          value   = {NULL, 0};
    deft_view          token   = {NULL, 0};
    const bool is_given = deft__http_find(&request->head, "Authorization", &value) == DEFT_OK &&
                          deft__http_bearer(value, &token) != DEFT_NOT_FOUND;
    request->principal = deft__access_find(&web->access, token, web->date_s);
    if (request->principal != NULL) {
        return true;
    }
    if (deft__access_fail(&web->access, web->now_ms)) {
        deft__web_answer(connection, 401, "text/plain", deft_view_of("a bearer token is needed\n"),
                         "WWW-Authenticate", deft_view_of(is_given ? invalid : challenge));
    } else {
        request->head.is_kept_alive = false;
        connection->is_kept_alive   = false;
        deft__web_answer(connection, 429, "text/plain",
                         deft_view_of("too many requests without a good token\n"), "Retry-After",
                         deft_view_of("1"));
    }
    return false;
}

bool deft__web_admit(deft__web_connection *connection, const deft__mcp_message *message)
{
    deft__web         *web     = connection->web;
    deft__web_request *request = connection->request;
    const char        *why     = "";
    char               seconds[24];
    if (deft_view_equals(message->method, "ping")) {
        return true;
    }
    const uint64_t wait_s = deft__principal_begin(request->principal, web->now_ms, &why);
    if (wait_s == 0) {
        request->is_counted = true;
        if (deft_view_equals(message->method, "subscriptions/listen")) {
            request->is_counted = false; // it waits for ever, and for nothing
            deft__principal_end(request->principal);
        }
        return true;
    }
    (void)snprintf(seconds, sizeof seconds, "%" PRIu64, wait_s);
    deft_buffer_reset(&web->text);
    deft__mcp_write_error(&web->text, message->id, TOO_MANY_CODE, deft_view_of(why),
                          deft_view_of(NULL));
    deft__web_answer(connection, 429, "application/json", deft_buffer_view(&web->text),
                     "Retry-After", deft_view_of(seconds));
    return false;
}
