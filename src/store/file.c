#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void deft__store_file_absolute(const char *path, deft_buffer *out)
{
    char here[PATH_MAX];
    deft_buffer_reset(out);
    if (path[0] != '/') {
        if (getcwd(here, sizeof here) == NULL) {
            return;
        }
        deft_buffer_append_text(out, here);
        deft_buffer_append_byte(out, '/');
    }
    deft_buffer_append_text(out, path);
    deft_buffer_append_byte(out, '\0');
}

// --- Making it. ----------------------------------------------------------------------------------

int deft__store_file_make_folders(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        return ENOMEM;
    }
    int failure = 0;
    for (char *slash = strchr(copy + 1, '/'); failure == 0 && slash != NULL;
         slash       = strchr(slash + 1, '/')) {
        struct stat information;
        *slash = '\0';
        // A folder that is there may refuse mkdir for other reasons than being there.
        if (stat(copy, &information) != 0 && mkdir(copy, 0700) != 0 && errno != EEXIST) {
            failure = errno;
        }
        *slash = '/';
    }
    free(copy);
    return failure;
}

int deft__store_file_prepare(const char *path)
{
    struct stat information;
    if (stat(path, &information) != 0) {
        // Not O_TRUNC: another process may have made it in between. SQLite gives -wal and -shm the
        // permissions of this file.
        const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor >= 0) {
            close(descriptor);
        } else if (errno != EEXIST) {
            return errno;
        }
        return 0;
    }
    if (!S_ISREG(information.st_mode)) {
        return S_ISDIR(information.st_mode) ? EISDIR : EINVAL;
    }
    if ((information.st_mode & 0777) != 0600 && information.st_uid == geteuid()) {
        (void)chmod(path, 0600); // on a read-only file system it stays as it is
    }
    return 0;
}

bool deft__store_file_has_content(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 && S_ISREG(information.st_mode) && information.st_size > 0;
}

// --- Changing it. --------------------------------------------------------------------------------

// The folder that holds the file.
static int open_folder(const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        return -1;
    }
    char *slash                  = strrchr(copy, '/');
    slash[slash == copy ? 1 : 0] = '\0';
    const int descriptor         = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    return descriptor;
}

int deft__store_file_lock(const char *path, unsigned wait_ms)
{
    const struct timespec pause      = {0, 5 * 1000 * 1000};
    const int             descriptor = open_folder(path);
    if (descriptor < 0) {
        return -2;
    }
    for (unsigned waited_ms = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; waited_ms += 5) {
        const bool is_held = errno == EWOULDBLOCK || errno == EINTR;
        if (!is_held || waited_ms >= wait_ms) {
            close(descriptor);
            return is_held ? -1 : -2;
        }
        (void)nanosleep(&pause, NULL);
    }
    return descriptor;
}

void deft__store_file_unlock(int descriptor)
{
    if (descriptor >= 0) {
        close(descriptor);
    }
}

static int remove_beside(const char *path, const char *ending, deft_buffer *name)
{
    deft_buffer_reset(name);
    deft_buffer_append_text(name, path);
    deft_buffer_append_text(name, ending);
    deft_buffer_append_byte(name, '\0');
    if (name->status != DEFT_OK) {
        return ENOMEM;
    }
    return unlink(name->data) == 0 || errno == ENOENT ? 0 : errno;
}

int deft__store_file_move_aside(const char *path)
{
    deft_buffer name;
    deft_buffer_init(&name, NULL);
    int failure = remove_beside(path, ".damaged", &name);
    if (failure == 0 && rename(path, name.data) != 0) {
        failure = errno;
    }
    // A log that was left would be played into the new file.
    failure = failure == 0 ? remove_beside(path, "-wal", &name) : failure;
    failure = failure == 0 ? remove_beside(path, "-shm", &name) : failure;
    failure = failure == 0 ? remove_beside(path, "-journal", &name) : failure;
    deft_buffer_clear(&name);
    return failure;
}
