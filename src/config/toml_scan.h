// toml_scan.h - the words of TOML: white space, comments, keys, strings, numbers and dates. What
// they build together is toml.c's.
#ifndef DEFT_CONFIG_TOML_SCAN_H
#define DEFT_CONFIG_TOML_SCAN_H

#include "base/arena.h"
#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

typedef struct deft__toml_scanner {
    deft_view    text;
    size_t       at;    // the next byte
    size_t       line;  // its line, from 1
    deft__arena *arena; // where decoded text goes
    deft_buffer  scratch;
    deft_error  *error;
    deft_status  status; // sticky: the first failure
} deft__toml_scanner;

void deft__toml_fail(deft__toml_scanner *scanner, size_t offset, const char *message);
void deft__toml_fail_memory(deft__toml_scanner *scanner);

static inline bool deft__toml_is_ok(const deft__toml_scanner *scanner)
{
    return scanner->status == DEFT_OK;
}

static inline bool deft__toml_is_at_end(const deft__toml_scanner *scanner)
{
    return scanner->at >= scanner->text.size;
}

// The byte `ahead` of here; 0 at the end. (A NUL in the text is no valid TOML anyway.)
static inline char deft__toml_peek(const deft__toml_scanner *scanner, size_t ahead)
{
    const size_t at = scanner->at + ahead;
    return at < scanner->text.size ? scanner->text.data[at] : '\0';
}

void deft__toml_skip_blanks(deft__toml_scanner *scanner);
void deft__toml_skip_comment(deft__toml_scanner *scanner);
bool deft__toml_skip_line_end(deft__toml_scanner *scanner); // false when there is none here

// Blanks, comments and line ends, as between the items of an array.
void deft__toml_skip_space(deft__toml_scanner *scanner);

// A bare or quoted key, one part of a dotted one.
deft_view deft__toml_read_key(deft__toml_scanner *scanner);

// The string that opens here, on one line or several, without its quotes and escapes.
deft_view deft__toml_read_string(deft__toml_scanner *scanner);

typedef enum deft__toml_kind {
    DEFT__TOML_STRING, // also what JSON has no word for: dates, inf, nan
    DEFT__TOML_NUMBER, // the text is a JSON number
    DEFT__TOML_BOOL
} deft__toml_kind;

// A number, a bool or a date.
deft_view deft__toml_read_word(deft__toml_scanner *scanner, deft__toml_kind *kind);

#endif
