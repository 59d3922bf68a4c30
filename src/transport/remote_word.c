// What went wrong, as a clause that follows the server's name. What the server itself says is cut
// short and cleaned; values of headers that it repeats are taken out.
#include "base/fail.h"
#include "http/challenge.h"
#include "http/headers.h"
#include "http/syntax.h"
#include "transport/remote_private.h"

// The message of a JSON error, of whichever kind; empty: none.
static deft_view error_text(deft__remote *remote, deft_view body)
{
    static const char *const members[] = {"message", "error_description", "detail", "error"};
    if (deft__json_parse(&remote->arriving.document, body, NULL, NULL) != DEFT_OK) {
        return deft_view_of(NULL);
    }
    const deft__json_value root  = deft__json_root(&remote->arriving.document);
    const deft__json_value error = deft__json_member(root, "error");
    const deft__json_value place = deft__json_is(error, DEFT__JSON_OBJECT) ? error : root;
    deft_buffer_reset(&remote->arriving.scratch);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const deft__json_value text = deft__json_member(place, members[i]);
        if (deft__json_is(text, DEFT__JSON_STRING)) {
            return deft__json_string(text, &remote->arriving.scratch);
        }
    }
    return deft_view_of(NULL);
}

// What the page says for people to read; a page of HTML says nothing of that kind.
static deft_view page_text(const deft__flow *flow)
{
    const deft_view type = deft__fetch_header(flow->fetch, "Content-Type");
    const deft_view body = deft_buffer_view(&flow->body);
    if (deft__http_is_media_type(type, "application/json") ||
        deft__http_is_media_type(type, "application/problem+json")) {
        return error_text(flow->remote, body);
    } else if (deft__http_is_media_type(type, "text/plain")) {
        return deft__http_trim(body);
    } else {
        return deft_view_of(NULL);
    }
}

static void write_cause(const deft__flow *flow, deft_buffer *out)
{
    const int       status = deft__fetch_status(flow->fetch);
    const deft_view type   = deft__fetch_header(flow->fetch, "Content-Type");
    deft__quoted    quoted;
    if (status == 202 || status == 204 || (status < 300 && flow->body.size == 0)) {
        deft_buffer_append_text(out, "took the request and sent no answer");
    } else if (status < 300) {
        deft_buffer_append_text(out, "answered with ");
        deft_buffer_append_text(out, type.size > 0 ? deft__quote(&quoted, type)
                                                   : "something of no type");
        deft_buffer_append_text(out, " instead of JSON: is its url right?");
    } else {
        deft_buffer_append_text(out, "answered with HTTP ");
        deft_buffer_append_u64(out, (uint64_t)status);
    }
}

// Whether a server repeats the token that it got: then nothing of what it says is shown.
static bool holds(deft_view text, deft_view token)
{
    text = deft_view_slice(text, 0, DEFT__REMOTE_SAID_MAX + token.size); // no more is shown
    for (size_t i = 0; token.size > 0 && i + token.size <= text.size; i++) {
        if (deft_view_starts_with(deft_view_slice(text, i, token.size), token)) {
            return true;
        }
    }
    return false;
}

static void write_details(const deft__flow *flow, deft_buffer *out)
{
    const deft_view retry = deft__fetch_header(flow->fetch, "Retry-After");
    if (deft__http_all(retry, DEFT__HTTP_DIGIT) && retry.size < 8) {
        deft_buffer_append_text(out, ", to be tried again in ");
        deft_buffer_append(out, retry);
        deft_buffer_append_text(out, " s");
    }
    const deft_view text = page_text(flow);
    if (text.size > 0 && !holds(text, deft_buffer_view(&flow->remote->token))) {
        deft_buffer_append_text(out, ": ");
        deft__launch_write_safely(&flow->remote->launch, text, DEFT__REMOTE_SAID_MAX, out);
    }
}

void deft__flow_describe(const deft__flow *flow, deft_error *error)
{
    deft_buffer out;
    deft_buffer_init(&out, flow->remote->allocator);
    write_cause(flow, &out);
    if (deft__fetch_status(flow->fetch) >= 300) {
        write_details(flow, &out);
    }
    (void)deft__fail(error, DEFT_INVALID, 0, "%.*s", (int)out.size, out.size > 0 ? out.data : "");
    deft_buffer_clear(&out);
}

static bool has_bearer(deft_view challenges)
{
    deft__http_challenge challenge;
    while (deft__http_challenge_next(&challenges, &challenge) == DEFT_OK) {
        if (deft__http_same_text(challenge.scheme, "Bearer")) {
            return true;
        }
    }
    return false;
}

bool deft__remote_has_credentials(const deft__remote *remote)
{
    const deft_server_config *server = &remote->launch.server;
    for (size_t i = 0; i < server->header_count; i++) {
        if (deft__http_same_text(server->headers[i].name, "Authorization")) {
            return true;
        }
    }
    return false;
}

// Whether it is about rights that this one request needs, and others may not.
static bool is_about_scope(const deft__flow *flow, int status, deft_view challenges)
{
    deft__http_challenge challenge;
    deft_buffer          cause;
    bool                 is_it = false;
    deft_buffer_init(&cause, flow->remote->allocator);
    while (deft__http_challenge_next(&challenges, &challenge) == DEFT_OK) {
        deft_buffer_reset(&cause);
        is_it = is_it || (deft__http_same_text(challenge.scheme, "Bearer") &&
                          deft__http_challenge_parameter(&challenge, "error", &cause) &&
                          deft_view_equals(deft_buffer_view(&cause), "insufficient_scope"));
    }
    deft_buffer_clear(&cause);
    return is_it && status == 403 && flow->is_request &&
           (flow->role == DEFT__FLOW_CALL || flow->role == DEFT__FLOW_OTHER);
}

static void write_refusal(const deft__remote *remote, int status, deft_buffer *clause)
{
    deft__quoted name;
    if (deft__remote_has_credentials(remote)) {
        deft_buffer_append_text(clause, "does not accept the Authorization in its headers (HTTP ");
        deft_buffer_append_u64(clause, (uint64_t)status);
        deft_buffer_append_byte(clause, ')');
    } else {
        deft_buffer_append_text(clause, "wants a login (HTTP ");
        deft_buffer_append_u64(clause, (uint64_t)status);
        deft_buffer_append_text(clause, "): run 'deft login ");
        deft_buffer_append_text(clause, deft__quote(&name, remote->launch.server.name));
        deft_buffer_append_byte(clause, '\'');
    }
}

// 403 is also what a wrong Host or Origin gets; with a challenge it is about rights.
static bool is_about_login(const deft__flow *flow, int status)
{
    return status == 401 ||
           (status == 403 && has_bearer(deft_buffer_view(&flow->remote->challenge)));
}

bool deft__flow_take_renewal(deft__flow *flow, deft_buffer *clause)
{
    deft__remote *remote = flow->remote;
    const int     status = deft__fetch_status(flow->fetch);
    deft_buffer_reset(&remote->challenge);
    deft__fetch_write_header(flow->fetch, "WWW-Authenticate", &remote->challenge);
    if (!is_about_login(flow, status) || remote->options.refused == NULL ||
        deft__remote_has_credentials(remote) ||
        !remote->options.refused(remote->options.context, status,
                                 deft_buffer_view(&remote->challenge), flow->token_number,
                                 flow->was_refused, clause) ||
        flow->was_refused) {
        return false;
    }
    // It was not begun with, so that sending it again is not doing it twice.
    flow->was_refused = true;
    flow->is_parked   = true;
    return true;
}

bool deft__flow_take_login(deft__flow *flow)
{
    deft__remote *remote = flow->remote;
    const int     status = deft__fetch_status(flow->fetch);
    deft_buffer   clause;
    deft_buffer_init(&clause, remote->allocator);
    const bool is_renewed = deft__flow_take_renewal(flow, &clause);
    if (is_renewed || !is_about_login(flow, status)) {
        deft_buffer_clear(&clause);
        return is_renewed;
    }
    if (clause.size == 0) {
        write_refusal(remote, status, &clause);
    }
    const deft_view said =
        clause.status == DEFT_OK ? deft_buffer_view(&clause) : deft_view_of("wants a login");
    if (is_about_scope(flow, status, deft_buffer_view(&remote->challenge))) {
        deft__flow_fail(flow, said);
    } else {
        remote->is_login_wanted = !remote->is_over;
        deft__remote_end(remote, said);
    }
    deft_buffer_clear(&clause);
    return true;
}
