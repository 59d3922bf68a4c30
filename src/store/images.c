#include "store/images.h"

#include "base/fail.h"
#include "base/memory.h"
#include "store/database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".image"

// An image that is being written has so many characters more. One that is older than an hour was left
// by a process that is gone.
#define UNFINISHED     ".XXXXXX"
#define UNFINISHED_S   3600
#define NOT_FOUND_TEXT "no image of these servers is kept"

// Written in pieces of this size: Linux keeps what is written at once together in memory, in pieces of
// up to 2 MiB, and a look at one byte of a mapping brings in the whole piece.
#define PIECE_SIZE (64u * 1024)

// One that was loaded: a mapping, or memory.
typedef struct loaded {
    deft__bytes bytes;
    size_t      size; // of all this, where it is memory
    void       *mapping;
    uint64_t    content[];
} loaded;

static void write_path(const deft__store *store, deft_view variant, const char *ending,
                       deft_buffer *path)
{
    deft_buffer_append_text(path, store->path);
    deft_buffer_append_byte(path, '.');
    deft_buffer_append(path, variant);
    deft_buffer_append_text(path, ending);
    deft_buffer_append_byte(path, '\0');
}

// --- Loading. ------------------------------------------------------------------------------------

static void free_loaded(deft__bytes *bytes)
{
    loaded *self = (loaded *)(void *)bytes; // its first member
    if (self->mapping != NULL) {
        (void)munmap(self->mapping, bytes->view.size);
    }
    deft__free(NULL, self, self->size);
}

// Where a file system is on another machine, a file may go away under a mapping, and who looks at it
// then dies. There the file is read.
static bool is_local(int file)
{
    static const unsigned remote[] = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC,  SMB2_SUPER_MAGIC,
                                      CIFS_SUPER_MAGIC, CEPH_SUPER_MAGIC, V9FS_MAGIC,
                                      AFS_SUPER_MAGIC,  CODA_SUPER_MAGIC, FUSE_SUPER_MAGIC};
    struct statfs         facts;
    if (fstatfs(file, &facts) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; i++) {
        if ((unsigned)facts.f_type == remote[i]) {
            return false;
        }
    }
    return true;
}

static bool read_whole(int file, char *out, size_t size)
{
    while (size > 0) {
        const ssize_t count = read(file, out, size);
        if (count > 0) {
            out += count;
            size -= (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static loaded *map(int file, size_t size)
{
    loaded *self = deft__new(NULL, sizeof *self);
    if (self != NULL) {
        self->size    = sizeof *self;
        self->mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (self->mapping == MAP_FAILED) {
            deft__free(NULL, self, sizeof *self);
            return NULL;
        }
        deft__bytes_init(&self->bytes, deft_view_make(self->mapping, size), free_loaded);
    }
    return self;
}

static loaded *read_file(int file, size_t size)
{
    loaded *self = deft__new(NULL, sizeof *self + size);
    if (self != NULL) {
        self->size = sizeof *self + size;
        deft__bytes_init(&self->bytes, deft_view_make((const char *)self->content, size),
                         free_loaded);
        if (!read_whole(file, (char *)self->content, size)) {
            deft__bytes_release(&self->bytes);
            return NULL;
        }
    }
    return self;
}

// Ours alone: what others can write they could also cut short under our eyes.
static bool is_ours(int file, size_t size_max, size_t *size)
{
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid() ||
        (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0 || facts.st_size <= 0 ||
        (uint64_t)facts.st_size > size_max) {
        return false;
    }
    *size = (size_t)facts.st_size;
    return true;
}

// What one image may have of the store's limit.
static uint64_t size_max_of(const deft__store *store)
{
    return store->options.size_max / DEFT__IMAGES_MAX;
}

deft_status deft__image_load(deft__store *store, deft_view variant, deft__bytes **image,
                             deft_error *error)
{
    if (store == NULL) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, NOT_FOUND_TEXT);
    }
    deft_buffer path;
    deft_buffer_init(&path, NULL);
    write_path(store, variant, ENDING, &path);
    if (path.status != DEFT_OK) {
        return deft__fail_memory(error);
    }
    loaded   *found = NULL;
    size_t    size  = 0;
    const int file  = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    deft_buffer_clear(&path);
    if (file >= 0) {
        if (is_ours(file, size_max_of(store), &size)) {
            found = is_local(file) && !store->options.is_unmapped ? map(file, size)
                                                                  : read_file(file, size);
        }
        (void)close(file);
    }
    if (found == NULL) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, NOT_FOUND_TEXT);
    }
    *image = &found->bytes;
    return DEFT_OK;
}

void deft__image_rest(const deft__bytes *image)
{
    const loaded *self = (const loaded *)(const void *)image;
    if (self != NULL && self->mapping != NULL) {
        (void)madvise(self->mapping, image->view.size, MADV_DONTNEED);
    }
}

// --- Saving. -------------------------------------------------------------------------------------

static bool write_whole(int file, deft_view bytes)
{
    while (bytes.size > 0) {
        const size_t  size  = bytes.size < PIECE_SIZE ? bytes.size : PIECE_SIZE;
        const ssize_t count = write(file, bytes.data, size);
        if (count > 0) {
            bytes = deft_view_slice(bytes, (size_t)count, bytes.size);
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

// The name of a file in the store's folder: an image of this store's, whole or (`is_unfinished`) not.
static bool is_image(deft_view name, deft_view store_name, bool *is_unfinished)
{
    const deft_view ending = deft_view_of(ENDING);
    *is_unfinished         = name.size > sizeof UNFINISHED && name.data[name.size - 7] == '.';
    if (*is_unfinished) {
        name.size -= sizeof UNFINISHED - 1;
    }
    if (name.size <= store_name.size + 1 + ending.size ||
        !deft_view_starts_with(name, store_name) || name.data[store_name.size] != '.' ||
        !deft_view_equal(deft_view_slice(name, name.size - ending.size, ending.size), ending)) {
        return false;
    }
    // A variant has no dot: with one it belongs to another store, whose name begins like this one's.
    const size_t start = store_name.size + 1;
    return memchr(name.data + start, '.', name.size - ending.size - start) == NULL;
}

static bool is_older(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec < b->st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec < b->st_mtim.tv_nsec);
}

// Looks at all images once: removes what was left unfinished, and the oldest of too many. True: one of
// too many was removed, and there may be more.
static bool remove_one(DIR *folder, deft_view store_name)
{
    struct stat    oldest             = {0};
    char           name[NAME_MAX + 1] = {0};
    size_t         count              = 0;
    const time_t   now                = time(NULL);
    const int      descriptor         = dirfd(folder);
    struct dirent *entry;
    rewinddir(folder);
    while ((entry = readdir(folder)) != NULL) {
        struct stat facts;
        bool        is_unfinished = false;
        if (!is_image(deft_view_of(entry->d_name), store_name, &is_unfinished) ||
            fstatat(descriptor, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (is_unfinished) {
            if (now - facts.st_mtime > UNFINISHED_S) {
                (void)unlinkat(descriptor, entry->d_name, 0);
            }
        } else if (count++ == 0 || is_older(&facts, &oldest)) {
            oldest = facts;
            memcpy(name, entry->d_name, strlen(entry->d_name) + 1);
        }
    }
    return count > DEFT__IMAGES_MAX && unlinkat(descriptor, name, 0) == 0;
}

static void remove_old(const deft__store *store)
{
    const char *name  = strrchr(store->path, '/') + 1; // the path is absolute
    char       *copy  = strdup(store->path);
    DIR        *files = NULL;
    if (copy != NULL) {
        copy[name - store->path] = '\0';
        files                    = opendir(copy);
    }
    if (files != NULL) {
        while (remove_one(files, deft_view_of(name))) {
        }
        (void)closedir(files);
    }
    free(copy);
}

// 0, or an error number.
static int save(const deft__store *store, deft_view variant, deft_view bytes)
{
    deft_buffer path;
    deft_buffer unfinished;
    int         failure = ENOMEM;
    deft_buffer_init(&path, NULL);
    deft_buffer_init(&unfinished, NULL);
    write_path(store, variant, ENDING, &path);
    write_path(store, variant, ENDING UNFINISHED, &unfinished);
    if (path.status == DEFT_OK && unfinished.status == DEFT_OK) {
        const int file = mkostemp(unfinished.data, O_CLOEXEC); // 0600
        failure        = 0;
        if (file < 0 || !write_whole(file, bytes) || rename(unfinished.data, path.data) != 0) {
            failure = errno;
        }
        if (file >= 0) {
            (void)close(file);
        }
        if (file >= 0 && failure != 0) {
            (void)unlink(unfinished.data);
        }
    }
    deft_buffer_clear(&path);
    deft_buffer_clear(&unfinished);
    return failure;
}

deft_status deft__image_save(deft__store *store, deft_view variant, deft_view bytes,
                             deft_error *error)
{
    deft__quoted quoted;
    if (store == NULL) {
        return DEFT_OK;
    } else if (store->is_read_only) {
        return deft__store_fail(store, SQLITE_READONLY, false, error);
    } else if (bytes.size > size_max_of(store)) {
        return deft__fail(error, DEFT_LIMIT, 0, "an image of %zu bytes is too large to be kept",
                          bytes.size);
    }
    const int failure = save(store, variant, bytes);
    if (failure == 0) {
        remove_old(store);
        return DEFT_OK;
    } else if (failure == ENOMEM) {
        return deft__fail_memory(error);
    } else if (failure == ENOSPC || failure == EDQUOT) {
        return deft__store_fail(store, SQLITE_FULL, true, error);
    }
    return deft__fail(error, DEFT_INVALID, 0, "%s: no image can be written beside it: %s",
                      deft__quote(&quoted, deft_view_of(store->path)), strerror(failure));
}
