#include "store/keyring.h"

#include "base/fail.h"
#include "crypto/digest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// --- What we call of libsecret and GLib, as their headers have it. --------------------------------

typedef struct GError {
    uint32_t domain;
    int      code;
    char    *message;
} GError;

typedef struct SecretSchema {
    const char *name;
    int         flags;
    struct {
        const char *name;
        int         type; // 0: a text
    } attributes[32];
    int   reserved;
    void *more[7];
} SecretSchema;

static const SecretSchema schema = {.name = "io.deft.Logins", .attributes = {{"purpose", 0}}};
#define PURPOSE "purpose", "logins", (char *)NULL
#define LABEL   "deft: the key of the file of logins"

typedef struct library {
    bool is_there;
    int (*store)(const SecretSchema *, const char *collection, const char *label, const char *text,
                 void *cancellable, GError **, ...);
    char *(*lookup)(const SecretSchema *, void *cancellable, GError **, ...);
    // What there is, without its secrets, and without asking anybody to unlock it: a list of objects.
    void *(*search)(const SecretSchema *, int flags, void *cancellable, GError **, ...);
    int (*clear)(const SecretSchema *, void *cancellable, GError **, ...);
    void (*free_text)(char *text); // which overwrites it
    void (*free_error)(GError *);
    void (*free_list)(void *list, void (*free_one)(void *));
    void (*free_object)(void *);
} library;

static library   secret;
static once_flag once = ONCE_FLAG_INIT;

static bool find(void *from, const char *name, void *function)
{
    void *const address = dlsym(from, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static void load(void)
{
    void *from = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL); // never closed: it has threads
    secret.is_there = from != NULL && find(from, "secret_password_store_sync", &secret.store) &&
                      find(from, "secret_password_lookup_sync", &secret.lookup) &&
                      find(from, "secret_password_search_sync", &secret.search) &&
                      find(from, "secret_password_clear_sync", &secret.clear) &&
                      find(from, "secret_password_free", &secret.free_text) &&
                      find(from, "g_error_free", &secret.free_error) &&
                      find(from, "g_list_free_full", &secret.free_list) &&
                      find(from, "g_object_unref", &secret.free_object);
}

// A bus to find the keyring on. Without one GLib would start one, which would have no keyring.
static bool has_bus(void)
{
    const char *address = getenv("DBUS_SESSION_BUS_ADDRESS");
    const char *folder  = getenv("XDG_RUNTIME_DIR");
    char        path[512];
    return (address != NULL && address[0] != '\0') ||
           (folder != NULL && snprintf(path, sizeof path, "%s/bus", folder) < (int)sizeof path &&
            access(path, R_OK | W_OK) == 0);
}

static deft_status need_library(deft_error *error)
{
    if (!has_bus()) {
        return deft__fail(error, DEFT_NOT_FOUND, 0,
                          "there is no session with a keyring here (DBUS_SESSION_BUS_ADDRESS)");
    }
    call_once(&once, load);
    return secret.is_there
               ? DEFT_OK
               : deft__fail(error, DEFT_NOT_FOUND, 0,
                            "libsecret is not installed (Debian: apt install libsecret-1-0)");
}

// Takes the error. DEFT_NOT_FOUND: nobody on the bus has a keyring.
static deft_status take_error(GError *cause, deft_error *error)
{
    deft__quoted      quoted;
    const bool        is_none = strstr(cause->message, "not provided by any") != NULL;
    const deft_status status =
        deft__fail(error, is_none ? DEFT_NOT_FOUND : DEFT_INVALID, 0, "the keyring says: %s",
                   deft__quote(&quoted, deft_view_of(cause->message)));
    secret.free_error(cause);
    return status;
}

// --- The key, as 64 hexadecimal digits. -----------------------------------------------------------

#define DIGITS (2u * DEFT__BOX_KEY_BYTES)

static bool read_digits(const char *text, deft__box_key *key)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(text) != DIGITS || strspn(text, digits) != DIGITS) {
        return false;
    }
    for (size_t i = 0; i < DEFT__BOX_KEY_BYTES; i++) {
        key->bytes[i] = (uint8_t)((strchr(digits, text[2 * i]) - digits) * 16 +
                                  (strchr(digits, text[2 * i + 1]) - digits));
    }
    return true;
}

// Why a key was not found. Where somebody was asked to unlock the keyring and did not, libsecret says no
// more than where there is none; a new one would then take the place of the old.
static deft_status fail_absent(deft_error *error)
{
    GError *cause = NULL;
    void   *items = secret.search(&schema, 0, NULL, &cause, PURPOSE);
    if (cause != NULL) {
        return take_error(cause, error);
    }
    if (items == NULL) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "the keyring has no key of deft's");
    }
    secret.free_list(items, secret.free_object);
    return deft__fail(error, DEFT_INVALID, 0, "the keyring is locked, and stays so");
}

static deft_status look_up(deft__box_key *key, deft_error *error)
{
    GError *cause = NULL;
    char   *text  = secret.lookup(&schema, NULL, &cause, PURPOSE);
    if (cause != NULL) {
        return take_error(cause, error);
    }
    if (text == NULL) {
        return fail_absent(error);
    }
    const bool is_read = read_digits(text, key);
    secret.free_text(text);
    return is_read ? DEFT_OK
                   : deft__fail(error, DEFT_INVALID, 0, "what the keyring has is no key of deft's");
}

static deft_status make(deft_error *error)
{
    deft__box_key key;
    char          text[DIGITS + 1];
    GError       *cause = NULL;
    if (getrandom(key.bytes, sizeof key.bytes, 0) != (ssize_t)sizeof key.bytes) {
        return deft__fail(error, DEFT_INVALID, 0, "the system gives no randomness");
    }
    for (size_t i = 0; i < DEFT__BOX_KEY_BYTES; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", key.bytes[i]);
    }
    const bool is_kept =
        secret.store(&schema, NULL, LABEL, text, NULL, &cause, PURPOSE) != 0 && cause == NULL;
    deft__wipe(text, sizeof text);
    deft__wipe(&key, sizeof key);
    if (cause != NULL) {
        return take_error(cause, error);
    }
    return is_kept ? DEFT_OK : deft__fail(error, DEFT_INVALID, 0, "the keyring keeps no key");
}

// --- Once for the process. ------------------------------------------------------------------------

static once_flag     mutex_once = ONCE_FLAG_INIT;
static mtx_t         mutex;
static deft__box_key known;
static bool          is_known;
static deft_error    refusal = DEFT_ERROR_INIT; // what the keyring said last; DEFT_OK: nothing
static uint64_t      refusal_ends_ms;

#define REFUSAL_MS 30000u

static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// Asks the keyring, and remembers what it says.
static deft_status ask(bool may_make)
{
    deft__box_key found;
    deft_error    error  = DEFT_ERROR_INIT;
    deft_status   status = need_library(&error);
    if (status == DEFT_OK) {
        status = look_up(&found, &error);
        if (status == DEFT_NOT_FOUND && may_make) {
            status = make(&error);
            status = status == DEFT_OK ? look_up(&found, &error) : status; // or another's
        }
    }
    if (status == DEFT_OK) {
        known    = found;
        is_known = true;
    }
    deft__wipe(&found, sizeof found);
    refusal         = error;
    refusal_ends_ms = status == DEFT_INVALID ? now_ms() + REFUSAL_MS : 0;
    return status;
}

static void make_mutex(void)
{
    (void)mtx_init(&mutex, mtx_plain);
}

deft_status deft__keyring_key(bool may_make, deft__box_key *key, deft_error *error)
{
    deft_status status = DEFT_OK;
    call_once(&mutex_once, make_mutex);
    (void)mtx_lock(&mutex);
    if (!is_known) {
        status = !may_make && now_ms() < refusal_ends_ms ? refusal.status : ask(may_make);
    }
    if (status == DEFT_OK) {
        *key = known;
    } else {
        (void)deft__fail(error, status, 0, "%s", refusal.message);
    }
    (void)mtx_unlock(&mutex);
    return status;
}

static void forget(void)
{
    deft__wipe(&known, sizeof known);
    is_known        = false;
    refusal_ends_ms = 0;
}

void deft__keyring_ask_again(void)
{
    call_once(&mutex_once, make_mutex);
    (void)mtx_lock(&mutex);
    refusal_ends_ms = 0;
    (void)mtx_unlock(&mutex);
}

void deft__keyring_forget(void)
{
    call_once(&mutex_once, make_mutex);
    (void)mtx_lock(&mutex);
    forget();
    (void)mtx_unlock(&mutex);
}

deft_status deft__keyring_remove(deft_error *error)
{
    GError *cause = NULL;
    call_once(&mutex_once, make_mutex);
    (void)mtx_lock(&mutex);
    forget();
    deft_status status = need_library(error);
    if (status == DEFT_OK) {
        (void)secret.clear(&schema, NULL, &cause, PURPOSE);
        status = cause != NULL ? take_error(cause, error) : DEFT_OK;
    }
    (void)mtx_unlock(&mutex);
    return status;
}
