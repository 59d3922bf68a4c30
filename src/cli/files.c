#include "cli/files.h"

#include "base/fail.h"
#include "base/memory.h"
#include "cli/unpack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The status that fits an error number, and the sentence: "cannot read catalog.json: ...".
static deft_status fail_errno(deft_error *error, const char *what, const char *path, int number)
{
    deft__quoted      quoted;
    const deft_status status =
        number == ENOENT || number == ENOTDIR ? DEFT_NOT_FOUND : DEFT_INVALID;
    return deft__fail(error, status, 0, "cannot %s %s: %s", what,
                      deft__quote(&quoted, deft_view_of(path)), strerror(number));
}

static bool is_mode(const char *path, mode_t mode)
{
    struct stat information;
    return stat(path, &information) == 0 && (information.st_mode & S_IFMT) == mode;
}

bool deft__file_is_regular(const char *path)
{
    return is_mode(path, S_IFREG);
}

bool deft__file_is_directory(const char *path)
{
    return is_mode(path, S_IFDIR);
}

bool deft__file_is_empty(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISREG(information.st_mode) &&
           information.st_size == 0;
}

bool deft__file_exists(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0;
}

void deft__path_join(deft_buffer *out, const char *directory, const char *name)
{
    deft_buffer_reset(out);
    deft_buffer_append_text(out, directory);
    if (out->size > 0 && out->data[out->size - 1] != '/') {
        deft_buffer_append_byte(out, '/');
    }
    deft_buffer_append_text(out, name);
    deft_buffer_append_byte(out, '\0');
}

// --- Reading. ------------------------------------------------------------------------------------

// Everything from a descriptor, also a pipe, whose size nobody knows before its end.
static deft_status read_all(int descriptor, const char *path, size_t size_max, deft_buffer *out,
                            deft_error *error)
{
    const size_t chunk = 64 * 1024;
    const size_t start = out->size;
    while (true) {
        if (!deft_buffer_reserve(out, chunk)) {
            return deft__fail_memory(error);
        }
        const ssize_t count = read(descriptor, out->data + out->size, out->capacity - out->size);
        if (count < 0 && errno == EINTR) {
            continue;
        } else if (count < 0) {
            return fail_errno(error, "read", path, errno);
        } else if (count == 0) {
            return DEFT_OK;
        }
        out->size += (size_t)count;
        if (out->size - start > size_max) {
            deft__quoted quoted;
            return deft__fail(error, DEFT_LIMIT, 0, "%s is larger than %zu MiB, the limit for it",
                              deft__quote(&quoted, deft_view_of(path)), size_max / (1024 * 1024));
        }
    }
}

// Text that cannot be what is expected, told before a parser stumbles over its first byte.
static deft_status check_text(deft_view text, const char *path, const char *expected,
                              deft_error *error)
{
    deft__quoted    quoted;
    const char     *name = deft__quote(&quoted, deft_view_of(path));
    const deft_view gzip = DEFT_VIEW_INIT("\x1f\x8b");
    const deft_view zstd = DEFT_VIEW_INIT("\x28\xb5\x2f\xfd");
    if (text.size == 0) {
        return deft__fail(error, DEFT_INVALID, 0, "%s is empty; it should hold %s", name, expected);
    } else if (deft_view_starts_with(text, gzip) || deft_view_starts_with(text, zstd)) {
        return deft__fail(error, DEFT_INVALID, 0, "%s is compressed; unpack it first", name);
    } else if (memchr(text.data, '\0', text.size) != NULL) {
        return deft__fail(error, DEFT_INVALID, 0, "%s is a binary file; it should hold %s", name,
                          expected);
    } else {
        return DEFT_OK;
    }
}

static deft_status open_for_reading(const char *path, int *descriptor, deft_error *error)
{
    deft__quoted quoted;
    if (strcmp(path, "-") == 0) {
        *descriptor = STDIN_FILENO;
        return DEFT_OK;
    } else if (deft__file_is_directory(path)) {
        return deft__fail(error, DEFT_INVALID, 0, "%s is a directory, not a file",
                          deft__quote(&quoted, deft_view_of(path)));
    }
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return *descriptor >= 0 ? DEFT_OK : fail_errno(error, "read", path, errno);
}

// All bytes of the file, whatever they are; `name` is what to call it.
static deft_status read_bytes(const char *path, size_t size_max, const char **name,
                              deft_buffer *out, deft_error *error)
{
    int         descriptor = -1;
    deft_status status     = open_for_reading(path, &descriptor, error);
    *name                  = descriptor == STDIN_FILENO ? "stdin" : path;
    if (status != DEFT_OK) {
        return status;
    }
    status = read_all(descriptor, *name, size_max, out, error);
    if (descriptor != STDIN_FILENO) {
        close(descriptor);
    }
    return status;
}

deft_status deft__file_read(const char *path, size_t size_max, const char *expected,
                            deft_buffer *out, deft_error *error)
{
    const size_t start  = out->size;
    const char  *name   = path;
    deft_status  status = read_bytes(path, size_max, &name, out, error);
    if (status == DEFT_OK) {
        const deft_view text = deft_view_slice(deft_buffer_view(out), start, out->size);
        status               = check_text(text, name, expected, error);
    }
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}

deft_status deft__file_read_packed(const char *path, size_t size_max, const char *expected,
                                   deft_buffer *out, deft_error *error)
{
    const size_t start = out->size;
    const char  *name  = path;
    deft_buffer  bytes;
    deft_buffer_init(&bytes, NULL);
    deft_status status = read_bytes(path, size_max, &name, &bytes, error);
    if (status == DEFT_OK && deft__is_packed(deft_buffer_view(&bytes))) {
        deft_error   inner = DEFT_ERROR_INIT;
        deft__quoted quoted;
        status = deft__unpack(deft_buffer_view(&bytes), size_max, out, &inner);
        if (status != DEFT_OK) {
            (void)deft__fail(error, status, 0, "%s cannot be unpacked: %s",
                             deft__quote(&quoted, deft_view_of(name)), inner.message);
        }
    } else if (status == DEFT_OK) {
        deft_buffer_append(out, deft_buffer_view(&bytes));
        status = out->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    }
    deft_buffer_clear(&bytes);
    if (status == DEFT_OK) {
        const deft_view text = deft_view_slice(deft_buffer_view(out), start, out->size);
        status               = check_text(text, name, expected, error);
    }
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}

// --- Writing. ------------------------------------------------------------------------------------

// Makes the directories above `path` that are not there yet, for the owner only, as the XDG base
// directory specification asks.
static deft_status make_parents(const char *path, deft_error *error)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        return deft__fail_memory(error);
    }
    deft_status status = DEFT_OK;
    for (char *slash = strchr(copy + 1, '/'); status == DEFT_OK && slash != NULL;
         slash       = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST && !deft__file_is_directory(copy)) {
            status = fail_errno(error, "make the directory", copy, errno);
        }
        *slash = '/';
    }
    free(copy);
    return status;
}

static int write_and_sync(int descriptor, deft_view text)
{
    while (text.size > 0) {
        const ssize_t written = write(descriptor, text.data, text.size);
        if (written < 0 && errno == EINTR) {
            continue;
        } else if (written < 0) {
            return errno;
        }
        text = deft_view_slice(text, (size_t)written, text.size);
    }
    return fsync(descriptor) == 0 ? 0 : errno;
}

// After a rename the directory is what must reach the disk. Some file systems cannot sync one;
// the file itself is whole either way.
static void sync_directory(const char *path)
{
    char *copy = strdup(path);
    if (copy != NULL) {
        char *slash = strrchr(copy, '/');
        if (slash != NULL) {
            slash[slash == copy ? 1 : 0] = '\0';
        }
        const int descriptor = open(slash != NULL ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor >= 0) {
            (void)fsync(descriptor);
            close(descriptor);
        }
        free(copy);
    }
}

// A new file beside `path`, then one rename: a reader sees the old content or the new, never half.
// `name` is what the person called it.
static deft_status replace(const char *path, const char *name, deft_view text, deft_error *error)
{
    struct stat  old      = {.st_mode = 0600};
    const bool   is_there = stat(path, &old) == 0;
    const mode_t mode     = is_there ? old.st_mode & 07777 : 0600;
    if (is_there && !S_ISREG(old.st_mode)) {
        return fail_errno(error, "write", name, S_ISDIR(old.st_mode) ? EISDIR : EINVAL);
    }
    deft_buffer temporary;
    deft_buffer_init(&temporary, NULL);
    deft_buffer_append_text(&temporary, path);
    deft_buffer_append(&temporary, deft_view_make(".XXXXXX", sizeof ".XXXXXX")); // with its NUL
    if (temporary.status != DEFT_OK) {
        deft_buffer_clear(&temporary);
        return deft__fail_memory(error);
    }
    const int descriptor = mkstemp(temporary.data);
    int       failure    = descriptor >= 0 ? 0 : errno;
    if (descriptor >= 0) {
        // Only root may give a file to somebody else; for others it was their own already.
        if (is_there && fchown(descriptor, old.st_uid, old.st_gid) != 0 && geteuid() == 0) {
            failure = errno;
        }
        failure = failure == 0 && fchmod(descriptor, mode) != 0 ? errno : failure;
        failure = failure == 0 ? write_and_sync(descriptor, text) : failure;
        failure = close(descriptor) != 0 && failure == 0 ? errno : failure;
        if (failure == 0 && rename(temporary.data, path) != 0) {
            failure = errno;
        }
        if (failure != 0) {
            unlink(temporary.data);
        } else {
            sync_directory(path);
        }
    }
    deft_buffer_clear(&temporary);
    return failure == 0 ? DEFT_OK : fail_errno(error, "write", name, failure);
}

deft_status deft__file_replace(const char *path, deft_view text, deft_error *error)
{
    const deft_status status = make_parents(path, error);
    if (status != DEFT_OK) {
        return status;
    }
    // People keep their settings elsewhere and link to them; the link must survive.
    char             *real   = realpath(path, NULL);
    const deft_status result = replace(real != NULL ? real : path, path, text, error);
    free(real);
    return result;
}

deft_status deft__file_write(const char *path, deft_view text, deft_error *error)
{
    FILE *file    = fopen(path, "wb");
    int   failure = file != NULL ? 0 : errno;
    if (file != NULL && text.size > 0 && fwrite(text.data, 1, text.size, file) != text.size) {
        failure = errno;
    }
    if (file != NULL && fclose(file) != 0 && failure == 0) {
        failure = errno;
    }
    return failure == 0 ? DEFT_OK : fail_errno(error, "write", path, failure);
}

// --- Directories. --------------------------------------------------------------------------------

static bool ends_with(deft_view name, const char *ending)
{
    const deft_view end = deft_view_of(ending);
    return name.size > end.size &&
           deft_view_equal(deft_view_slice(name, name.size - end.size, end.size), end);
}

static bool is_catalog_name(const char *name)
{
    const deft_view view = deft_view_of(name);
    return name[0] != '.' && (ends_with(view, ".json") || ends_with(view, ".jsonl"));
}

static int compare_names(const void *a, const void *b)
{
    const char *const *left  = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

static bool add_name(deft__file_names *names, const char *name)
{
    void *items = names->names;
    if (!deft__grow(NULL, &items, &names->capacity, names->count, sizeof names->names[0])) {
        return false;
    }
    names->names = items;
    char *copy   = strdup(name);
    if (copy == NULL) {
        return false;
    }
    names->names[names->count++] = copy;
    return true;
}

deft_status deft__file_names_read(deft__file_names *names, const char *directory, deft_error *error)
{
    *names      = (deft__file_names){.names = NULL};
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        return fail_errno(error, "read the directory", directory, errno);
    }
    deft_status    status = DEFT_OK;
    struct dirent *entry  = NULL;
    while (status == DEFT_OK && (entry = readdir(stream)) != NULL) {
        if (is_catalog_name(entry->d_name) && !add_name(names, entry->d_name)) {
            status = deft__fail_memory(error);
        }
    }
    closedir(stream);
    if (status == DEFT_OK && names->count > 0) {
        qsort(names->names, names->count, sizeof names->names[0], compare_names);
    } else if (status != DEFT_OK) {
        deft__file_names_clear(names);
    }
    return status;
}

void deft__file_names_clear(deft__file_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->names[i]);
    }
    deft__free(NULL, names->names, names->capacity * sizeof names->names[0]);
    *names = (deft__file_names){.names = NULL};
}
