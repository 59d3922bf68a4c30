// folder.h - a folder of its own for a test, gone with all that is in it afterwards.
#ifndef DEFT_TESTS_FOLDER_H
#define DEFT_TESTS_FOLDER_H

#include "deft/view.h"

#include <sys/types.h>

typedef struct test_folder {
    char path[64];       // absolute
    char joined[8][160]; // what test_folder_join() gave last
    int  next;
} test_folder;

void test_folder_init(test_folder *folder);
void test_folder_clear(test_folder *folder);

// The path of something in it. Borrowed: valid for the next seven calls.
const char *test_folder_join(test_folder *folder, const char *name);

void   test_file_put(const char *path, deft_view text);
void   test_file_overwrite(const char *path, off_t offset, deft_view text); // in place
void   test_file_cut(const char *path, off_t size);
off_t  test_file_size(const char *path); // -1: there is none
mode_t test_file_mode(const char *path); // the permissions

#endif
