// files.h - reads and writes whole files. Reading is bounded, and what is wrong with a file is said
// with its name and a remedy, because the person who named it is at the keyboard.
#ifndef DEFT_CLI_FILES_H
#define DEFT_CLI_FILES_H

#include "deft/buffer.h"
#include "deft/error.h"

#include <stdbool.h>

#define DEFT__CATALOG_FILE_SIZE_MAX (64u * 1024 * 1024) // the catalog's own limit for a source
#define DEFT__CONFIG_FILE_SIZE_MAX  (16u * 1024 * 1024)

// Appends the content of the file, or of stdin for "-". `expected` says what it should
// hold, for messages: "settings as JSON". An empty file, a directory, a compressed file and one with NUL
// bytes are errors. DEFT_NOT_FOUND when there is no such file.
deft_status deft__file_read(const char *path, size_t size_max, const char *expected,
                            deft_buffer *out, deft_error *error);

// The same for a file that gzip may have packed; the limit is for what it holds.
deft_status deft__file_read_packed(const char *path, size_t size_max, const char *expected,
                                   deft_buffer *out, deft_error *error);

// Puts `text` in the place of the file's content: all of it or, on any failure, nothing. A link is
// followed. The file keeps its mode and owner; a new one is readable by its owner only, since settings may
// come to hold secrets. Missing directories above it are made.
deft_status deft__file_replace(const char *path, deft_view text, deft_error *error);

bool deft__file_is_regular(const char *path);
bool deft__file_is_directory(const char *path);
bool deft__file_is_empty(const char *path);
bool deft__file_exists(const char *path); // of any kind

// Writes `text` to a file, a new one or in place of what was there; also to a pipe or a device.
deft_status deft__file_write(const char *path, deft_view text, deft_error *error);

// The names in a directory that end in .json or .jsonl, in byte order, hidden ones left out.
typedef struct deft__file_names {
    char **names;
    size_t count;
    size_t capacity;
} deft__file_names;

deft_status deft__file_names_read(deft__file_names *names, const char *directory,
                                  deft_error *error);
void        deft__file_names_clear(deft__file_names *names);

// `directory`/`name`, ended with NUL, into `out`; the status is in out->status.
void deft__path_join(deft_buffer *out, const char *directory, const char *name);

#endif
