#include "store/logins.h"

#include "base/fail.h"
#include "base/hash.h"
#include "crypto/digest.h"
#include "crypto/wiping.h"
#include "store/file.h"
#include "store/keyring.h"
#include "store/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A lock is one byte of the file PATH.lock: the first for the file of logins itself, held for as long
// as it takes to write it, and one of the others for each login, held while it is renewed. Two logins
// that fall on one byte wait for one another, and that is all.
#define LOGIN_LOCKS  (1u << 20)
#define LOCK_WAIT_MS 2000u

// What is sealed is written in base64, and a third longer.
#define FILE_SIZE_MAX (DEFT__KEPT_SIZE_MAX / 2 * 3)

static bool is_absolute(const char *path)
{
    return path != NULL && path[0] == '/';
}

bool deft__logins_path(const char *choice, const char *state_home, const char *home,
                       deft_buffer *path)
{
    if (choice != NULL && choice[0] != '\0') {
        if (strcmp(choice, "none") == 0) {
            return false;
        }
        deft_buffer_append_text(path, choice);
    } else if (is_absolute(state_home)) {
        deft_buffer_append_text(path, state_home);
        deft_buffer_append_text(path, "/deft/logins.json");
    } else if (is_absolute(home)) {
        deft_buffer_append_text(path, home);
        deft_buffer_append_text(path, "/.local/state/deft/logins.json");
    } else {
        return false;
    }
    deft_buffer_append_byte(path, '\0');
    return path->status == DEFT_OK;
}

// --- Locks. ---------------------------------------------------------------------------------------

static int lock_byte(const char *path, off_t byte)
{
    deft_buffer name;
    deft_buffer_init(&name, NULL);
    deft_buffer_append_text(&name, path);
    deft_buffer_append_text(&name, ".lock");
    deft_buffer_append_byte(&name, '\0');
    const int descriptor =
        name.status == DEFT_OK
            ? open(name.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) // ours, or nobody's
            : -1;
    deft_buffer_clear(&name);
    if (descriptor < 0) {
        return -2;
    }
    // Of the open file, not of the process: another server of ours may want it as well.
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1, .l_pid = 0};
    if (fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
        const bool is_held = errno == EAGAIN || errno == EACCES;
        close(descriptor);
        return is_held ? -1 : -2;
    }
    return descriptor;
}

int deft__logins_lock(const char *path, deft_view endpoint)
{
    (void)deft__store_file_make_folders(path);
    return lock_byte(path, 1 + (off_t)(deft__hash(endpoint, 0) % LOGIN_LOCKS));
}

void deft__logins_unlock(int descriptor)
{
    if (descriptor >= 0) {
        close(descriptor);
    }
}

// Others hold it for a write only.
static int lock_file(const char *path)
{
    const struct timespec pause      = {0, 5 * 1000 * 1000};
    int                   descriptor = lock_byte(path, 0);
    for (unsigned waited_ms = 0; descriptor == -1 && waited_ms < LOCK_WAIT_MS; waited_ms += 5) {
        (void)nanosleep(&pause, NULL);
        descriptor = lock_byte(path, 0);
    }
    return descriptor;
}

// --- The file. ------------------------------------------------------------------------------------

static deft_status fail_file(const char *path, const char *what, int code, deft_error *error)
{
    deft__quoted name;
    return deft__fail(error, code == ENOSPC ? DEFT_LIMIT : DEFT_INVALID, 0,
                      "the file of logins %s %s: %s", deft__quote(&name, deft_view_of(path)), what,
                      strerror(code));
}

static int read_descriptor(int descriptor, size_t size, deft_buffer *text)
{
    // In one piece: a buffer that grows leaves its old bytes behind.
    if (!deft_buffer_reserve(text, size + 1)) {
        return ENOMEM;
    }
    while (text->size <= size) {
        const ssize_t got = read(descriptor, text->data + text->size, size + 1 - text->size);
        if (got == 0) {
            return 0;
        } else if (got > 0) {
            text->size += (size_t)got;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return EFBIG; // it grows as we read; it is only ever replaced
}

// An absent file is an empty one.
static deft_status read_file(const char *path, deft_buffer *text, deft_error *error)
{
    struct stat information;
    const int   descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return errno == ENOENT ? DEFT_OK : fail_file(path, "cannot be read", errno, error);
    }
    int failure = fstat(descriptor, &information) != 0 ? errno : 0;
    if (failure == 0 && !S_ISREG(information.st_mode)) {
        failure = EINVAL;
    } else if (failure == 0 && information.st_size > (off_t)FILE_SIZE_MAX) {
        failure = EFBIG;
    }
    if (failure == 0 && (information.st_mode & 077) != 0 && information.st_uid == geteuid()) {
        (void)fchmod(descriptor, 0600); // it holds secrets
    }
    if (failure == 0) {
        failure = read_descriptor(descriptor, (size_t)information.st_size, text);
    }
    close(descriptor);
    return failure == 0 ? DEFT_OK : fail_file(path, "cannot be read", failure, error);
}

static int write_whole(int descriptor, deft_view text)
{
    while (text.size > 0) {
        const ssize_t written = write(descriptor, text.data, text.size);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        text = deft_view_slice(text, written > 0 ? (size_t)written : 0, text.size);
    }
    return fsync(descriptor) == 0 ? 0 : errno;
}

// Under the lock, so that the name of the new file is ours alone.
static int replace_file(const char *path, deft_view text)
{
    deft_buffer name;
    deft_buffer_init(&name, NULL);
    deft_buffer_append_text(&name, path);
    deft_buffer_append_text(&name, ".new");
    deft_buffer_append_byte(&name, '\0');
    if (name.status != DEFT_OK) {
        return ENOMEM;
    }
    (void)unlink(name.data); // of a process that was killed here
    const int descriptor = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int       failure    = descriptor < 0 ? errno : write_whole(descriptor, text);
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (failure == 0 && rename(name.data, path) != 0) {
        failure = errno;
    }
    if (failure != 0 && descriptor >= 0) {
        (void)unlink(name.data);
    }
    deft_buffer_clear(&name);
    return failure;
}

static deft_status name_file(const char *path, const deft_error *cause, deft_error *error)
{
    deft__quoted name;
    return deft__fail(error, cause->status, 0, "the file of logins %s %s",
                      deft__quote(&name, deft_view_of(path)), cause->message);
}

// --- What is in it. -------------------------------------------------------------------------------

// The key of a file that is sealed.
static deft_status need_key(const char *path, deft__box_key *key, deft_error *error)
{
    deft_error   cause = DEFT_ERROR_INIT;
    deft__quoted name;
    if (deft__keyring_key(false, key, &cause) == DEFT_OK) {
        return DEFT_OK;
    }
    return deft__fail(error, DEFT_INVALID, 0,
                      "the file of logins %s is sealed, and its key cannot be had: %s",
                      deft__quote(&name, deft_view_of(path)), cause.message);
}

static deft_status open_text(const char *path, deft_view text, deft_buffer *inside,
                             deft_error *error)
{
    deft_error    cause = DEFT_ERROR_INIT;
    deft__box_key key;
    deft_status   status = need_key(path, &key, error);
    if (status == DEFT_OK && deft__sealed_read(text, &key, inside, &cause) == DEFT_INVALID) {
        deft__keyring_forget(); // somebody may have made a new key since
        status = need_key(path, &key, error);
        if (status == DEFT_OK) {
            cause = (deft_error)DEFT_ERROR_INIT;
            (void)deft__sealed_read(text, &key, inside, &cause);
        }
    }
    deft__wipe(&key, sizeof key);
    return status == DEFT_OK && cause.status != DEFT_OK ? name_file(path, &cause, error) : status;
}

// Reads it, and opens it where it is sealed. `text` is empty.
static deft_status read_text(const char *path, deft_buffer *text, bool *is_sealed,
                             deft_error *error)
{
    deft_buffer inside;
    deft_status status = read_file(path, text, error);
    *is_sealed         = status == DEFT_OK && deft__sealed_is(deft_buffer_view(text));
    if (!*is_sealed) {
        return status;
    }
    deft_buffer_init(&inside, text->allocator);
    status = open_text(path, deft_buffer_view(text), &inside, error);
    deft_buffer_clear(text);
    *text = inside;
    return status;
}

// Writes it, sealed or not. Under the lock.
static deft_status write_text(const char *path, deft_view text, bool is_sealed, deft_error *error)
{
    uint8_t       nonce[DEFT__BOX_NONCE_BYTES];
    deft__box_key key;
    deft_buffer   box;
    deft_status   status = DEFT_OK;
    deft_buffer_init(&box, NULL);
    if (is_sealed) {
        status = need_key(path, &key, error);
        if (status == DEFT_OK && (getrandom(nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce ||
                                  !deft__sealed_write(text, &key, nonce, &box))) {
            status = deft__fail_memory(error);
        }
        deft__wipe(&key, sizeof key);
    } else {
        deft_buffer_reserve(&box, text.size + 1);
        deft_buffer_append(&box, text);
    }
    deft_buffer_append_byte(&box, '\n');
    if (status == DEFT_OK) {
        const int failure =
            box.status != DEFT_OK ? ENOMEM : replace_file(path, deft_buffer_view(&box));
        status = failure == 0 ? DEFT_OK : fail_file(path, "cannot be written", failure, error);
    }
    deft__kept_wipe(&box);
    return status;
}

deft_status deft__logins_load(const char *path, deft_view endpoint, deft__kept_login *login,
                              deft_error *error)
{
    const deft_allocator wiping    = deft__wiping_allocator(login->texts[0].allocator);
    deft_error           cause     = DEFT_ERROR_INIT;
    bool                 is_sealed = false;
    deft_buffer          text;
    deft_buffer_init(&text, &wiping);
    deft_status status = read_text(path, &text, &is_sealed, error);
    if (status == DEFT_OK) {
        status = deft__kept_find(deft_buffer_view(&text), endpoint, login, &cause);
        if (status == DEFT_INVALID || status == DEFT_LIMIT) {
            status = name_file(path, &cause, error);
        } else if (status == DEFT_OUT_OF_MEMORY) {
            (void)deft__fail_memory(error);
        }
    }
    deft_buffer_clear(&text);
    return status;
}

static deft_status save(const char *path, deft_view endpoint, const deft__kept_login *login,
                        deft_error *error)
{
    const deft_allocator wiping    = deft__wiping_allocator(NULL);
    deft_error           cause     = DEFT_ERROR_INIT;
    bool                 is_sealed = false;
    deft_buffer          text;
    deft_buffer          changed;
    deft_buffer_init(&text, &wiping);
    deft_buffer_init(&changed, &wiping);
    deft_status status = read_text(path, &text, &is_sealed, error);
    if (status == DEFT_OK && (text.size > 0 || login != NULL)) {
        status = deft__kept_replace(deft_buffer_view(&text), endpoint, login, &changed, &cause);
        status = status == DEFT_OK ? write_text(path, deft_buffer_view(&changed), is_sealed, error)
                                   : name_file(path, &cause, error);
    }
    deft_buffer_clear(&text);
    deft_buffer_clear(&changed);
    return status;
}

static deft_status lock_to_write(const char *path, int *lock, deft_error *error)
{
    const int failure = deft__store_file_make_folders(path);
    if (failure != 0) {
        return fail_file(path, "cannot be made", failure, error);
    }
    *lock = lock_file(path);
    return *lock == -1
               ? fail_file(path, "is being written by somebody else, and stays so", EAGAIN, error)
               : DEFT_OK;
}

deft_status deft__logins_save(const char *path, deft_view endpoint, const deft__kept_login *login,
                              deft_error *error)
{
    int         lock   = -1;
    deft_status status = lock_to_write(path, &lock, error);
    if (status == DEFT_OK) {
        status = save(path, endpoint, login, error);
        deft__logins_unlock(lock);
    }
    return status;
}

static deft_status seal(const char *path, bool is_sealed, deft_error *error)
{
    const deft_allocator wiping     = deft__wiping_allocator(NULL);
    bool                 was_sealed = false;
    deft__box_key        key;
    deft_buffer          text;
    deft_buffer_init(&text, &wiping);
    deft_status status = read_text(path, &text, &was_sealed, error);
    if (status == DEFT_OK && is_sealed && !was_sealed) {
        status = deft__keyring_key(true, &key, error);
        deft__wipe(&key, sizeof key);
    }
    if (status == DEFT_OK && was_sealed && !is_sealed && text.size == 0) {
        // Nothing is in it, and there is no plain way to say so.
        status = unlink(path) == 0 ? DEFT_OK : fail_file(path, "cannot be removed", errno, error);
    } else if (status == DEFT_OK && was_sealed != is_sealed) {
        status = write_text(path, deft_buffer_view(&text), is_sealed, error);
    }
    deft_buffer_clear(&text);
    return status;
}

deft_status deft__logins_seal(const char *path, bool is_sealed, deft_error *error)
{
    int           lock = -1;
    deft__box_key key;
    // A person may have to unlock the keyring: before others have to wait for the lock.
    deft_status status =
        is_sealed ? deft__keyring_key(false, &key, error) : deft__logins_unseal(path, error);
    deft__wipe(&key, sizeof key);
    if (status == DEFT_INVALID) {
        return status;
    }
    status = lock_to_write(path, &lock, error);
    if (status == DEFT_OK) {
        status = seal(path, is_sealed, error);
        deft__logins_unlock(lock);
    }
    return status;
}

deft_status deft__logins_unseal(const char *path, deft_error *error)
{
    deft__box_key key;
    deft_buffer   text;
    deft_buffer_init(&text, NULL);
    deft_status status = read_file(path, &text, error);
    if (status == DEFT_OK && deft__sealed_is(deft_buffer_view(&text))) {
        status = need_key(path, &key, error);
        deft__wipe(&key, sizeof key);
    }
    deft__kept_wipe(&text);
    return status;
}
