#include "io/tls.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/tls_private.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

// What TLS 1.2 may use: keys that are new for each session, and ciphers that authenticate. All of
// TLS 1.3 is like that.
#define CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20"

// --- Files. ---------------------------------------------------------------------------------------

static const char *file_name(const deft__tls_options *options, size_t file)
{
    return file == 0 ? options->certificate : file == 1 ? options->key : options->client_ca;
}

static deft__tls_stamps look(const deft__tls_options *options)
{
    deft__tls_stamps stamps;
    memset(&stamps, 0, sizeof stamps);
    for (size_t i = 0; i < DEFT__TLS_FILES; i++) {
        const char *name = file_name(options, i);
        struct stat about;
        if (name != NULL && stat(name, &about) == 0) {
            stamps.files[i] = (deft__tls_stamp){.device     = (uint64_t)about.st_dev,
                                                .inode      = (uint64_t)about.st_ino,
                                                .size       = (uint64_t)about.st_size,
                                                .changed_s  = (int64_t)about.st_mtim.tv_sec,
                                                .changed_ns = (int64_t)about.st_mtim.tv_nsec};
        }
    }
    return stamps;
}

static bool is_same(const deft__tls_stamps *one, const deft__tls_stamps *other)
{
    return memcmp(one, other, sizeof *one) == 0; // of 64-bit numbers only: there is no padding
}

// Opens a file to be read whole: nothing that blocks, and nothing without an end.
static BIO *open_file(const char *name, bool is_secret, deft_error *error)
{
    struct stat  about;
    deft__quoted quoted;
    deft__quote(&quoted, deft_view_of(name));
    if (stat(name, &about) != 0) {
        deft__fail(error, DEFT_NOT_FOUND, 0, "'%s': %s", quoted.text, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(about.st_mode)) {
        deft__fail(error, DEFT_INVALID, 0, "'%s' is no file", quoted.text);
        return NULL;
    }
    if (about.st_size > (off_t)DEFT__TLS_FILE_SIZE_MAX) {
        deft__fail(error, DEFT_LIMIT, 0, "'%s' is larger than %u MiB", quoted.text,
                   DEFT__TLS_FILE_SIZE_MAX >> 20);
        return NULL;
    }
    if (is_secret && (about.st_mode & S_IROTH) != 0) {
        deft__fail(error, DEFT_CONFLICT, 0,
                   "'%s' is a private key that every user can read; say: chmod o= '%s'",
                   quoted.text, quoted.text);
        return NULL;
    }
    BIO *file = BIO_new_file(name, "r");
    if (file == NULL) {
        deft__fail(error, DEFT_INVALID, 0, "'%s' cannot be read: %s", quoted.text, strerror(errno));
    }
    return file;
}

// What OpenSSL says went wrong, in a sentence about the file.
static void blame(deft_error *error, const char *name, const char *what)
{
    const unsigned long code   = ERR_peek_error();
    const char         *reason = ERR_reason_error_string(code);
    deft__quoted        quoted;
    deft__quote(&quoted, deft_view_of(name));
    // Of a key that is none at all the one is said, of a certificate the other.
    if (ERR_GET_REASON(code) == ERR_R_UNSUPPORTED ||
        (ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE)) {
        deft__fail(error, DEFT_INVALID, 0, "'%s' has no %s in PEM form", quoted.text, what);
    } else {
        deft__fail(error, DEFT_INVALID, 0, "'%s' has no %s that can be used: %s", quoted.text, what,
                   reason != NULL ? reason : "no reason is given");
    }
}

// --- A context from the files. --------------------------------------------------------------------

// Asked for a passphrase OpenSSL would turn to the terminal.
// NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL wants it so
static int no_passphrase(char *data, int size, int is_writing, void *context)
{
    bool *is_asked = context;
    (void)data;
    (void)size;
    (void)is_writing;
    *is_asked = true;
    return -1;
}

static bool use_chain(SSL_CTX *context, const char *name, deft_error *error)
{
    BIO  *file     = open_file(name, false, error);
    bool  is_asked = false;
    X509 *first = file != NULL ? PEM_read_bio_X509_AUX(file, NULL, no_passphrase, &is_asked) : NULL;
    bool  is_used = first != NULL && SSL_CTX_use_certificate(context, first) == 1;
    for (X509 *next; is_used && (next = PEM_read_bio_X509(file, NULL, no_passphrase, &is_asked));) {
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            is_used = false;
        }
    }
    if (is_used) {
        // The end of the file is no certificate either; anything else is a mistake in the chain.
        const unsigned long code = ERR_peek_last_error();
        is_used = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
    }
    if (file != NULL && !is_used) {
        blame(error, name, "certificate");
    }
    X509_free(first);
    BIO_free(file);
    ERR_clear_error();
    return is_used;
}

static bool use_key(SSL_CTX *context, const char *name, const char *certificate, deft_error *error)
{
    BIO         *file     = open_file(name, true, error);
    bool         is_asked = false;
    deft__quoted quoted[2];
    EVP_PKEY    *key =
        file != NULL ? PEM_read_bio_PrivateKey(file, NULL, no_passphrase, &is_asked) : NULL;
    bool is_used = false;
    if (file == NULL) {
        is_used = false;
    } else if (is_asked) {
        deft__fail(error, DEFT_INVALID, 0,
                   "the key in '%s' has a passphrase; take it off: openssl pkey -in OLD -out NEW",
                   deft__quote(&quoted[0], deft_view_of(name)));
    } else if (key == NULL) {
        blame(error, name, "private key");
    } else if (X509_check_private_key(SSL_CTX_get0_certificate(context), key) != 1) {
        deft__fail(error, DEFT_CONFLICT, 0,
                   "the key in '%s' is not that of the certificate in '%s'",
                   deft__quote(&quoted[0], deft_view_of(name)),
                   deft__quote(&quoted[1], deft_view_of(certificate)));
    } else if (SSL_CTX_use_PrivateKey(context, key) != 1) {
        blame(error, name, "private key");
    } else {
        is_used = true;
    }
    EVP_PKEY_free(key);
    BIO_free(file);
    ERR_clear_error();
    return is_used;
}

// Peers must show a certificate that one of those in the file has signed.
static bool ask_for_certificates(SSL_CTX *context, const char *name, deft_error *error)
{
    static const unsigned char id[] = "deft";
    BIO                       *file = open_file(name, false, error);
    if (file == NULL) {
        return false;
    }
    BIO_free(file);
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(name);
    if (names == NULL || SSL_CTX_load_verify_file(context, name) != 1 ||
        SSL_CTX_set_session_id_context(context, id, sizeof id - 1) != 1) {
        blame(error, name, "certificate");
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        ERR_clear_error();
        return false;
    }
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return true;
}

// A peer that names protocols must name ours; one that names none speaks it anyway.
static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *chosen_size,
                           const unsigned char *offered, unsigned int offered_size, void *context)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char             *found  = NULL;
    (void)ssl;
    (void)context;
    if (SSL_select_next_proto(&found, chosen_size, ours, sizeof ours - 1, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *make_context(const deft__tls_options *options, deft_error *error)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    ERR_clear_error();
    if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(context, CIPHERS) != 1 ||
        SSL_CTX_set_num_tickets(context, 1) != 1) {
        deft__fail_memory(error);
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    // Whoever comes back brings a ticket; nothing is kept here for them.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // A connection that is idle gives its 32 KiB back; a write that the peer does not take is tried
    // again from the queue, which may have moved.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    if (!use_chain(context, options->certificate, error) ||
        !use_key(context, options->key, options->certificate, error) ||
        (options->client_ca != NULL && !ask_for_certificates(context, options->client_ca, error))) {
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

// --- Its life. ------------------------------------------------------------------------------------

deft__tls *deft__tls_new(const deft__tls_options *options, const deft_allocator *allocator,
                         deft_error *error)
{
    deft__tls *tls = deft__new(allocator, sizeof *tls);
    if (tls == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    *tls         = (deft__tls){.allocator = allocator, .options = *options};
    tls->read    = look(options); // before reading: what changes meanwhile shows at the next look
    tls->seen    = tls->read;
    tls->context = make_context(options, error);
    if (tls->options.handshake_ms == 0) {
        tls->options.handshake_ms = DEFT__TLS_HANDSHAKE_MS;
    }
    if (tls->context == NULL) {
        deft__tls_free(tls);
        return NULL;
    }
    return tls;
}

void deft__tls_free(deft__tls *tls)
{
    if (tls != NULL) {
        SSL_CTX_free(tls->context);
        deft__free(tls->allocator, tls, sizeof *tls);
    }
}

deft__tls_news deft__tls_look(deft__tls *tls, deft_error *error)
{
    const deft__tls_stamps now        = look(&tls->options);
    const bool             is_settled = is_same(&now, &tls->seen);
    tls->seen                         = now;
    if (!is_settled || is_same(&now, &tls->read)) {
        return DEFT__TLS_SAME;
    }
    SSL_CTX *context = make_context(&tls->options, error);
    tls->read        = now;
    if (context == NULL) {
        return DEFT__TLS_BROKEN;
    }
    SSL_CTX_free(tls->context);
    tls->context = context;
    return DEFT__TLS_RENEWED;
}

const char *deft__tls_complaint(const deft__tls *tls, int64_t date_s)
{
    const X509 *shown = SSL_CTX_get0_certificate(tls->context);
    time_t      date  = (time_t)date_s;
    const int   from  = X509_cmp_time(X509_get0_notBefore(shown), &date);
    const int   until = X509_cmp_time(X509_get0_notAfter(shown), &date);
    return until < 0 ? "has expired" : from > 0 ? "is not valid yet" : NULL;
}
