// Numbers for Prometheus. A token that may not reach everything is shown its own lines only: how many
// tools and servers there are besides is none of its business, nor who else there is.
#include "web/private.h"

static void append_help(deft_buffer *out, const char *name, const char *kind, const char *help)
{
    deft_buffer_append_text(out, "# HELP ");
    deft_buffer_append_text(out, name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, help);
    deft_buffer_append_text(out, "\n# TYPE ");
    deft_buffer_append_text(out, name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, kind);
    deft_buffer_append_byte(out, '\n');
}

static void append_metric(deft_buffer *out, const char *name, const char *kind, const char *help,
                          uint64_t value)
{
    append_help(out, name, kind, help);
    deft_buffer_append_text(out, name);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_u64(out, value);
    deft_buffer_append_byte(out, '\n');
}

// Names of tokens need no escaping: see deft__token.
static void append_of(deft_buffer *out, const char *name, const deft__web_principal *principal,
                      const char *reason, uint64_t value)
{
    deft_buffer_append_text(out, name);
    deft_buffer_append_text(out, "{token=\"");
    deft_buffer_append(out, principal->token.name);
    if (reason != NULL) {
        deft_buffer_append_text(out, "\",reason=\"");
        deft_buffer_append_text(out, reason);
    }
    deft_buffer_append_text(out, "\"} ");
    deft_buffer_append_u64(out, value);
    deft_buffer_append_byte(out, '\n');
}

static void append_whole(const deft__web *web, deft_buffer *out)
{
    const deft__snapshot *snapshot = deft__gateway_snapshot(web->gateway);
    uint64_t              ready    = 0;
    for (size_t i = 0; i < deft__gateway_server_count(web->gateway); i++) {
        const deft__link *link = deft__gateway_link(web->gateway, i);
        ready += deft__link_state_of(link) == DEFT__LINK_READY ? 1 : 0;
    }
    append_metric(out, "deft_http_requests_total", "counter", "Requests so far.",
                  web->request_count);
    append_metric(out, "deft_http_unauthorized_total", "counter",
                  "Requests without a good token so far.", web->access.failure_count);
    append_metric(out, "deft_http_connections", "gauge", "Connections now.", web->connection_count);
    append_metric(out, "deft_http_open_requests", "gauge", "Requests not yet answered.",
                  web->open_count);
    append_metric(out, "deft_sessions", "gauge", "Legacy sessions now.", web->session_count);
    append_metric(out, "deft_servers", "gauge", "Servers configured.",
                  deft__gateway_server_count(web->gateway));
    append_metric(out, "deft_servers_ready", "gauge", "Servers that run.", ready);
    append_metric(out, "deft_tools", "gauge", "Tools known.",
                  snapshot != NULL ? deft_catalog_tool_count(snapshot->catalog) : 0);
}

// Lines of one metric stand together, as the format wants it; `only` NULL: all tokens.
static void append_tokens(const deft__web *web, const deft__web_principal *only, deft_buffer *out)
{
    static const struct {
        const char *name;
        const char *kind;
        const char *help;
    } metrics[] = {
        {"deft_token_calls_total", "counter", "Calls that were let in, by token."},
        {"deft_token_refused_total", "counter", "Calls that were refused, by token and limit."},
        {"deft_token_open_calls", "gauge", "Calls not yet answered, by token."},
        {"deft_token_sessions", "gauge", "Legacy sessions now, by token."},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        const char *name = metrics[i].name;
        append_help(out, name, metrics[i].kind, metrics[i].help);
        for (const deft__web_principal *one = web->access.principals; one != NULL;
             one                            = one->next) {
            if (only != NULL && one != only) {
                continue;
            }
            if (i == 0) {
                append_of(out, name, one, NULL, one->call_count);
            } else if (i == 1) {
                append_of(out, name, one, "rate", one->too_fast_count);
                append_of(out, name, one, "concurrency", one->too_many_count);
            } else if (i == 2) {
                append_of(out, name, one, NULL, one->open_count);
            } else {
                append_of(out, name, one, NULL, one->session_count);
            }
        }
    }
}

void deft__web_answer_metrics(deft__web_connection *connection)
{
    const deft__web           *web       = connection->web;
    const deft__web_principal *principal = connection->request->principal;
    const bool                 is_whole  = principal->restriction == NULL;
    deft_buffer                text;
    deft_buffer_init(&text, web->allocator);
    if (is_whole) {
        append_whole(web, &text);
    }
    if (web->access.is_needed) {
        append_tokens(web, is_whole ? NULL : principal, &text);
    }
    deft__web_answer(connection, text.status == DEFT_OK ? 200 : 503, "text/plain; version=0.0.4",
                     deft_buffer_view(&text), NULL, deft_view_of(NULL));
    deft_buffer_clear(&text);
}
