// Streams that are encrypted, with a real client at the other end on a thread of its own: what it does,
// however slow or wrong, ends in an ordinary answer.
#include "io/tls.h"

#include "deft/buffer.h"
#include "io/stream.h"
#include "support/allocator.h"
#include "support/authority.h"
#include "support/folder.h"
#include "support/waiting.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAIN "HTTP/1.1 400 Bad Request\r\n\r\n"

typedef struct scene scene;

// What the client does with its end of the socket. It says what it found out in `scene.told`.
typedef void client_play(scene *here, int descriptor);

struct scene {
    test_folder      folder;
    test_authority   authority;
    char             certificate[160], key[160], ca[160];
    deft__loop      *loop;
    deft__tls       *tls;
    deft__stream    *stream;
    client_play     *play;
    int              client;
    pthread_t        thread;
    deft_buffer      heard;  // by the server
    bool             echoes; // what it hears
    bool             has_ended;
    deft__stream_end end;
    int              code;
    size_t           queue_max;
    char             told[256];
};

static void tell(scene *here, const char *what)
{
    snprintf(here->told + strlen(here->told), sizeof here->told - strlen(here->told), "%s%s",
             here->told[0] != '\0' ? ", " : "", what);
}

static void open_scene(scene *here, uint64_t handshake_ms)
{
    deft_error error = DEFT_ERROR_INIT;
    *here            = (scene){.echoes = true};
    test_folder_init(&here->folder);
    test_authority_init(&here->authority);
    snprintf(here->certificate, sizeof here->certificate, "%s",
             test_folder_join(&here->folder, "certificate.pem"));
    snprintf(here->key, sizeof here->key, "%s", test_folder_join(&here->folder, "key.pem"));
    snprintf(here->ca, sizeof here->ca, "%s", test_folder_join(&here->folder, "ca.pem"));
    test_authority_write(&here->authority, here->ca);
    test_authority_issue(&here->authority, "first", "DNS:localhost", 3600, true, here->certificate,
                         here->key);
    const deft__tls_options options = {.certificate  = here->certificate,
                                       .key          = here->key,
                                       .handshake_ms = handshake_ms,
                                       .plain_answer = deft_view_of(PLAIN)};
    here->tls                       = deft__tls_new(&options, NULL, &error);
    assert_ok(error.status, error);
    here->loop = test_loop_new();
    deft_buffer_init(&here->heard, NULL);
}

static void close_scene(scene *here)
{
    deft__tls_free(here->tls);
    deft__loop_free(here->loop);
    deft_buffer_clear(&here->heard);
    test_authority_clear(&here->authority);
    test_folder_clear(&here->folder);
}

// --- The server's side. ---

static void heard(void *context, deft_view bytes)
{
    scene *here = context;
    deft_buffer_append(&here->heard, bytes);
    if (here->echoes) {
        deft__stream_write(here->stream, bytes);
    }
    if (bytes.size > 0 && bytes.data[bytes.size - 1] == '.') {
        deft__stream_finish(here->stream);
    }
}

static void ended(void *context, deft__stream_end end, int code)
{
    scene *here     = context;
    here->has_ended = true;
    here->end       = end;
    here->code      = code;
    deft__loop_stop(here->loop);
}

static void *run_client(void *context)
{
    scene *here = context;
    here->play(here, here->client);
    close(here->client);
    return NULL;
}

// Lets the client play with a new stream until the stream ends.
static void play(scene *here, client_play *client)
{
    int        ends[2];
    deft_error error = DEFT_ERROR_INIT;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const deft__stream_options options = {.context   = here,
                                          .read      = heard,
                                          .ended     = ended,
                                          .tls       = here->tls,
                                          .queue_max = here->queue_max};
    here->has_ended                    = false;
    here->told[0]                      = '\0';
    deft_buffer_reset(&here->heard);
    here->play   = client;
    here->client = ends[1];
    here->stream = deft__stream_new(here->loop, ends[0], &options, &error);
    assert_ok(error.status, error);
    assert_int_equal(pthread_create(&here->thread, NULL, run_client, here), 0);
    test_loop_run(here->loop);
    deft__stream_close(here->stream);
    pthread_join(here->thread, NULL);
    assert_true(here->has_ended);
}

// --- The client's side. ---

static SSL *new_client(const scene *here)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_file(context, here->ca);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL *ssl = SSL_new(context);
    SSL_set1_host(ssl, "localhost");
    SSL_CTX_free(context);
    return ssl;
}

static bool shake(scene *here, SSL *ssl, int descriptor)
{
    SSL_set_fd(ssl, descriptor);
    if (SSL_connect(ssl) != 1) {
        tell(here, "no handshake");
        return false;
    }
    return true;
}

static bool hears(SSL *ssl, const char *wanted)
{
    char         text[64];
    size_t       size = 0;
    const size_t all  = strlen(wanted);
    while (size < all) {
        const int got = SSL_read(ssl, text + size, (int)(all - size));
        if (got <= 0) {
            return false;
        }
        size += (size_t)got;
    }
    return memcmp(text, wanted, all) == 0;
}

static void tell_end(scene *here, SSL *ssl)
{
    char      byte;
    const int got = SSL_read(ssl, &byte, 1);
    tell(here, got > 0                                            ? "more"
               : SSL_get_error(ssl, got) == SSL_ERROR_ZERO_RETURN ? "a clean end"
                                                                  : "a break");
}

static void talk(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    if (shake(here, ssl, descriptor)) {
        tell(here, SSL_get_version(ssl));
        SSL_write(ssl, "one", 3);
        tell(here, hears(ssl, "one") ? "one" : "nothing");
        SSL_write(ssl, "two.", 4);
        tell(here, hears(ssl, "two.") ? "two" : "nothing");
        tell_end(here, ssl);
        SSL_shutdown(ssl);
    }
    SSL_free(ssl);
}

static void what_is_said_arrives_and_ends_cleanly(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    play(&here, talk);
    assert_string_equal(here.told, "TLSv1.3, one, two, a clean end");
    assert_view_equal(deft_buffer_view(&here.heard), "onetwo.");
    assert_int_equal(here.end, DEFT__STREAM_END);
    close_scene(&here);
}

// A client whose bytes come one at a time.
static void drip(scene *here, int descriptor)
{
    SSL *ssl      = new_client(here);
    BIO *in       = BIO_new(BIO_s_mem());
    BIO *out      = BIO_new(BIO_s_mem());
    bool is_said  = false;
    char text[64] = "";
    SSL_set_bio(ssl, in, out);
    SSL_set_connect_state(ssl);
    for (size_t size = 0; size < 7;) {
        char      byte;
        const int got = SSL_read(ssl, text + size, (int)(sizeof text - size));
        size += got > 0 ? (size_t)got : 0;
        if (SSL_is_init_finished(ssl) == 1 && !is_said) {
            SSL_write(ssl, "slowly.", 7);
            is_said = true;
        }
        while (BIO_read(out, &byte, 1) == 1) {
            (void)!write(descriptor, &byte, 1);
        }
        if (got <= 0 && size < 7) {
            if (read(descriptor, &byte, 1) != 1) {
                tell(here, "hung up");
                break;
            }
            BIO_write(in, &byte, 1);
        }
    }
    tell(here, text);
    SSL_free(ssl);
}

static void bytes_may_come_one_at_a_time(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    play(&here, drip);
    assert_string_equal(here.told, "slowly.");
    assert_view_equal(deft_buffer_view(&here.heard), "slowly.");
    close_scene(&here);
}

// More than a socket holds, and more than a record: the client writes all before it reads.
#define MUCH (3u * 1024 * 1024)

static char much_at(size_t i)
{
    return (char)('a' + (i * 7 + i / 251) % 23);
}

static void *write_much(void *context)
{
    SSL *ssl = context;
    char piece[4096];
    for (size_t i = 0; i < MUCH; i += sizeof piece) {
        for (size_t j = 0; j < sizeof piece; j++) {
            piece[j] = much_at(i + j);
        }
        piece[sizeof piece - 1] = i + sizeof piece == MUCH ? '.' : much_at(i + sizeof piece - 1);
        if (SSL_write(ssl, piece, sizeof piece) != (int)sizeof piece) {
            break;
        }
    }
    return NULL;
}

static void talk_much(scene *here, int descriptor)
{
    SSL   *ssl    = new_client(here);
    size_t right  = 0;
    bool   is_bad = false;
    if (shake(here, ssl, descriptor)) {
        write_much(ssl);
        for (char text[4000]; right < MUCH && !is_bad;) {
            const int got = SSL_read(ssl, text, sizeof text);
            for (int i = 0; i < got; i++, right++) {
                is_bad = is_bad || text[i] != (right + 1 == MUCH ? '.' : much_at(right));
            }
            is_bad = is_bad || got <= 0;
        }
        tell(here, is_bad ? "something else" : "all of it");
        tell_end(here, ssl);
    }
    SSL_free(ssl);
}

static void much_may_wait_for_a_peer_that_reads_late(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    play(&here, talk_much);
    assert_string_equal(here.told, "all of it, a clean end");
    assert_int_equal(here.heard.size, MUCH);
    close_scene(&here);
}

static void never_read(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    if (shake(here, ssl, descriptor)) {
        write_much(ssl);
    }
    char byte;
    while (read(descriptor, &byte, 1) == 1) { // until it is cut off
    }
    SSL_free(ssl);
}

static void who_never_reads_is_cut_off(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    here.queue_max = 256 * 1024;
    play(&here, never_read);
    assert_int_equal(here.end, DEFT__STREAM_FULL);
    close_scene(&here);
}

// --- Those who do not speak TLS, or not ours. ---

static void tell_rest(scene *here, int descriptor)
{
    char   text[128];
    size_t size = 0;
    for (ssize_t got; size < sizeof text - 1 &&
                      (got = read(descriptor, text + size, sizeof text - 1 - size)) > 0;) {
        size += (size_t)got;
    }
    text[size] = '\0';
    tell(here, text);
}

static void speak_plainly(scene *here, int descriptor)
{
    (void)!write(descriptor, "GET / HTTP/1.1\r\n", 16);
    tell_rest(here, descriptor);
    (void)!write(descriptor, "Host: a\r\n\r\n", 11);
}

static void say_garbage(scene *here, int descriptor)
{
    (void)here;
    (void)!write(descriptor, "\x01\x02\x03garbage", 10);
    tell_rest(here, descriptor);
}

static void begin_well_and_say_garbage(scene *here, int descriptor)
{
    (void)!write(descriptor, "\x16\x03\x01\x00\x05garbage", 12);
    char byte;
    while (read(descriptor, &byte, 1) == 1) { // an alert, maybe
    }
    (void)here;
}

static void say_nothing(scene *here, int descriptor)
{
    (void)here;
    (void)descriptor;
}

static void say_half(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    BIO *out = BIO_new(BIO_s_mem());
    char text[2048];
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
    SSL_connect(ssl);
    const int size = BIO_read(out, text, sizeof text);
    (void)!write(descriptor, text, (size_t)size / 2);
    tell_rest(here, descriptor); // waits till it is hung up on
    SSL_free(ssl);
}

static void say_half_and_leave(scene *here, int descriptor)
{
    (void)here;
    (void)!write(descriptor, "\x16\x03\x01\x02", 4);
}

static void leave_rudely(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    if (shake(here, ssl, descriptor)) {
        SSL_write(ssl, "one", 3);
        tell(here, hears(ssl, "one") ? "one" : "nothing");
    }
    SSL_free(ssl);
}

static void speak_an_old_version(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    SSL_set_security_level(ssl, 0);
    SSL_set_min_proto_version(ssl, TLS1_1_VERSION);
    SSL_set_max_proto_version(ssl, TLS1_1_VERSION);
    shake(here, ssl, descriptor);
    SSL_free(ssl);
}

static void want_another_protocol(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
    // With TLS 1.3 the client is done before it hears of it.
    if (shake(here, ssl, descriptor)) {
        tell_end(here, ssl);
    }
    SSL_free(ssl);
}

static void want_a_weak_cipher(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
    SSL_set_cipher_list(ssl, "ECDHE-ECDSA-AES128-SHA");
    shake(here, ssl, descriptor);
    SSL_free(ssl);
}

static void shake_hands_again(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
    if (shake(here, ssl, descriptor)) {
        tell(here, SSL_get_version(ssl));
        SSL_renegotiate(ssl);
        SSL_write(ssl, "one", 3);
        tell(here, hears(ssl, "one") ? "one" : "nothing");
    }
    SSL_free(ssl);
}

static void whoever_is_wrong_gets_an_ordinary_end(void **state)
{
    (void)state;
    static const struct {
        const char      *name;
        client_play     *client;
        const char      *told;
        const char      *heard;
        deft__stream_end end;
        int              code; // 0: any
    } cases[] = {
        {"plain HTTP gets an answer", speak_plainly, PLAIN, "", DEFT__STREAM_END, 0},
        {"garbage gets none", say_garbage, "", "", DEFT__STREAM_BROKEN, EPROTO},
        {"garbage behind a good start", begin_well_and_say_garbage, "", "", DEFT__STREAM_BROKEN,
         EPROTO},
        {"nothing at all", say_nothing, "", "", DEFT__STREAM_END, 0},
        {"half a handshake, and away", say_half_and_leave, "", "", DEFT__STREAM_BROKEN, 0},
        {"gone without a word", leave_rudely, "one", "one", DEFT__STREAM_BROKEN, 0},
        {"TLS 1.1", speak_an_old_version, "no handshake", "", DEFT__STREAM_BROKEN, EPROTO},
        {"HTTP/2 only", want_another_protocol, "no handshake", "", DEFT__STREAM_BROKEN, EPROTO},
        {"a cipher without authentication", want_a_weak_cipher, "no handshake", "",
         DEFT__STREAM_BROKEN, EPROTO},
        {"a second handshake does not happen", shake_hands_again, "TLSv1.2, nothing", "",
         DEFT__STREAM_BROKEN, 0},
    };
    scene here;
    open_scene(&here, 0);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        play(&here, cases[i].client);
        assert_string_equal(here.told, cases[i].told);
        assert_view_equal(deft_buffer_view(&here.heard), cases[i].heard);
        assert_int_equal(here.end, cases[i].end);
        if (cases[i].code != 0) {
            assert_int_equal(here.code, cases[i].code);
        }
    }
    play(&here, talk); // and it works as before
    assert_string_equal(here.told, "TLSv1.3, one, two, a clean end");
    close_scene(&here);
}

static void a_handshake_must_not_take_for_ever(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 20);
    play(&here, say_half);
    assert_string_equal(here.told, "");
    assert_int_equal(here.end, DEFT__STREAM_BROKEN);
    assert_int_equal(here.code, ETIMEDOUT);
    close_scene(&here);
}

static void name_protocols(scene *here, int descriptor)
{
    SSL                 *ssl  = new_client(here);
    const unsigned char *name = NULL;
    unsigned             size = 0;
    SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2\x08http/1.1", 12);
    if (shake(here, ssl, descriptor)) {
        char text[16];
        SSL_get0_alpn_selected(ssl, &name, &size);
        snprintf(text, sizeof text, "%.*s", (int)size, (const char *)name);
        tell(here, text);
        SSL_shutdown(ssl);
    }
    SSL_free(ssl);
}

static void our_protocol_is_chosen_where_it_is_named(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    play(&here, name_protocols);
    assert_string_equal(here.told, "http/1.1");
    close_scene(&here);
}

// A stream that has not shaken hands is told something, ended, closed: nothing goes out in plain text.
static void nothing_is_said_before_the_handshake(void **state)
{
    (void)state;
    scene      here;
    int        ends[2];
    deft_error error = DEFT_ERROR_INIT;
    open_scene(&here, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const deft__stream_options options = {
        .context = &here, .read = heard, .ended = ended, .tls = here.tls};
    here.stream = deft__stream_new(here.loop, ends[0], &options, &error);
    deft__stream_write(here.stream, deft_view_of("a secret"));
    deft__stream_finish(here.stream);
    test_loop_run(here.loop);
    assert_int_equal(here.end, DEFT__STREAM_BROKEN);
    deft__stream_close(here.stream);
    tell_rest(&here, ends[1]);
    assert_string_equal(here.told, "");
    close(ends[1]);
    close_scene(&here);
}

// --- Certificates. ---

static void tell_subject(scene *here, SSL *ssl)
{
    char  text[64];
    X509 *shown = SSL_get1_peer_certificate(ssl);
    X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, text, sizeof text);
    X509_free(shown);
    tell(here, text);
}

static void ask_for_a_name(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    if (shake(here, ssl, descriptor)) {
        tell_subject(here, ssl);
        SSL_shutdown(ssl);
    }
    SSL_free(ssl);
}

// In the middle of it the certificate is renewed.
static void see_it_renewed(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    if (shake(here, ssl, descriptor)) {
        tell_subject(here, ssl);
        SSL_write(ssl, "one", 3);
        tell(here, hears(ssl, "one") ? "one" : "nothing");
        deft_error error = DEFT_ERROR_INIT;
        test_authority_issue(&here->authority, "second", "DNS:localhost", 3600, true,
                             here->certificate, here->key);
        // The server's thread waits for us, and only for us.
        tell(here, deft__tls_look(here->tls, &error) == DEFT__TLS_SAME ? "seen" : "read at once");
        tell(here, deft__tls_look(here->tls, &error) == DEFT__TLS_RENEWED ? "read" : "not read");
        SSL_write(ssl, "two.", 4);
        tell(here, hears(ssl, "two.") ? "two" : "nothing");
        tell_end(here, ssl);
        SSL_shutdown(ssl);
    }
    SSL_free(ssl);
}

static void a_new_certificate_is_for_new_streams(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    play(&here, see_it_renewed);
    assert_string_equal(here.told, "first, one, seen, read, two, a clean end");
    play(&here, ask_for_a_name);
    assert_string_equal(here.told, "second");
    close_scene(&here);
}

static void a_broken_certificate_is_told_once_and_not_used(void **state)
{
    (void)state;
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    open_scene(&here, 0);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_SAME);
    test_file_put(here.certificate, deft_view_of("-----BEGIN CERT"));
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_SAME);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_BROKEN);
    assert_non_null(strstr(error.message, "has no certificate in PEM form"));
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_SAME);
    play(&here, ask_for_a_name);
    assert_string_equal(here.told, "first");
    assert_int_equal(unlink(here.certificate), 0);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_SAME);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_BROKEN);
    test_authority_issue(&here.authority, "third", "DNS:localhost", 3600, false, here.certificate,
                         here.key);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_SAME);
    assert_int_equal(deft__tls_look(here.tls, &error), DEFT__TLS_RENEWED);
    play(&here, ask_for_a_name);
    assert_string_equal(here.told, "third");
    close_scene(&here);
}

static void refuse(const deft__tls_options *options, const char *message)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_null(deft__tls_new(options, NULL, &error));
    if (strstr(error.message, message) == NULL) {
        fail_msg("want %s\ngot  %s", message, error.message);
    }
}

static void files_that_are_no_good_are_refused_with_a_reason(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    test_folder      *folder = &here.folder;
    deft__tls_options good   = {.certificate = here.certificate, .key = here.key};
    deft__tls_options bad    = good;

    bad.certificate = test_folder_join(folder, "nowhere");
    refuse(&bad, "nowhere': No such file or directory");
    bad.certificate = here.folder.path;
    refuse(&bad, "is no file");
    bad.certificate = here.key;
    refuse(&bad, "has no certificate in PEM form");

    bad             = good;
    bad.certificate = test_folder_join(folder, "chain");
    deft_buffer text;
    char        piece[4096];
    deft_buffer_init(&text, NULL);
    FILE *file = fopen(here.certificate, "rb");
    deft_buffer_append(&text, deft_view_make(piece, fread(piece, 1, sizeof piece, file)));
    assert_int_equal(fclose(file), 0);
    deft_buffer_append_text(&text, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    test_file_put(bad.certificate, deft_buffer_view(&text));
    deft_buffer_clear(&text);
    refuse(&bad, "has no certificate that can be used: bad base64 decode");

    bad     = good;
    bad.key = here.certificate;
    refuse(&bad, "that every user can read; say: chmod o= '");
    assert_int_equal(chmod(here.certificate, 0640), 0);
    refuse(&bad, "has no private key in PEM form");

    bad.key = test_folder_join(folder, "other");
    test_authority_issue(&here.authority, "x", "DNS:x", 3600, false, test_folder_join(folder, "x"),
                         bad.key);
    refuse(&bad, "is not that of the certificate in '");

    bad.key       = test_folder_join(folder, "locked");
    EVP_PKEY *key = EVP_EC_gen("P-256");
    file          = fopen(bad.key, "wb");
    assert_int_equal(PEM_write_PrivateKey(file, key, EVP_aes_128_cbc(),
                                          (const unsigned char *)"word", 4, NULL, NULL),
                     1);
    assert_int_equal(fclose(file), 0);
    EVP_PKEY_free(key);
    assert_int_equal(chmod(bad.key, 0600), 0);
    refuse(&bad, "has a passphrase; take it off: openssl pkey");

    bad.key = test_folder_join(folder, "large");
    test_file_put(bad.key, deft_view_of("x"));
    assert_int_equal(truncate(bad.key, DEFT__TLS_FILE_SIZE_MAX + 1), 0);
    refuse(&bad, "is larger than 4 MiB");

    bad           = good;
    bad.client_ca = here.key;
    refuse(&bad, "has no certificate");
    bad.client_ca = test_folder_join(folder, "nowhere");
    refuse(&bad, "No such file");
    close_scene(&here);
}

static void show_a_certificate(scene *here, int descriptor)
{
    SSL *ssl = new_client(here);
    SSL_use_certificate_chain_file(ssl, here->certificate);
    SSL_use_PrivateKey_file(ssl, here->key, SSL_FILETYPE_PEM);
    if (shake(here, ssl, descriptor)) {
        SSL_write(ssl, "one.", 4);
        tell(here, hears(ssl, "one.") ? "one" : "nothing");
    }
    SSL_free(ssl);
}

static void clients_may_have_to_show_a_certificate(void **state)
{
    (void)state;
    scene      here;
    deft_error error = DEFT_ERROR_INIT;
    open_scene(&here, 0);
    deft__tls_free(here.tls);
    const deft__tls_options options = {
        .certificate = here.certificate, .key = here.key, .client_ca = here.ca};
    here.tls = deft__tls_new(&options, NULL, &error);
    assert_ok(error.status, error);
    play(&here, show_a_certificate);
    assert_string_equal(here.told, "one");
    play(&here, talk);
    assert_view_equal(deft_buffer_view(&here.heard), "");
    assert_int_equal(here.end, DEFT__STREAM_BROKEN);
    close_scene(&here);
}

static void the_time_of_a_certificate_is_known(void **state)
{
    (void)state;
    scene         here;
    const int64_t now = (int64_t)time(NULL);
    open_scene(&here, 0);
    assert_null(deft__tls_complaint(here.tls, now));
    assert_string_equal(deft__tls_complaint(here.tls, now + 7200), "has expired");
    assert_string_equal(deft__tls_complaint(here.tls, now - 7200), "is not valid yet");
    close_scene(&here);
    deft__tls_free(NULL);
}

// Everything up to a stream that waits for its peer.
static bool attempt(const deft_allocator *allocator, void *context)
{
    scene                  *here   = context;
    const deft__tls_options files  = {.certificate = here->certificate, .key = here->key};
    deft_error              error  = DEFT_ERROR_INIT;
    deft__loop             *loop   = deft__loop_new(allocator, &error);
    deft__tls              *tls    = loop != NULL ? deft__tls_new(&files, allocator, &error) : NULL;
    deft__stream           *stream = NULL;
    int                     ends[2] = {-1, -1};
    if (tls != NULL) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        const deft__stream_options options = {
            .context = here, .read = heard, .ended = ended, .tls = tls};
        stream = deft__stream_new(loop, ends[0], &options, &error);
        close(ends[1]);
    }
    const bool is_done = stream != NULL;
    deft__stream_close(stream);
    deft__tls_free(tls);
    deft__loop_free(loop);
    return is_done;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    scene here;
    open_scene(&here, 0);
    assert_true(test_every_allocation_fails(attempt, &here) > 3);
    close_scene(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_arrives_and_ends_cleanly),
        cmocka_unit_test(bytes_may_come_one_at_a_time),
        cmocka_unit_test(much_may_wait_for_a_peer_that_reads_late),
        cmocka_unit_test(who_never_reads_is_cut_off),
        cmocka_unit_test(whoever_is_wrong_gets_an_ordinary_end),
        cmocka_unit_test(a_handshake_must_not_take_for_ever),
        cmocka_unit_test(our_protocol_is_chosen_where_it_is_named),
        cmocka_unit_test(nothing_is_said_before_the_handshake),
        cmocka_unit_test(a_new_certificate_is_for_new_streams),
        cmocka_unit_test(a_broken_certificate_is_told_once_and_not_used),
        cmocka_unit_test(files_that_are_no_good_are_refused_with_a_reason),
        cmocka_unit_test(clients_may_have_to_show_a_certificate),
        cmocka_unit_test(the_time_of_a_certificate_is_known),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
