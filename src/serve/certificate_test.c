// The gateway over HTTPS with a real socket and a real client: the same answers as over HTTP, and a
// certificate that is renewed while it serves.
#include "serve/certificate.h"

#include "support/authority.h"
#include "support/folder.h"
#include "support/test.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

typedef struct scene {
    test_folder         folder;
    test_authority      authority;
    char                certificate[160], key[160], ca[160];
    deft_config        *config;
    deft__serve_options options;
    pthread_t           thread;
    uint16_t            port;
    int                 notes[2]; // a pipe: what a person is told, a line each
    char                told[2048];
    char                wrong[4096];
} scene;

static void expect(scene *here, const char *wanted, const char *got)
{
    if (strstr(got, wanted) == NULL && here->wrong[0] == '\0') {
        snprintf(here->wrong, sizeof here->wrong, "want %s\ngot  %s", wanted, got);
    }
}

static void note(void *context, deft_view line)
{
    const scene *here = context;
    (void)!write(here->notes[1], line.data, line.size);
    (void)!write(here->notes[1], "\n", 1);
}

static void issue(scene *here, const char *subject, long lifetime_s)
{
    test_authority_issue(&here->authority, subject, "DNS:localhost", lifetime_s, true,
                         here->certificate, here->key);
}

static void open_scene(scene *here)
{
    deft_error error = DEFT_ERROR_INIT;
    *here            = (scene){.port = 0};
    test_folder_init(&here->folder);
    test_authority_init(&here->authority);
    snprintf(here->certificate, sizeof here->certificate, "%s",
             test_folder_join(&here->folder, "certificate.pem"));
    snprintf(here->key, sizeof here->key, "%s", test_folder_join(&here->folder, "key.pem"));
    snprintf(here->ca, sizeof here->ca, "%s", test_folder_join(&here->folder, "ca.pem"));
    test_authority_write(&here->authority, here->ca);
    issue(here, "first", 3600);
    assert_int_equal(pipe(here->notes), 0);
    here->config = deft_config_new(NULL, &error);
    assert_int_equal(deft_config_resolve(here->config, &error), DEFT_OK);
    here->options = (deft__serve_options){.config          = here->config,
                                          .environment     = (const char *const *)environ,
                                          .context         = here,
                                          .note            = note,
                                          .tls_certificate = here->certificate,
                                          .tls_key         = here->key};
}

static void close_scene(scene *here)
{
    deft_config_free(here->config);
    close(here->notes[0]);
    close(here->notes[1]);
    test_authority_clear(&here->authority);
    test_folder_clear(&here->folder);
}

// --- The client. ---

static int visit(const scene *here)
{
    const struct sockaddr_in address = {.sin_family      = AF_INET,
                                        .sin_port        = htons(here->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int                peer    = socket(AF_INET, SOCK_STREAM, 0);
    return connect(peer, (const struct sockaddr *)&address, sizeof address) == 0 ? peer : -1;
}

// NULL after saying what is wrong.
static SSL *visit_securely(scene *here, const char *host)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_file(context, here->ca);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL *ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set1_host(ssl, host);
    SSL_set_fd(ssl, visit(here));
    if (SSL_connect(ssl) != 1) {
        close(SSL_get_fd(ssl));
        SSL_free(ssl);
        return NULL;
    }
    return ssl;
}

static void leave(SSL *ssl)
{
    if (ssl != NULL) {
        close(SSL_get_fd(ssl));
        SSL_free(ssl);
    }
}

// One request on a connection that stays.
static void ask(scene *here, SSL *ssl, const char *request, const char *wanted)
{
    char text[4096] = "";
    int  size       = 0;
    if (ssl != NULL && SSL_write(ssl, request, (int)strlen(request)) > 0) {
        size = SSL_read(ssl, text, sizeof text - 1);
    }
    text[size > 0 ? size : 0] = '\0';
    expect(here, wanted, text);
}

static void ask_subject(scene *here, const char *wanted)
{
    char text[64] = "nobody";
    SSL *ssl      = visit_securely(here, "localhost");
    if (ssl != NULL) {
        X509 *shown = SSL_get1_peer_certificate(ssl);
        X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, text, sizeof text);
        X509_free(shown);
    }
    leave(ssl);
    expect(here, wanted, text);
}

// Waits for what a person is told.
static void hear(scene *here, const char *wanted)
{
    char   line[480];
    size_t size = 0;
    while (size < sizeof line - 1 && read(here->notes[0], line + size, 1) == 1 &&
           line[size] != '\n') {
        size++;
    }
    line[size] = '\0';
    expect(here, wanted, line);
}

#define HEALTH "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"

// A page of this machine is at home over HTTPS, too.
static void initialize(scene *here, SSL *ssl)
{
    char text[1024];
    snprintf(text, sizeof text,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost\r\nContent-Type: "
             "application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: "
             "%zu\r\n\r\n%s",
             strlen(INITIALIZE), INITIALIZE);
    ask(here, ssl, text, "Mcp-Session-Id: ");
}

static void *play(void *context)
{
    scene *here = context;
    SSL   *ssl  = visit_securely(here, "localhost");
    ask(here, ssl, HEALTH, "200 OK");
    expect(here, "nobody", visit_securely(here, "elsewhere") == NULL ? "nobody" : "somebody");

    char      text[512];
    const int plain = visit(here);
    (void)!write(plain, HEALTH, strlen(HEALTH));
    ssize_t size = 0;
    for (ssize_t more; (more = read(plain, text + size, sizeof text - 1 - (size_t)size)) > 0;) {
        size += more;
    }
    text[size] = '\0';
    close(plain);
    expect(here, "HTTP/1.1 400 Bad Request", text);
    expect(here, "use https://", text);

    const int garbage = visit(here);
    (void)!write(garbage, "\x16\x03\x01 garbage", 11);
    close(garbage);
    const int silent = visit(here); // till the end

    ask_subject(here, "first");
    issue(here, "second", 3600);
    hear(here, "is new, and new connections get it");
    ask_subject(here, "second");
    ask(here, ssl, HEALTH, "200 OK"); // the one that was open goes on
    test_file_put(here->certificate, deft_view_of("nothing"));
    hear(here, "cannot be used; the old one stays: '");
    ask_subject(here, "second");
    initialize(here, ssl);

    kill(getpid(), SIGTERM);
    char      byte;
    const int got = ssl != NULL ? SSL_read(ssl, &byte, 1) : 1;
    expect(here, "a clean end",
           ssl != NULL && SSL_get_error(ssl, got) == SSL_ERROR_ZERO_RETURN ? "a clean end"
                                                                           : "a break");
    leave(ssl);
    (void)!read(silent, &byte, 1);
    close(silent);
    return NULL;
}

static void listening(void *context, uint16_t port)
{
    scene *here = context;
    here->port  = port;
    assert_int_equal(pthread_create(&here->thread, NULL, play, here), 0);
}

static void agents_are_served_in_private(void **state)
{
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    (void)state;
    open_scene(&here);
    here.options.listening   = listening;
    const deft_status status = deft__serve_http(&here.options, &error);
    assert_ok(status, error);
    pthread_join(here.thread, NULL);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

static void refuse(const scene *here, const char *message)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_int_not_equal(deft__serve_http(&here->options, &error), DEFT_OK);
    if (strstr(error.message, message) == NULL) {
        fail_msg("want %s\ngot  %s", message, error.message);
    }
}

static void what_cannot_be_used_is_refused_at_the_start(void **state)
{
    scene here;
    (void)state;
    open_scene(&here);
    here.options.tls_key = NULL;
    refuse(&here, "give both --tls-certificate and --tls-key");
    here.options.tls_certificate = NULL;
    here.options.tls_client_ca   = here.ca;
    refuse(&here, "--tls-client-ca is of no use without");
    here.options.tls_certificate = here.certificate;
    here.options.tls_key         = here.key;
    assert_int_equal(chmod(here.key, 0644), 0);
    refuse(&here, "every user can read; say: chmod o= '");
    // TLS is no token.
    assert_int_equal(chmod(here.key, 0640), 0);
    here.options.address = "0.0.0.0";
    refuse(&here, "--token-file");
    close_scene(&here);
}

static void a_certificate_that_has_expired_is_told(void **state)
{
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    deft__tls *tls   = NULL;
    (void)state;
    open_scene(&here);
    issue(&here, "old", -60);
    assert_int_equal(deft__certificate_open(&here.options, NULL, &tls, &error), DEFT_OK);
    hear(&here, "has expired");
    deft__tls_free(tls);
    here.options.note = NULL; // nobody is there to be told
    assert_int_equal(deft__certificate_open(&here.options, NULL, &tls, &error), DEFT_OK);
    deft__tls_free(tls);
    assert_string_equal(here.wrong, "");
    close_scene(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_are_served_in_private),
        cmocka_unit_test(what_cannot_be_used_is_refused_at_the_start),
        cmocka_unit_test(a_certificate_that_has_expired_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
