#define _XOPEN_SOURCE 700 // nftw
#include "support/folder.h"

#include "support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void test_folder_init(test_folder *folder)
{
    // In memory where there is such a place: a database waits for the disk often.
    *folder = (test_folder){.path = "/dev/shm/deft-test-XXXXXX"};
    if (mkdtemp(folder->path) == NULL) {
        *folder = (test_folder){.path = "/tmp/deft-test-XXXXXX"};
        assert_non_null(mkdtemp(folder->path));
    }
}

static int remove_entry(const char *path, const struct stat *information, int type,
                        struct FTW *level)
{
    (void)information;
    (void)type;
    (void)level;
    return remove(path);
}

void test_folder_clear(test_folder *folder)
{
    assert_int_equal(nftw(folder->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

const char *test_folder_join(test_folder *folder, const char *name)
{
    char        *joined = folder->joined[folder->next++ % 8];
    const size_t size   = strlen(folder->path);
    assert_true(size + strlen(name) + 2 <= sizeof folder->joined[0]);
    memcpy(joined, folder->path, size);
    joined[size] = '/';
    memcpy(joined + size + 1, name, strlen(name) + 1);
    return joined;
}

static void put_at(const char *path, int flags, off_t offset, deft_view text)
{
    const int descriptor = open(path, flags, 0644);
    assert_true(descriptor >= 0);
    assert_int_equal(pwrite(descriptor, text.data, text.size, offset), text.size);
    assert_int_equal(close(descriptor), 0);
}

void test_file_put(const char *path, deft_view text)
{
    put_at(path, O_WRONLY | O_CREAT | O_TRUNC, 0, text);
}

void test_file_overwrite(const char *path, off_t offset, deft_view text)
{
    put_at(path, O_WRONLY, offset, text);
}

void test_file_cut(const char *path, off_t size)
{
    assert_int_equal(truncate(path, size), 0);
}

off_t test_file_size(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 ? information.st_size : -1;
}

mode_t test_file_mode(const char *path)
{
    struct stat information;
    assert_int_equal(stat(path, &information), 0);
    return information.st_mode & 0777;
}
