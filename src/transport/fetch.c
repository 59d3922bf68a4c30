#include "transport/fetch.h"

#include "base/fail.h"
#include "base/memory.h"
#include "crypto/wiping.h"
#include "deft/version.h"
#include "http/headers.h"
#include "http/target.h"
#include "io/poll.h"
#include "transport/curl.h"
#include "transport/curl_memory.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>

#define CONNECT_TIMEOUT_MS 15000u

// Connections that are kept for the next request, to all servers together.
#define IDLE_CONNECTIONS_MAX 64L

// A server that vanishes without a word is noticed after two minutes of silence, also on a stream.
#define KEEPALIVE_IDLE_S     60L
#define KEEPALIVE_INTERVAL_S 20L

// libcurl has it for each request that is sent once, and overwrites it afterwards (curl_memory.h): its least, a
// quarter of what it takes otherwise. Most requests have a hundredth.
#define UPLOAD_BUFFER_SIZE 16384L

// What is kept of a fetch's memory for the next bytes; more is given back.
#define KEPT_SIZE_MAX (64u * 1024)

struct deft__fetcher {
    const deft__curl *curl;
    deft__loop       *loop;
    CURLM            *multi;
    deft__alarm      *alarm;  // for libcurl's own timeouts
    deft__task        soon;   // the same, for one of no time at all
    deft_allocator    wiping; // for what may hold secrets
    uint64_t          connect_timeout_ms;
    char             *bundle;      // of certificates; NULL: the system's
    char             *folder;      // likewise
    deft__fetch      *noted;       // those that have something to tell, first come first served
    deft__fetch      *noted_last;  // of those
    size_t            fetch_count; // that have not been freed
    bool              is_telling;
};

// A socket of libcurl's, while it is watched.
typedef struct watch {
    deft__fetcher *fetcher;
    curl_socket_t  socket;
    deft__poll    *poll;
} watch;

struct deft__fetch {
    deft__fetcher      *fetcher;
    const deft__curl   *curl; // the fetcher's
    CURL               *easy;
    struct curl_slist  *headers;
    deft__fetch_options options; // only the callbacks
    deft_buffer         inbox;   // came, and is not told yet: tokens, perhaps
    deft__fetch        *next_noted;
    deft_view           body; // what is left to be sent, where it is sent once
    size_t              head_size;
    size_t              read_size;
    CURLcode            code;
    bool                has_head; // status and headers are there
    bool                is_head_told;
    bool                is_over; // it was too large
    bool                is_done; // `code` says how
    bool                is_noted;
    bool                is_freed; // by its owner, while it is noted
};

// --- Telling. -------------------------------------------------------------------------------------

static void note(deft__fetch *fetch)
{
    deft__fetcher *fetcher = fetch->fetcher;
    if (!fetch->is_noted) {
        fetch->is_noted   = true;
        fetch->next_noted = NULL;
        if (fetcher->noted == NULL) {
            fetcher->noted = fetch;
        } else {
            fetcher->noted_last->next_noted = fetch;
        }
        fetcher->noted_last = fetch;
    }
}

static void give_back(deft__fetch *fetch)
{
    const deft_allocator *allocator = deft__loop_allocator(fetch->fetcher->loop);
    deft_buffer_clear(&fetch->inbox);
    deft__free(allocator, fetch, sizeof *fetch);
}

// What libcurl says of itself may hold the whole URL; these say what a person wants to know.
static const char *clause_of(CURLcode code)
{
    static const struct {
        CURLcode    code;
        const char *clause;
    } clauses[] = {
        {CURLE_OUT_OF_MEMORY, "cannot be asked: there is no memory"},
        {CURLE_COULDNT_RESOLVE_HOST, "could not be found: there is no such host"},
        {CURLE_COULDNT_RESOLVE_PROXY, "could not be reached: there is no such proxy"},
        {CURLE_PEER_FAILED_VERIFICATION,
         "cannot be trusted: its certificate is for another name, or signed by nobody we know"},
        {CURLE_SSL_CACERT_BADFILE, "cannot be trusted: the file with certificates (ca, gateway.ca, "
                                   "CURL_CA_BUNDLE or SSL_CERT_FILE) is no good"},
        {CURLE_GOT_NOTHING, "closed the connection without an answer"},
        {CURLE_SEND_FAIL_REWIND, "closed the connection without an answer"},
        {CURLE_PARTIAL_FILE, "broke off its answer"},
        {CURLE_RECV_ERROR, "broke off its answer"},
        {CURLE_SEND_ERROR, "broke off its answer"},
        {CURLE_UNSUPPORTED_PROTOCOL, "did not answer in HTTP"},
        {CURLE_WEIRD_SERVER_REPLY, "did not answer in HTTP"},
        {CURLE_BAD_CONTENT_ENCODING, "did not answer in HTTP"},
    };
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        if (clauses[i].code == code) {
            return clauses[i].clause;
        }
    }
    return NULL;
}

static void describe(const deft__fetch *fetch, bool was_sent, deft_error *error)
{
    const char *clause = clause_of(fetch->code);
    long        number = 0;
    fetch->curl->easy_getinfo(fetch->easy, CURLINFO_OS_ERRNO, &number);
    if (fetch->is_over) {
        (void)deft__fail(error, DEFT_LIMIT, 0, "sent an answer that is too large");
    } else if (clause != NULL) {
        (void)deft__fail(error, DEFT_INVALID, 0, "%s", clause);
    } else if (fetch->code == CURLE_OPERATION_TIMEDOUT) {
        (void)deft__fail(error, DEFT_LIMIT, 0, "could not be reached within %u s",
                         (unsigned)(fetch->fetcher->connect_timeout_ms / 1000));
    } else {
        (void)deft__fail(error, DEFT_INVALID, 0, "%s: %s",
                         was_sent ? "broke off its answer" : "could not be reached",
                         number == ECONNREFUSED ? "the connection was refused"
                                                : fetch->curl->easy_strerror(fetch->code));
    }
}

static deft__fetch_end end_of(const deft__fetch *fetch, deft_error *error)
{
    curl_off_t sent_at = 0;
    fetch->curl->easy_getinfo(fetch->easy, CURLINFO_PRETRANSFER_TIME_T, &sent_at);
    *error = (deft_error)DEFT_ERROR_INIT;
    if (fetch->code == CURLE_OK) {
        return DEFT__FETCH_WHOLE;
    }
    describe(fetch, sent_at > 0, error);
    if (fetch->is_over || fetch->code == CURLE_OUT_OF_MEMORY) {
        return DEFT__FETCH_LIMIT;
    }
    return sent_at > 0 ? DEFT__FETCH_BROKEN : DEFT__FETCH_UNREACHABLE;
}

static void tell_bytes(deft__fetch *fetch)
{
    deft_buffer bytes = fetch->inbox;
    deft_buffer_init(&fetch->inbox, bytes.allocator);
    fetch->options.read(fetch->options.context, deft_buffer_view(&bytes));
    if (fetch->inbox.data == NULL && bytes.capacity <= KEPT_SIZE_MAX) {
        deft_buffer_reset(&bytes);
        fetch->inbox = bytes;
    } else {
        deft_buffer_clear(&bytes);
    }
}

// It stays noted meanwhile, so freeing it now only marks it.
static void tell(deft__fetch *fetch)
{
    if (!fetch->is_freed && fetch->has_head && !fetch->is_head_told) {
        fetch->is_head_told = true;
        fetch->options.answered(fetch->options.context);
    }
    if (!fetch->is_freed && fetch->inbox.size > 0) {
        tell_bytes(fetch);
    }
    if (!fetch->is_freed && fetch->is_done) {
        deft_error            error = DEFT_ERROR_INIT;
        const deft__fetch_end end   = end_of(fetch, &error);
        fetch->options.ended(fetch->options.context, end, deft_view_of(error.message));
    }
}

// After everything that was asked of libcurl.
static void settle(deft__fetcher *fetcher)
{
    CURLMsg *message;
    int      left;
    while ((message = fetcher->curl->multi_info_read(fetcher->multi, &left)) != NULL) {
        deft__fetch *fetch = NULL;
        fetcher->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&fetch);
        fetch->is_done = true;
        fetch->code    = message->data.result;
        note(fetch);
    }
    if (fetcher->is_telling) {
        return;
    }
    fetcher->is_telling = true;
    while (fetcher->noted != NULL) {
        deft__fetch *fetch = fetcher->noted;
        tell(fetch);
        fetcher->noted  = fetch->next_noted;
        fetch->is_noted = false;
        if (fetch->is_freed) {
            give_back(fetch);
        }
    }
    fetcher->is_telling = false;
}

// --- The loop. ------------------------------------------------------------------------------------

static void act(deft__fetcher *fetcher, curl_socket_t socket, int events)
{
    int running = 0;
    fetcher->curl->multi_socket_action(fetcher->multi, socket, events, &running);
    settle(fetcher);
}

static void socket_ready(void *context, unsigned events)
{
    const watch *one  = context; // may be gone after the call
    const int    told = ((events & DEFT__POLL_READABLE) != 0 ? CURL_CSELECT_IN : 0) |
                     ((events & DEFT__POLL_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0);
    act(one->fetcher, one->socket, told);
}

static void time_is_up(void *context)
{
    act(context, CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    deft__fetcher *fetcher = context;
    deft__alarm_stop(fetcher->alarm);
    deft__loop_undefer(fetcher->loop, &fetcher->soon);
    if (timeout_ms == 0) {
        deft__loop_defer(fetcher->loop, &fetcher->soon); // an alarm would come a millisecond late
    } else if (timeout_ms > 0) {
        deft__alarm_set(fetcher->alarm, (uint64_t)timeout_ms);
    }
    return 0;
}

static void unwatch(deft__fetcher *fetcher, watch *one)
{
    if (one != NULL) {
        deft__poll_free(one->poll);
        deft__free(deft__loop_allocator(fetcher->loop), one, sizeof *one);
    }
}

static watch *new_watch(deft__fetcher *fetcher, curl_socket_t socket)
{
    watch *one = deft__new(deft__loop_allocator(fetcher->loop), sizeof *one);
    if (one != NULL) {
        one->fetcher = fetcher;
        one->socket  = socket;
        one->poll    = deft__poll_new(fetcher->loop, socket, socket_ready, one);
        if (one->poll == NULL) {
            unwatch(fetcher, one);
            one = NULL;
        }
    }
    return one;
}

// -1 makes libcurl give up everything that is on its way, with an error for each.
static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned)
{
    (void)easy;
    deft__fetcher *fetcher = context;
    watch         *one     = assigned;
    if (what == CURL_POLL_REMOVE) {
        unwatch(fetcher, one);
        fetcher->curl->multi_assign(fetcher->multi, socket, NULL);
        return 0;
    }
    if (one == NULL) {
        one = new_watch(fetcher, socket);
        if (one == NULL) {
            return -1;
        }
        fetcher->curl->multi_assign(fetcher->multi, socket, one);
    }
    deft__poll_watch(one->poll, (what != CURL_POLL_OUT ? DEFT__POLL_READABLE : 0u) |
                                    (what != CURL_POLL_IN ? DEFT__POLL_WRITABLE : 0u));
    return 0;
}

// --- The client. ----------------------------------------------------------------------------------

static const char *variable(const char *const *environment, const char *name)
{
    const size_t size = strlen(name);
    for (; environment != NULL && *environment != NULL; environment++) {
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=' &&
            (*environment)[size + 1] != '\0') {
            return *environment + size + 1;
        }
    }
    return NULL;
}

// False: no memory.
static bool copy_text(const deft__fetcher *fetcher, const char *text, char **copy)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    *copy             = size > 0 ? deft__new(deft__loop_allocator(fetcher->loop), size) : NULL;
    if (*copy != NULL) {
        memcpy(*copy, text, size);
    }
    return size == 0 || *copy != NULL;
}

static void free_text(const deft__fetcher *fetcher, char *text)
{
    deft__free(deft__loop_allocator(fetcher->loop), text, text != NULL ? strlen(text) + 1 : 0);
}

deft__fetcher *deft__fetcher_new(deft__loop *loop, const char *const *environment,
                                 uint64_t connect_timeout_ms, deft_error *error)
{
    const deft__curl *curl = deft__curl_load(error);
    if (curl == NULL) {
        return NULL;
    }
    deft__fetcher *fetcher = deft__new(deft__loop_allocator(loop), sizeof *fetcher);
    if (fetcher == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    const char *bundle          = variable(environment, "CURL_CA_BUNDLE");
    const char *file            = variable(environment, "SSL_CERT_FILE");
    fetcher->curl               = curl;
    fetcher->loop               = loop;
    fetcher->wiping             = deft__wiping_allocator(deft__loop_allocator(loop));
    fetcher->connect_timeout_ms = connect_timeout_ms > 0 ? connect_timeout_ms : CONNECT_TIMEOUT_MS;
    fetcher->alarm              = deft__alarm_new(loop, time_is_up, fetcher);
    // Counted; the first one says where memory comes from.
    curl->global_init_mem(CURL_GLOBAL_DEFAULT, deft__curl_malloc, deft__curl_free,
                          deft__curl_realloc, deft__curl_strdup, deft__curl_calloc);
    fetcher->multi = curl->multi_init();
    deft__task_init(&fetcher->soon, time_is_up, fetcher);
    if (fetcher->alarm == NULL || fetcher->multi == NULL ||
        !copy_text(fetcher, bundle != NULL ? bundle : file, &fetcher->bundle) ||
        !copy_text(fetcher, variable(environment, "SSL_CERT_DIR"), &fetcher->folder)) {
        deft__fetcher_free(fetcher);
        deft__fail_memory(error);
        return NULL;
    }
    curl->multi_setopt(fetcher->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl->multi_setopt(fetcher->multi, CURLMOPT_SOCKETDATA, fetcher);
    curl->multi_setopt(fetcher->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl->multi_setopt(fetcher->multi, CURLMOPT_TIMERDATA, fetcher);
    curl->multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS_MAX);
    return fetcher;
}

bool deft__fetcher_trust(deft__fetcher *fetcher, deft_view file)
{
    char *copy = deft__new(deft__loop_allocator(fetcher->loop), file.size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, file.data, file.size);
    copy[file.size] = '\0';
    free_text(fetcher, fetcher->bundle);
    fetcher->bundle = copy;
    return true;
}

void deft__fetcher_free(deft__fetcher *fetcher)
{
    if (fetcher == NULL) {
        return;
    }
    assert(fetcher->fetch_count == 0 && !fetcher->is_telling);
    while (fetcher->noted != NULL) {
        deft__fetch *fetch = fetcher->noted;
        fetcher->noted     = fetch->next_noted;
        give_back(fetch);
    }
    fetcher->curl->multi_cleanup(fetcher->multi);
    fetcher->curl->global_cleanup();
    deft__loop_undefer(fetcher->loop, &fetcher->soon);
    deft__alarm_free(fetcher->alarm);
    free_text(fetcher, fetcher->bundle);
    free_text(fetcher, fetcher->folder);
    deft__free(deft__loop_allocator(fetcher->loop), fetcher, sizeof *fetcher);
}

// --- One request. ---------------------------------------------------------------------------------

// NOLINTNEXTLINE(readability-non-const-parameter): libcurl wants it so
static size_t take_header(char *data, size_t one, size_t size, void *context)
{
    (void)one;
    deft__fetch *fetch  = context;
    long         status = 0;
    fetch->head_size += size;
    if (fetch->head_size > DEFT__FETCH_HEAD_SIZE_MAX) {
        fetch->is_over = true;
        return 0;
    }
    fetch->curl->easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    if (size <= 2 && (data[0] == '\r' || data[0] == '\n') && status >= 200) {
        fetch->has_head = true;
        note(fetch);
    }
    return size;
}

static size_t take_body(char *data, size_t one, size_t size, void *context)
{
    (void)one;
    deft__fetch *fetch = context;
    if (fetch->options.size_max > 0 && size > fetch->options.size_max - fetch->read_size) {
        fetch->is_over = true;
        return 0;
    }
    fetch->read_size += size;
    deft_buffer_append(&fetch->inbox, deft_view_make(data, size));
    if (fetch->inbox.status != DEFT_OK) {
        fetch->is_over = true;
        return 0;
    }
    note(fetch);
    return size;
}

static size_t give_body(char *room, size_t one, size_t size, void *context)
{
    deft__fetch *fetch = context;
    const size_t given = one * size < fetch->body.size ? one * size : fetch->body.size;
    if (given > 0) {
        memcpy(room, fetch->body.data, given);
    }
    fetch->body = deft_view_slice(fetch->body, given, fetch->body.size);
    return given;
}

// Children must not inherit it.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static bool add_header(deft__fetch *fetch, deft_view name, deft_view value, deft_buffer *scratch)
{
    deft_buffer_reset(scratch);
    deft_buffer_append(scratch, name);
    // As libcurl wants it: a header that is there and empty ends in a semicolon.
    deft_buffer_append_text(scratch, value.size > 0 ? ": " : ";");
    deft_buffer_append(scratch, value);
    deft_buffer_append_byte(scratch, '\0');
    struct curl_slist *all = scratch->status == DEFT_OK
                                 ? fetch->curl->slist_append(fetch->headers, scratch->data)
                                 : NULL;
    fetch->headers         = all != NULL ? all : fetch->headers;
    return all != NULL;
}

static bool add_headers(deft__fetch *fetch, const deft__fetch_options *options)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, &fetch->fetcher->wiping);
    bool is_added = true;
    for (size_t i = 0; is_added && i < options->header_count; i++) {
        is_added = add_header(fetch, options->headers[i].name, options->headers[i].value, &scratch);
    }
    deft_buffer_clear(&scratch);
    if (is_added) {
        // libcurl would wait a second for the server's consent before a large body.
        struct curl_slist *all = fetch->curl->slist_append(fetch->headers, "Expect:");
        fetch->headers         = all != NULL ? all : fetch->headers;
        is_added               = all != NULL;
    }
    return is_added;
}

static bool is_loopback(const char *url)
{
    bool                 is_https;
    deft__http_authority authority;
    deft_view            rest;
    return deft__http_read_url(deft_view_of(url), &is_https, &authority, &rest) &&
           deft__http_is_loopback(&authority);
}

static void set_method(deft__fetch *fetch, const deft__fetch_options *options)
{
    if (strcmp(options->method, "POST") == 0) {
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_POST, 1L);
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                 (curl_off_t)options->body.size);
    }
    if (strcmp(options->method, "POST") == 0 && options->is_once) {
        // What it has read and cannot rewind, libcurl cannot repeat.
        fetch->body = options->body;
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_READFUNCTION, give_body);
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_READDATA, fetch);
    } else if (strcmp(options->method, "POST") == 0) {
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_POSTFIELDS,
                                 options->body.size > 0 ? options->body.data : "");
    } else if (strcmp(options->method, "GET") != 0) {
        fetch->curl->easy_setopt(fetch->easy, CURLOPT_CUSTOMREQUEST, options->method);
    }
}

static bool set_options(deft__fetch *fetch, const deft__fetch_options *options)
{
    CURL                *easy    = fetch->easy;
    const deft__fetcher *fetcher = fetch->fetcher;
    const deft__curl    *curl    = fetch->curl;
    curl->easy_setopt(easy, CURLOPT_PRIVATE, fetch);
    curl->easy_setopt(easy, CURLOPT_HTTPHEADER, fetch->headers);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, fetch);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, fetch);
    curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)fetcher->connect_timeout_ms);
    curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl->easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER_SIZE);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl->easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
    curl->easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S);
    curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); // breaking off waits for no name server
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (is_loopback(options->url)) {
        curl->easy_setopt(easy, CURLOPT_NOPROXY, "*");
    }
    if (options->ca != NULL) {
        curl->easy_setopt(easy, CURLOPT_CAINFO, options->ca);
        curl->easy_setopt(easy, CURLOPT_CAPATH, NULL); // not the system's either
    } else if (fetcher->bundle != NULL) {
        curl->easy_setopt(easy, CURLOPT_CAINFO, fetcher->bundle);
    }
    if (options->ca == NULL && fetcher->folder != NULL) {
        curl->easy_setopt(easy, CURLOPT_CAPATH, fetcher->folder);
    }
    set_method(fetch, options);
    // What libcurl copies may find no memory.
    return curl->easy_setopt(easy, CURLOPT_USERAGENT, "deft/" DEFT_VERSION_STRING) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_URL, options->url) == CURLE_OK;
}

deft__fetch *deft__fetch_new(deft__fetcher *fetcher, const deft__fetch_options *options)
{
    const deft_allocator *allocator = deft__loop_allocator(fetcher->loop);
    deft__fetch          *fetch     = deft__new(allocator, sizeof *fetch);
    if (fetch == NULL) {
        return NULL;
    }
    fetch->fetcher = fetcher;
    fetch->curl    = fetcher->curl;
    fetch->options = (deft__fetch_options){.context  = options->context,
                                           .answered = options->answered,
                                           .read     = options->read,
                                           .ended    = options->ended,
                                           .size_max = options->size_max};
    deft_buffer_init(&fetch->inbox, &fetcher->wiping);
    fetch->easy = fetcher->curl->easy_init();
    fetcher->fetch_count++;
    if (fetch->easy == NULL || !add_headers(fetch, options) || !set_options(fetch, options) ||
        fetcher->curl->multi_add_handle(fetcher->multi, fetch->easy) != CURLM_OK) {
        deft__fetch_free(fetch);
        return NULL;
    }
    return fetch;
}

void deft__fetch_free(deft__fetch *fetch)
{
    if (fetch == NULL) {
        return;
    }
    deft__fetcher *fetcher = fetch->fetcher;
    if (fetch->easy != NULL) {
        fetcher->curl->multi_remove_handle(fetcher->multi, fetch->easy);
        fetcher->curl->easy_cleanup(fetch->easy);
    }
    fetcher->curl->slist_free_all(fetch->headers);
    fetch->easy    = NULL;
    fetch->headers = NULL;
    fetcher->fetch_count--;
    if (fetch->is_noted) {
        fetch->is_freed = true;
    } else {
        give_back(fetch);
    }
}

// --- Its answer. ----------------------------------------------------------------------------------

int deft__fetch_status(const deft__fetch *fetch)
{
    long status = 0;
    fetch->curl->easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

deft_view deft__fetch_header(const deft__fetch *fetch, const char *name)
{
    struct curl_header *header = NULL;
    if (fetch->curl->easy_header(fetch->easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
        return deft_view_of(NULL);
    }
    return deft_view_of(header->value);
}

void deft__fetch_write_header(const deft__fetch *fetch, const char *name, deft_buffer *out)
{
    struct curl_header *header = NULL;
    size_t              index  = 0;
    while (fetch->curl->easy_header(fetch->easy, name, index, CURLH_HEADER, -1, &header) ==
           CURLHE_OK) {
        deft_buffer_append_text(out, index > 0 ? ", " : "");
        deft_buffer_append_text(out, header->value);
        index++;
    }
}

deft_view deft__fetch_redirect(const deft__fetch *fetch)
{
    const char *url = NULL;
    fetch->curl->easy_getinfo(fetch->easy, CURLINFO_REDIRECT_URL, &url);
    return deft_view_of(url);
}
