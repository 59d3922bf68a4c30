#include "support/link_script.h"

#include "gateway/link.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdlib.h>

#define NAMES_MAX 64
#define WHENS_MAX 8

typedef struct player player;

// One request of the script.
typedef struct named {
    player         *player;
    deft_view       name;
    deft__exchange *exchange; // NULL: it has ended, or was never accepted
    bool            is_open;
} named;

typedef struct when {
    deft_view text;
    deft_view event; // empty: it has happened
} when;

struct player {
    deft_buffer          *out;
    deft__timers          timers;
    deft__link_options    options;
    deft__link_driver     driver;
    deft__link_listener   listener;
    deft__manifest       *manifest;
    deft__link           *link;
    bool                  is_fresh;
    bool                  is_hopeless; // there was no memory for the link itself
    unsigned              capabilities;
    uint32_t              life;
    named                 names[NAMES_MAX];
    size_t                name_count;
    when                  whens[WHENS_MAX];
    size_t                when_count;
    const deft_allocator *allocator;
};

static void happen(player *self, deft_view event);

// One line of what happened; then whatever was to happen when it did.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(player *self, const char *format, ...)
{
    char    text[64 * 1024];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    deft_buffer_append_text(self->out, "    ");
    deft_buffer_append_text(self->out, text);
    deft_buffer_append_byte(self->out, '\n');
    for (size_t i = 0; i < self->when_count; i++) {
        const deft_view event = self->whens[i].event;
        if (event.size > 0 && deft_view_starts_with(deft_view_of(text), self->whens[i].text)) {
            self->whens[i].event = deft_view_of(NULL);
            happen(self, event);
        }
    }
}

// --- What the link does

static void on_start(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    player *self = context;
    self->life   = life;
    say(self, "start %" PRIu32, life);
}

static void on_send(void *context, deft__link *link, uint32_t life, deft_view line)
{
    (void)link;
    player *self = context;
    assert_int_equal(life, self->life);
    assert_null(memchr(line.data, '\n', line.size));
    say(self, "server < %.*s", (int)line.size, line.data);
}

static void on_stop(void *context, deft__link *link, uint32_t life)
{
    (void)link;
    say(context, "stop %" PRIu32, life);
}

static void on_changed(void *context, deft__link *link)
{
    say(context, "state %s", deft__link_state_name(deft__link_state_of(link)));
}

static void on_learned(void *context, deft__link *link, deft__manifest *manifest)
{
    assert_ptr_equal(manifest, deft__link_manifest(link));
    say(context, "learned %.*s", (int)manifest->text.size, manifest->text.data);
}

static void on_confirmed(void *context, deft__link *link)
{
    (void)link;
    say(context, "confirmed");
}

static void on_notified(void *context, deft__link *link, const deft__mcp_message *message)
{
    (void)link;
    const deft_view params = deft__json_raw(message->params);
    say(context, "notified %.*s %.*s", (int)message->method.size, message->method.data,
        (int)params.size, params.size > 0 ? params.data : "");
}

static void on_asked(void *context, deft__link *link, uint64_t ask, deft__exchange *exchange,
                     const deft__mcp_message *message)
{
    (void)link;
    const named    *request = exchange != NULL ? deft__exchange_context(exchange) : NULL;
    const deft_view name    = request != NULL ? request->name : deft_view_of("nothing");
    say(context, "asked %" PRIu64 " for %.*s: %.*s", ask, (int)name.size, name.data,
        (int)message->method.size, message->method.data);
}

static void on_unasked(void *context, deft__link *link, uint64_t ask)
{
    (void)link;
    say(context, "unasked %" PRIu64, ask);
}

static const char *ending_name(deft__ending ending)
{
    switch (ending) {
    case DEFT__ENDING_RESULT:
        return "result";
    case DEFT__ENDING_ERROR:
        return "error";
    case DEFT__ENDING_FAILED:
        return "failed";
    case DEFT__ENDING_TIMEOUT:
        return "timeout";
    case DEFT__ENDING_CANCELLED:
        return "cancelled";
    case DEFT__ENDING_CLOSED:
        return "closed";
    }
    return "?";
}

static void on_finish(void *context, deft__exchange *exchange, const deft__outcome *outcome)
{
    named *request = context;
    assert_true(request->is_open);
    assert_ptr_equal(deft__exchange_link(exchange), request->player->link);
    // NULL only while deft__link_request has not returned, which must not be.
    assert_ptr_equal(exchange, request->exchange);
    deft_view text = outcome->reason;
    if (outcome->ending == DEFT__ENDING_RESULT) {
        text = deft__json_raw(outcome->message->result);
    } else if (outcome->ending == DEFT__ENDING_ERROR) {
        text = deft__json_raw(outcome->message->error);
    } else {
        assert_true(outcome->reason.size > 0);
    }
    request->is_open  = false;
    request->exchange = NULL;
    say(request->player, "finish %.*s %s: %.*s", (int)request->name.size, request->name.data,
        ending_name(outcome->ending), (int)text.size, text.size > 0 ? text.data : "");
    // What has ended cannot be cancelled.
    deft__exchange_cancel(exchange, deft_view_of("too late"));
}

static void on_progress(void *context, deft__exchange *exchange, const deft__mcp_message *message)
{
    const named *request = context;
    assert_ptr_equal(exchange, request->exchange);
    const deft_view params = deft__json_raw(message->params);
    say(request->player, "progress %.*s %.*s", (int)request->name.size, request->name.data,
        (int)params.size, params.data);
}

// --- What happens to it

// The text up to the next space, which is taken off `rest`.
static deft_view take_word(deft_view *rest)
{
    size_t size = 0;
    while (size < rest->size && rest->data[size] != ' ') {
        size++;
    }
    const deft_view word = deft_view_slice(*rest, 0, size);
    *rest                = deft_view_slice(*rest, size + 1, SIZE_MAX);
    return word;
}

static uint64_t number_of(deft_view text)
{
    char digits[24] = "";
    assert_true(text.size > 0 && text.size < sizeof digits);
    memcpy(digits, text.data, text.size);
    char          *end   = NULL;
    const uint64_t value = strtoull(digits, &end, 10);
    assert_true(end > digits);
    return value;
}

static void set_option(player *self, deft_view rest)
{
    const deft_view name = take_word(&rest);
    if (deft_view_equals(name, "era")) {
        assert_true(deft__mcp_era_from_name(rest, &self->options.era));
        return;
    }
    const uint64_t value = number_of(rest);
#define OPTION(field)                                                                              \
    if (deft_view_equals(name, #field)) {                                                          \
        self->options.field = value;                                                               \
        return;                                                                                    \
    }
    if (deft_view_equals(name, "calls_max")) {
        self->options.calls_max = (uint32_t)value;
        return;
    }
    if (deft_view_equals(name, "queue_max")) {
        self->options.queue_max = (uint32_t)value;
        return;
    }
    OPTION(probe_timeout_ms)
    OPTION(start_timeout_ms)
    OPTION(call_timeout_ms)
    OPTION(call_time_max_ms)
    OPTION(idle_stop_ms)
    OPTION(backoff_min_ms)
    OPTION(backoff_max_ms)
    OPTION(list_pages_max)
    OPTION(list_size_max)
#undef OPTION
    if (deft_view_equals(name, "is_disabled")) {
        self->options.is_disabled = value != 0;
        return;
    }
    if (deft_view_equals(name, "is_remote")) {
        self->options.is_remote = value != 0;
        return;
    }
    fail_msg("no option '%.*s'", (int)name.size, name.data);
}

static void set_client(player *self, deft_view rest)
{
    while (rest.size > 0) {
        const deft_view bit = take_word(&rest);
        if (deft_view_equals(bit, "roots")) {
            self->capabilities |= DEFT__MCP_CLIENT_ROOTS;
        } else if (deft_view_equals(bit, "sampling")) {
            self->capabilities |= DEFT__MCP_CLIENT_SAMPLING;
        } else {
            assert_true(deft_view_equals(bit, "elicitation"));
            self->capabilities |= DEFT__MCP_CLIENT_ELICITATION;
        }
    }
}

static deft_view without_braces(deft_view object)
{
    assert_true(object.size >= 2 && object.data[0] == '{');
    return deft_view_make(object.data + 1, object.size - 2);
}

static bool take_setting(deft_view word, const char *name, deft_view *value)
{
    const deft_view prefix = deft_view_of(name);
    if (!deft_view_starts_with(word, prefix)) {
        return false;
    }
    *value = deft_view_slice(word, prefix.size, SIZE_MAX);
    return true;
}

static void ask(player *self, deft_view rest)
{
    assert_true(self->name_count < NAMES_MAX);
    named *request       = &self->names[self->name_count++];
    *request             = (named){.player = self, .name = take_word(&rest)};
    char      method[64] = "";
    deft_view word       = take_word(&rest);
    assert_true(word.size < sizeof method);
    memcpy(method, word.data, word.size);
    deft__exchange_options options = {
        .method = method, .finish = on_finish, .progress = on_progress, .context = request};
    while (rest.size > 0) {
        deft_view value = {0};
        word            = take_word(&rest);
        if (word.data[0] == '{') {
            options.members = without_braces(word);
        } else if (take_setting(word, "meta=", &value)) {
            options.meta = without_braces(value);
        } else if (take_setting(word, "capabilities=", &value)) {
            options.capabilities = value;
        } else if (take_setting(word, "level=", &value)) {
            options.log_level = value;
        } else if (take_setting(word, "timeout=", &value)) {
            options.timeout_ms = number_of(value);
        } else if (deft_view_equals(word, "lasting")) {
            options.is_lasting = true;
        } else {
            assert_true(deft_view_equals(word, "progress"));
            options.wants_progress = true;
        }
    }
    deft_error error  = DEFT_ERROR_INIT;
    request->exchange = deft__link_request(self->link, &options, &error);
    request->is_open  = request->exchange != NULL;
    if (request->exchange == NULL) {
        assert_true(error.message[0] != '\0');
        say(self, "refused %.*s: %s: %s", (int)request->name.size, request->name.data,
            deft_status_name(error.status), error.message);
    }
}

static void cancel(player *self, deft_view rest)
{
    const deft_view name = take_word(&rest);
    for (size_t i = 0; i < self->name_count; i++) {
        if (deft_view_equal(self->names[i].name, name)) {
            if (self->names[i].exchange != NULL) {
                deft__exchange_cancel(self->names[i].exchange, rest);
            }
            return;
        }
    }
    fail_msg("no request '%.*s'", (int)name.size, name.data);
}

// As a loop would: at each moment at which something is due.
static void pass_time(player *self, uint64_t ms)
{
    const uint64_t end = self->timers.now_ms + ms;
    while (deft__timers_next(&self->timers) <= end) {
        deft__timers_advance(&self->timers, deft__timers_next(&self->timers));
    }
    deft__timers_advance(&self->timers, end);
}

static void show(player *self)
{
    const deft__link *link   = self->link;
    const deft_view   reason = deft__link_reason(link);
    say(self, "%s, %s, %zu open, %" PRIu64 " ignored%s%.*s",
        deft__link_state_name(deft__link_state_of(link)), deft__mcp_era_name(deft__link_era(link)),
        deft__link_open_count(link), deft__link_ignored_count(link), reason.size > 0 ? ": " : "",
        (int)reason.size, reason.size > 0 ? reason.data : "");
    if (deft__link_retry_at_ms(link) > 0) {
        say(self, "retry in %" PRIu64 "ms", deft__link_retry_at_ms(link) - self->timers.now_ms);
    }
}

static void make_link(player *self)
{
    if (self->link == NULL) {
        deft_error error = DEFT_ERROR_INIT;
        self->link       = deft__link_new(deft_view_of("github"), &self->options, &self->driver,
                                          &self->listener, &self->timers, self->manifest, self->is_fresh,
                                          deft_view_of("{\"name\":\"deft\"}"), self->capabilities,
                                          self->allocator, &error);
        if (self->link == NULL) {
            assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
            self->is_hopeless = true;
        } else {
            deft__link_set_tag(self->link, self);
            assert_ptr_equal(deft__link_tag(self->link), self);
            assert_view_equal(deft__link_name(self->link), "github");
        }
    }
}

static void set_manifest(player *self, deft_view rest)
{
    deft_error error = DEFT_ERROR_INIT;
    self->is_fresh   = deft_view_equals(take_word(&rest), "fresh");
    self->manifest   = deft__manifest_new(rest, NULL, &error);
    assert_non_null(self->manifest);
}

// What comes from the driver. False: it is something else.
static bool happen_below(player *self, deft_view word, deft_view rest)
{
    uint32_t life = self->life;
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] == '@') {
            life = (uint32_t)number_of(deft_view_slice(word, i + 1, SIZE_MAX));
            word = deft_view_slice(word, 0, i);
        }
    }
    if (deft_view_equals(word, "server")) {
        assert_true(deft_view_equals(take_word(&rest), ">"));
        deft__link_received(self->link, life, rest);
    } else if (deft_view_equals(word, "opened")) {
        deft__link_opened(self->link, life);
    } else if (deft_view_equals(word, "closed")) {
        deft__link_closed(self->link, life, rest);
    } else if (deft_view_equals(word, "unauthorized")) {
        deft__link_unauthorized(self->link, life, rest);
    } else if (deft_view_equals(word, "unanswered")) {
        const deft_view id = take_word(&rest);
        deft__link_unanswered(self->link, life, id, rest);
    } else if (deft_view_equals(word, "overflowed")) {
        deft__link_overflowed(self->link, life);
    } else {
        return false;
    }
    return true;
}

static void answer(player *self, deft_view word, deft_view rest)
{
    const uint64_t number = number_of(take_word(&rest));
    if (deft_view_equals(word, "answer")) {
        deft__link_answer(self->link, number, rest);
    } else {
        const int64_t code = -(int64_t)number_of(deft_view_slice(take_word(&rest), 1, SIZE_MAX));
        deft__link_refuse(self->link, number, code, rest);
    }
}

static void notify(player *self, deft_view rest)
{
    char            method[64] = "";
    const deft_view word       = take_word(&rest);
    assert_true(word.size < sizeof method);
    memcpy(method, word.data, word.size);
    deft__link_notify(self->link, method, rest);
}

static void wait_for(player *self, deft_view rest)
{
    assert_true(self->when_count < WHENS_MAX);
    for (size_t i = 0; i + 4 <= rest.size; i++) {
        if (memcmp(rest.data + i, " => ", 4) == 0) {
            self->whens[self->when_count++] =
                (when){deft_view_slice(rest, 0, i), deft_view_slice(rest, i + 4, SIZE_MAX)};
            return;
        }
    }
    fail_msg("when TEXT => EVENT");
}

static void happen(player *self, deft_view event)
{
    deft_view       rest = event;
    const deft_view word = take_word(&rest);
    if (deft_view_equals(word, "option")) {
        set_option(self, rest);
    } else if (deft_view_equals(word, "client")) {
        set_client(self, rest);
    } else if (deft_view_equals(word, "manifest")) {
        set_manifest(self, rest);
    } else if (deft_view_equals(word, "when")) {
        wait_for(self, rest);
    } else {
        make_link(self);
        if (self->is_hopeless || happen_below(self, word, rest)) {
            return;
        } else if (deft_view_equals(word, "ask")) {
            ask(self, rest);
        } else if (deft_view_equals(word, "cancel")) {
            cancel(self, rest);
        } else if (deft_view_equals(word, "clock")) {
            assert_true(deft_view_equals(take_word(&rest), "+"));
            pass_time(self, number_of(rest));
        } else if (deft_view_equals(word, "discover")) {
            deft__link_discover(self->link);
        } else if (deft_view_equals(word, "stop")) {
            deft__link_stop(self->link, rest);
        } else if (deft_view_equals(word, "quarantine") || deft_view_equals(word, "release")) {
            deft__link_set_quarantined(self->link, deft_view_equals(word, "quarantine"));
        } else if (deft_view_equals(word, "answer") || deft_view_equals(word, "refuse")) {
            answer(self, word, rest);
        } else if (deft_view_equals(word, "notify")) {
            notify(self, rest);
        } else if (deft_view_equals(word, "show")) {
            show(self);
        } else {
            fail_msg("no event '%.*s'", (int)word.size, word.data);
        }
    }
}

// The link goes first: what is still open ends with it.
static void finish_play(player *self)
{
    deft__link_free(self->link);
    self->link = NULL;
    for (size_t i = 0; i < self->name_count; i++) {
        assert_false(self->names[i].is_open);
    }
    assert_int_equal(self->timers.count, 0);
    assert_int_equal(self->timers.reserved, 0);
    deft__timers_clear(&self->timers);
    deft__manifest_release(self->manifest);
}

void test_link_script_play(deft_view script, const deft_allocator *allocator,
                           deft_buffer *transcript)
{
    player self           = {.out       = transcript,
                             .allocator = allocator,
                             .driver    = {.start = on_start, .send = on_send, .stop = on_stop},
                             .listener  = {.changed   = on_changed,
                                           .learned   = on_learned,
                                           .confirmed = on_confirmed,
                                           .notified  = on_notified,
                                           .asked     = on_asked,
                                           .unasked   = on_unasked}};
    self.driver.context   = &self;
    self.listener.context = &self;
    deft__timers_init(&self.timers, 1000000, allocator);
    while (script.size > 0) {
        size_t size = 0;
        while (size < script.size && script.data[size] != '\n') {
            size++;
        }
        const deft_view line = deft_view_slice(script, 0, size);
        script               = deft_view_slice(script, size + 1, SIZE_MAX);
        if (line.size > 0 && line.data[0] == ' ') {
            continue; // what happened the last time
        }
        deft_buffer_append(transcript, line);
        deft_buffer_append_byte(transcript, '\n');
        if (line.size > 0 && line.data[0] != '#') {
            happen(&self, line);
            if (self.link != NULL) {
                pass_time(&self, 0); // what is due at once
            }
        }
    }
    finish_play(&self);
}
