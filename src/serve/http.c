// Serving over HTTP: connections of a listener, each a stream on the loop, into the web.
#include "base/fail.h"
#include "base/memory.h"
#include "io/socket.h"
#include "io/stream.h"
#include "serve/certificate.h"
#include "serve/door.h"
#include "serve/service.h"
#include "web/web.h"

#include <arpa/inet.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000u

// Whoever has nothing more to ask, or to hear, is let go soon.
#define STOPPING_TICK_MS 100u

// Bytes that may wait for one client that does not read: the largest message, and what is beside it.
#define QUEUE_MAX (80u * 1024 * 1024)

typedef struct site site;

typedef struct visitor {
    struct visitor       *next, *previous;
    site                 *site;
    deft__stream         *stream;
    deft__web_connection *connection; // NULL: the web is done with it; it goes when all is out
} visitor;

struct site {
    deft__service              service;
    const deft__serve_options *options;
    deft__listener            *listener;
    deft__tls                 *tls; // NULL: plain
    deft__door                *door;
    deft__web                 *web;
    deft__alarm               *tick;
    deft__alarm               *grace;
    deft__task                 stop;
    visitor                   *visitors;
    size_t                     visitor_count;
    int                        signal;
    bool                       is_guarded; // a token must be shown
    bool                       is_stopping;
    bool                       is_stopped;
};

// Answers that are still on their way out belong to requests that are not done.
static bool is_done(const site *self)
{
    for (const visitor *one = self->visitors; one != NULL; one = one->next) {
        if (deft__stream_queued(one->stream) > 0) {
            return false;
        }
    }
    return deft__web_is_done(self->web);
}

static void stop_when_done(site *self)
{
    if (self->is_stopping && self->web != NULL && is_done(self)) {
        deft__loop_defer(self->service.loop, &self->stop);
    }
}

// --- Visitors. ------------------------------------------------------------------------------------

static void free_visitor(visitor *one)
{
    site *self                                                        = one->site;
    *(one->previous != NULL ? &one->previous->next : &self->visitors) = one->next;
    if (one->next != NULL) {
        one->next->previous = one->previous;
    }
    self->visitor_count--;
    deft__stream_close(one->stream);
    deft__free(self->service.allocator, one, sizeof *one);
}

static void visitor_read(void *context, deft_view bytes)
{
    visitor *one  = context;
    site    *self = one->site;
    if (one->connection == NULL) {
        return; // it talks on, and nobody listens
    }
    deft__service_enter(&self->service);
    deft__web_receive(one->connection, bytes);
    deft__service_leave(&self->service);
}

static void visitor_ended(void *context, deft__stream_end end, int code)
{
    visitor *one  = context;
    site    *self = one->site;
    (void)end;
    (void)code;
    if (one->connection != NULL) {
        deft__service_enter(&self->service);
        deft__web_disconnect(one->connection);
        one->connection = NULL;
        deft__service_leave(&self->service);
    }
    free_visitor(one);
    stop_when_done(self);
}

static void visitor_drained(void *context)
{
    visitor *one  = context;
    site    *self = one->site;
    if (one->connection == NULL) {
        free_visitor(one);
    }
    stop_when_done(self);
}

static void accepted(void *context, int descriptor)
{
    site    *self = context;
    visitor *one  = deft__new(self->service.allocator, sizeof *one);
    if (one == NULL || self->is_stopping ||
        self->visitor_count >= self->service.settings->http_connections_max) {
        deft__free(self->service.allocator, one, sizeof *one);
        close(descriptor);
        return;
    }
    const deft__stream_options options = {.context   = one,
                                          .read      = visitor_read,
                                          .ended     = visitor_ended,
                                          .drained   = visitor_drained,
                                          .queue_max = QUEUE_MAX,
                                          .tls       = self->tls};
    one->site                          = self;
    one->next                          = self->visitors;
    if (one->next != NULL) {
        one->next->previous = one;
    }
    self->visitors = one;
    self->visitor_count++;
    one->stream     = deft__stream_new(self->service.loop, descriptor, &options, NULL);
    one->connection = one->stream != NULL ? deft__web_connect(self->web, one) : NULL;
    if (one->connection == NULL) {
        free_visitor(one);
    }
}

// --- What the web asks for. -----------------------------------------------------------------------

static void web_send(void *context, void *tag, deft_view bytes)
{
    const visitor *one = tag;
    (void)context;
    deft__stream_write(one->stream, bytes);
}

static void web_close(void *context, void *tag)
{
    visitor *one = tag;
    (void)context;
    one->connection = NULL;
    deft__stream_finish(one->stream);
    if (deft__stream_queued(one->stream) == 0) {
        free_visitor(one);
    }
}

static void web_random(void *context, void *bytes, size_t size)
{
    (void)context;
    // It blocks only before the kernel has ever had randomness, and 16 bytes come whole.
    while (getrandom(bytes, size, 0) != (ssize_t)size) {
    }
}

// --- Its life. ------------------------------------------------------------------------------------

// Tokens are given and taken while it runs. A list that cannot be used leaves the old one in force.
static void look_at_tokens(site *self)
{
    const deft__serve_options *options = self->options;
    const deft__token         *tokens  = NULL;
    size_t                     count   = 0;
    deft_error                 error   = DEFT_ERROR_INIT;
    if (options->tokens_changed != NULL && self->is_guarded &&
        options->tokens_changed(options->context, &tokens, &count) &&
        deft__web_set_tokens(self->web, tokens, count, &error) != DEFT_OK &&
        options->note != NULL) {
        options->note(options->context, deft_view_of(error.message));
    }
}

// Who asks and does not take the answer keeps it in our memory: only for so long. Between entering and
// leaving the service: leaving it runs the web, which may close whoever is next in the list.
static void cut_off_slow_readers(site *self)
{
    const uint64_t most_ms = self->service.settings->http_write_idle_ms;
    for (visitor *one = self->visitors, *next; one != NULL; one = next) {
        next = one->next;
        if (deft__stream_stuck_ms(one->stream) > most_ms) {
            deft__stream_abandon(one->stream);
            if (one->connection != NULL) {
                deft__web_disconnect(one->connection);
            }
            free_visitor(one);
        }
    }
}

static void tick(void *context)
{
    site *self = context;
    if (self->tls != NULL) {
        deft__certificate_look(self->options, self->tls);
    }
    deft__service_enter(&self->service);
    cut_off_slow_readers(self);
    look_at_tokens(self);
    deft__web_tick(self->web, deft__loop_now_ms(self->service.loop), (int64_t)time(NULL));
    deft__service_leave(&self->service);
    deft__alarm_set(self->tick, self->is_stopping ? STOPPING_TICK_MS : TICK_MS);
}

static void stop(void *context)
{
    site *self = context;
    if (self->is_stopped) {
        return;
    }
    self->is_stopped = true;
    deft__alarm_stop(self->tick);
    deft__alarm_stop(self->grace);
    deft__listener_close(self->listener);
    self->listener = NULL;
    deft__web_free(self->web);
    self->web = NULL;
    deft__tls_free(self->tls);
    self->tls = NULL;
    while (self->visitors != NULL) {
        self->visitors->connection = NULL;
        free_visitor(self->visitors);
    }
    deft__service_end(&self->service);
}

static void stopped(void *context)
{
    site *self = context;
    deft__loop_stop(self->service.loop);
}

// The gateway has said something: requests may go on, and the last one may have been answered.
static void look(void *context)
{
    site *self = context;
    if (self->web == NULL) {
        return;
    }
    deft__web_run(self->web);
    stop_when_done(self);
}

static void signal_caught(void *context, int number)
{
    site *self = context;
    if (self->signal != 0) {
        deft__service_kill(&self->service);
        _exit(128 + number);
    }
    self->signal      = number;
    self->is_stopping = true;
    deft__alarm_set(self->grace, self->service.settings->http_grace_ms);
    deft__service_enter(&self->service);
    if (self->options->handed_over != 0) {
        // The socket stays open elsewhere, and who waits there is not ours any more.
        deft__listener_close(self->listener);
        self->listener = NULL;
        deft__web_tick(self->web, deft__loop_now_ms(self->service.loop), (int64_t)time(NULL));
        deft__web_hand_over(self->web);
        deft__alarm_set(self->tick, STOPPING_TICK_MS);
    } else {
        deft__web_drain(self->web);
    }
    deft__service_leave(&self->service); // and looks
}

static bool is_loopback(const char *address)
{
    struct in_addr  four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) {
        return ntohl(four.s_addr) >> 24 == 127;
    }
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static deft__web_options web_options(const deft_settings *settings, const char *address)
{
    return (deft__web_options){
        .hosts               = settings->http_hosts,
        .host_count          = settings->http_host_count,
        .is_any_host         = !is_loopback(address) && settings->http_host_count == 0,
        .origins             = settings->http_origins,
        .origin_count        = settings->http_origin_count,
        .is_cors_off         = !settings->is_http_cors_on,
        .head_size_max       = settings->http_head_size_max,
        .body_size_max       = settings->http_body_size_max < settings->message_size_max
                                   ? settings->http_body_size_max
                                   : settings->message_size_max,
        .requests_max        = settings->http_requests_max,
        .sessions_max        = settings->http_sessions_max,
        .session_idle_ms     = settings->http_session_idle_ms,
        .request_idle_ms     = settings->http_request_idle_ms,
        .request_ms          = settings->http_request_ms,
        .keep_alive_ms       = settings->http_keep_alive_ms,
        .failures_per_second = settings->http_failures_per_second,
    };
}

// Without one it is a gateway that nobody can ask, and no less.
static void open_door(site *self)
{
    const deft__serve_options *options = self->options;
    deft_error                 why     = DEFT_ERROR_INIT;
    if (options->control_directory != NULL) {
        self->door = deft__door_open(&self->service, options->control_directory, &why);
        if (self->door == NULL && options->note != NULL) {
            options->note(options->context, deft_view_of(why.message));
        }
    }
}

static deft_status open_site(site *self, deft_error *error)
{
    const deft__serve_options *options = self->options;
    const char                *address = options->address != NULL ? options->address : "127.0.0.1";
    const deft__web_options    web     = web_options(self->service.settings, address);
    const deft__web_host       host    = {
                 .context = self, .send = web_send, .close = web_close, .random = web_random};
    deft__loop *loop = self->service.loop;
    deft__task_init(&self->stop, stop, self);
    self->tick  = deft__alarm_new(loop, tick, self);
    self->grace = deft__alarm_new(loop, stop, self);
    self->web   = deft__web_new(self->service.gateway, &web, &host, deft__loop_now_ms(loop),
                                self->service.allocator, error);
    if (self->tick == NULL || self->grace == NULL || self->web == NULL) {
        return deft__fail_memory(error);
    }
    deft_status status =
        deft__certificate_open(options, self->service.allocator, &self->tls, error);
    if (status == DEFT_OK && self->is_guarded) {
        status = deft__web_set_tokens(self->web, options->tokens, options->token_count, error);
    }
    if (status == DEFT_OK) {
        status = deft__loop_catch_signals(loop, signal_caught, self, error);
    }
    if (status != DEFT_OK) {
        return status;
    }
    self->listener =
        options->handed_over != 0
            ? deft__listener_new_adopted(loop, options->handed_over, options->port, accepted, self,
                                         error)
            : deft__listener_new_tcp(loop, address, options->port, accepted, self, error);
    if (self->listener == NULL) {
        return DEFT_INVALID;
    }
    open_door(self);
    // Whoever comes first should not have to wait for all servers.
    deft__service_enter(&self->service);
    deft__gateway_discover(self->service.gateway);
    deft__service_leave(&self->service);
    tick(self);
    if (options->listening != NULL) {
        options->listening(options->context, deft__listener_port(self->listener));
    }
    return DEFT_OK;
}

deft_status deft__serve_http(const deft__serve_options *options, deft_error *error)
{
    site self = {.is_guarded = options->is_token_needed || options->token_count > 0};
    if (options->address != NULL && !is_loopback(options->address) && !self.is_guarded) {
        return deft__fail(
            error, DEFT_CONFLICT, 0,
            "'%s' can be reached from other machines: make a token with 'deft token new NAME', "
            "give --token-file, or serve at 127.0.0.1",
            options->address);
    }
    deft__serve_options shared = *options;
    shared.is_shared           = true;
    self.options               = &shared;
    deft_status status = deft__service_init(&self.service, &shared, deft_view_make(NULL, 0), error);
    if (status == DEFT_OK) {
        self.service.owner   = &self;
        self.service.ended   = stopped;
        self.service.settled = look;
        status               = open_site(&self, error);
        if (status == DEFT_OK) {
            deft__service_start(&self.service);
        } else {
            stop(&self);
        }
        deft__loop_run(self.service.loop);
        deft__door_close(self.door);
        deft__alarm_free(self.tick);
        deft__alarm_free(self.grace);
        deft__loop_undefer(self.service.loop, &self.stop);
    }
    deft__service_clear(&self.service);
    return status;
}
