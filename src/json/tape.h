// tape.h - the inside of a document, shared by the files behind reader.h and by no one else.
//
// Tokens come in the order of the text: a container before what is inside it, a member's name
// before its value. Each knows its slice of the text and the token that follows it with everything
// inside, so a value is skipped in one step. README.md draws a tape.
#ifndef DEFT_JSON_TAPE_H
#define DEFT_JSON_TAPE_H

#include "json/reader.h"

#include <assert.h>

// Offsets and sizes stay at or below 2^30, which leaves room for a kind beside a count in 32 bits.
#define DEFT__JSON_SIZE_MAX_OF_ALL (1024u * 1024 * 1024)

struct deft__json_token {
    uint32_t start; // offset of the first byte in the text
    uint32_t size;  // bytes, quotes and brackets included
    uint32_t next;  // the token after this one and all inside it; while open: the parent
    uint32_t info;  // the kind; above it the count of items or, in a string, HAS_ESCAPE
};

#define DEFT__TAPE_KIND_BITS  3u
#define DEFT__TAPE_KIND_MASK  ((1u << DEFT__TAPE_KIND_BITS) - 1)
#define DEFT__TAPE_ONE_ITEM   (1u << DEFT__TAPE_KIND_BITS)
#define DEFT__TAPE_HAS_ESCAPE (1u << DEFT__TAPE_KIND_BITS)
#define DEFT__TAPE_NO_TOKEN   UINT32_MAX

static_assert(sizeof(deft__json_token) == 16, "the tape is measured in 16-byte tokens");
static_assert(DEFT__JSON_OBJECT <= DEFT__TAPE_KIND_MASK, "a kind fits its bits");
// An item takes two bytes, `1,`, so the largest text has fewer than 2^29 of them.
static_assert((DEFT__JSON_SIZE_MAX_OF_ALL - 1) / 2 <= UINT32_MAX >> DEFT__TAPE_KIND_BITS,
              "a count fits beside the kind");

// The token of a value; NULL when there is no such value.
static inline const deft__json_token *deft__tape_token(deft__json_value value)
{
    if (value.document == NULL || value.token >= value.document->count) {
        return NULL;
    }
    return &value.document->tokens[value.token];
}

static inline deft__json_kind deft__tape_kind(const deft__json_token *token)
{
    return (deft__json_kind)(token->info & DEFT__TAPE_KIND_MASK);
}

// The value of a hex digit; 16 when it is none.
static inline uint32_t deft__tape_hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return (uint32_t)(byte - '0');
    } else if (byte >= 'a' && byte <= 'f') {
        return (uint32_t)(byte - 'a') + 10;
    } else if (byte >= 'A' && byte <= 'F') {
        return (uint32_t)(byte - 'A') + 10;
    } else {
        return 16;
    }
}

#endif
