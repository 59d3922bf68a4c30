#include "support/remote_play.h"

#include <stdlib.h>

const char *const test_play_environment[] = {"TOKEN=" TOKEN, NULL};

// --- What happens. --------------------------------------------------------------------------------

static void happen(test_play *one, const char *what, deft_view a, const char *between, deft_view b)
{
    deft_buffer_append_text(&one->events, what);
    deft_buffer_append(&one->events, a);
    deft_buffer_append_text(&one->events, between);
    deft_buffer_append(&one->events, b);
    deft_buffer_append_byte(&one->events, '\0');
    if (one->frees) {
        deft__remote_free(one->remote);
        one->remote = NULL;
    }
}

static const deft_view nothing;

static void received(void *context, deft_view line)
{
    happen(context, "< ", line, "", nothing);
}

static void overflowed(void *context)
{
    happen(context, "overflowed", nothing, "", nothing);
}

static void unanswered(void *context, deft_view id, deft_view reason)
{
    happen(context, "unanswered ", id, ": ", reason);
}

static void closed(void *context, deft_view reason)
{
    test_play *one = context;
    assert_false(one->is_closed);
    one->is_closed = true;
    happen(one, "closed: ", reason, "", nothing);
}

static void unauthorized(void *context, deft_view reason, deft_view challenge)
{
    test_play *one = context;
    assert_false(one->is_closed);
    one->is_closed = true;
    happen(one, "login: ", reason, "|", challenge);
}

static void noted(void *context, deft_view clause)
{
    happen(context, "noted: ", clause, "", nothing);
}

static bool give_token(void *context, deft_view *token, uint32_t *number)
{
    const test_play *one = context;
    if (one->is_token_late) {
        return false;
    }
    *token  = deft_view_of(one->tokens[one->token]);
    *number = one->token;
    return true;
}

static bool refused(void *context, int status, deft_view challenge, uint32_t number, bool is_last,
                    deft_buffer *clause)
{
    test_play *one = context;
    char       what[64];
    snprintf(what, sizeof what, "refused %d of %u%s: ", status, (unsigned)number,
             is_last ? " for good" : "");
    happen(one, what, challenge, "", nothing);
    if (is_last || one->tokens[one->token + 1] == NULL) {
        deft_buffer_append_text(clause, status == 403 ? "wants more" : "");
        return false;
    }
    one->token++;
    return true;
}

// --- Steps. ---------------------------------------------------------------------------------------

static bool takes(const char **text, const char *word)
{
    const size_t size    = strlen(word);
    const bool   is_word = strncmp(*text, word, size) == 0;
    *text += is_word ? size : 0;
    return is_word;
}

// "a|b": cuts at the bar.
static const char *cut(char *text)
{
    char *bar = strchr(text, '|');
    assert_non_null(bar);
    *bar = '\0';
    return bar + 1;
}

// Whether a step is done, or what it waits for has happened.
static bool is_done(test_play *one)
{
    const char *step = one->step;
    char        text[2000];
    snprintf(text, sizeof text, "%s", step);
    const char *rest = text;
    if (takes(&rest, "heard ")) {
        char        *end    = NULL;
        const size_t wanted = strtoul(rest, &end, 10);
        const char  *holds  = cut(end + 1);
        return test_web_server_count(one->server, end + 1, holds) == wanted;
    } else if (takes(&rest, "push ")) {
        char       *request = text + (rest - text);
        const char *bytes   = cut(request);
        return test_web_server_push(one->server, request, bytes);
    } else if (takes(&rest, "hang up ")) {
        return test_web_server_hang_up(one->server, rest);
    } else if (takes(&rest, "open ")) {
        return test_web_server_push(one->server, rest, "");
    }
    return one->seen < one->events.size;
}

static void look(void *context)
{
    test_play *one = context;
    if (is_done(one)) {
        deft__loop_stop(one->loop);
    } else {
        deft__loop_defer(one->loop, &one->look);
    }
}

static void expect_event(test_play *one, const char *wanted)
{
    const char *got = one->events.data + one->seen;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (const char *byte = wanted; *byte != '\0'; byte++) {
        deft_buffer_append_byte(&text, (char)(*byte == '\'' && wanted[0] == '<' ? '"' : *byte));
    }
    deft_buffer_append_byte(&text, '\0');
    assert_string_equal(got, text.data);
    one->seen += strlen(got) + 1;
    deft_buffer_clear(&text);
}

static void send_line(test_play *one, const char *line)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (; *line != '\0'; line++) {
        deft_buffer_append_byte(&text, (char)(*line == '\'' ? '"' : *line));
    }
    deft__remote_send(one->remote, deft_buffer_view(&text));
    deft_buffer_clear(&text);
}

static bool is_event(const char *step)
{
    static const char *const words[] = {"< ",         "unanswered ", "closed: ", "login",
                                        "overflowed", "noted: ",     "refused "};
    for (size_t i = 0; i < array_size(words); i++) {
        if (strncmp(step, words[i], strlen(words[i])) == 0) {
            return true;
        }
    }
    return false;
}

void test_play_step(test_play *one, const char *step)
{
    const char *rest = step;
    one->step        = step;
    if (takes(&rest, "> ")) {
        send_line(one, rest);
    } else if (takes(&rest, "stop")) {
        deft__remote_stop(one->remote);
    } else if (takes(&rest, "renewed")) {
        one->is_token_late = false;
        deft__remote_renewed(one->remote);
    } else if (takes(&rest, "vanish")) {
        test_web_server_close(one->server);
    } else {
        deft__loop_defer(one->loop, &one->look);
        test_loop_run(one->loop);
        if (is_event(step)) {
            expect_event(one, step);
        }
    }
}

// --- Playing. -------------------------------------------------------------------------------------

void test_play_init(test_play *one, const test_conversation *now)
{
    deft_error error = DEFT_ERROR_INIT;
    // Ours are on loopback, and a proxy is not asked for those; but this must not depend on it.
    unsetenv("http_proxy");
    *one = (test_play){
        .loop = test_loop_new(), .tokens = now->tokens, .is_token_late = now->is_token_late};
    deft_buffer_init(&one->events, NULL);
    deft__task_init(&one->look, look, one);
    one->fetcher = deft__fetcher_new(one->loop, test_play_environment, 0, &error);
    one->server  = test_web_server_new(one->loop, now->answers);
    assert_non_null(one->fetcher);

    static const deft_pair headers[] = {
        {DEFT_VIEW_INIT("X-Key"), DEFT_VIEW_INIT("${TOKEN}")},
        {DEFT_VIEW_INIT("Accept"), DEFT_VIEW_INIT("not/yours")},
        {DEFT_VIEW_INIT("mcp-method"), DEFT_VIEW_INIT("nor this")},
    };
    char url[200];
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", test_web_server_port(one->server),
             now->path != NULL ? now->path : "/mcp");
    deft_buffer tools;
    deft_buffer_init(&tools, NULL);
    for (const char *byte = now->tools; byte != NULL && *byte != '\0'; byte++) {
        deft_buffer_append_byte(&tools, (char)(*byte == '\'' ? '"' : *byte));
    }
    const deft_server_config server = {
        .name      = DEFT_VIEW_INIT("github"),
        .transport = now->transport != DEFT_TRANSPORT_STDIO ? now->transport : DEFT_TRANSPORT_HTTP,
        .url       = deft_view_of(url),
        .headers   = headers,
        .header_count = array_size(headers),
    };
    const deft__remote_options options = {
        .server           = &server,
        .environment      = test_play_environment,
        .tools            = deft_buffer_view(&tools),
        .fetcher          = one->fetcher,
        .context          = one,
        .received         = received,
        .overflowed       = overflowed,
        .unanswered       = unanswered,
        .closed           = closed,
        .unauthorized     = unauthorized,
        .noted            = noted,
        .token            = now->tokens != NULL ? give_token : NULL,
        .refused          = now->tokens != NULL ? refused : NULL,
        .message_size_max = now->message_size_max,
        .retry_ms         = 10,
        .held_ms          = now->is_hasty ? 1 : 0,
    };
    one->remote = deft__remote_start(one->loop, &options, &error);
    if (one->remote == NULL) {
        fail_msg("%s", error.message);
    }
    deft_buffer_clear(&tools);
}

void test_play_clear(test_play *one)
{
    deft__remote_free(one->remote);
    deft__loop_undefer(one->loop, &one->look);
    test_web_server_free(one->server);
    deft__fetcher_free(one->fetcher);
    deft__loop_free(one->loop);
    if (one->seen != one->events.size) {
        fail_msg("and then: %s", one->events.data + one->seen);
    }
    deft_buffer_clear(&one->events);
}

void test_play_all(const test_conversation *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        case_name(cases[i].name);
        test_play one;
        test_play_init(&one, &cases[i]);
        for (const char *const *step = cases[i].steps; *step != NULL; step++) {
            test_play_step(&one, *step);
        }
        // No secret is in what people read.
        for (size_t at = 0; at + strlen(TOKEN) <= one.events.size; at++) {
            assert_memory_not_equal(one.events.data + at, TOKEN, strlen(TOKEN));
        }
        test_play_clear(&one);
    }
}
