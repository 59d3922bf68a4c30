// From text to tape: one loop without recursion. An open container keeps the token of the
// container around it in the field that will later say where it ends, so the tape is also the
// stack.
#include "json/reader.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "json/tape.h"

#define DEPTH_MAX_OF_ALL 1024u

// What is wrong with the text. `reason` is a literal that says what was expected or found.
typedef struct json_problem {
    deft_status status;
    const char *at;
    const char *reason;
} json_problem;

// For `return wrong(...)` in scanners: they return where they stopped, or NULL.
static const char *wrong(json_problem *problem, const char *at, const char *reason)
{
    problem->status = DEFT_INVALID;
    problem->at     = at;
    problem->reason = reason;
    return NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// `at` is at a backslash. Any four hex digits are grammar; what a lone surrogate means is decided
// when the string is read.
static const char *scan_escape(const char *at, const char *end, json_problem *problem)
{
    if (end - at < 2) {
        return wrong(problem, end, "an escape expected");
    }
    switch (at[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return at + 2;
    case 'u':
        for (int i = 2; i < 6; i++) {
            if (at + i == end || deft__tape_hex_digit(at[i]) > 15) {
                return wrong(problem, at + i, "four hex digits expected after \\u");
            }
        }
        return at + 6;
    default:
        return wrong(problem, at, "unknown escape in a string");
    }
}

// `at` is behind the opening quote; returns behind the closing one. Where there is an escape,
// `info` gets DEFT__TAPE_HAS_ESCAPE.
static inline const char *scan_string(const char *at, const char *end, uint32_t *info,
                                      json_problem *problem)
{
    for (;;) {
        at = deft__scan_plain(at, end);
        if (at == end) {
            return wrong(problem, end, "a closing quote expected");
        }
        const unsigned char byte = (unsigned char)*at;
        if (byte == '"') {
            return at + 1;
        } else if (byte == '\\') {
            *info |= DEFT__TAPE_HAS_ESCAPE;
            at = scan_escape(at, end, problem);
            if (at == NULL) {
                return NULL;
            }
        } else if (byte < 0x20) {
            return wrong(problem, at, "control character in a string");
        } else {
            // Text that is not ASCII comes in runs, so stay here until one ends.
            do {
                uint32_t     code = 0;
                const size_t size =
                    deft__utf8_decode(deft_view_make(at, (size_t)(end - at)), 0, &code);
                if (size == 0) {
                    return wrong(problem, at, "a string that is not UTF-8");
                }
                at += size;
            } while (at < end && (unsigned char)*at >= 0x80);
        }
    }
}

static const char *scan_digits(const char *at, const char *end, const char *reason,
                               json_problem *problem)
{
    if (at == end || !is_digit(*at)) {
        return wrong(problem, at, reason);
    }
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at;
}

// `at` is at a minus or a digit.
static const char *scan_number(const char *at, const char *end, json_problem *problem)
{
    if (*at == '-') {
        at++;
    }
    if (at < end && *at == '0') {
        at++;
        if (at < end && is_digit(*at)) {
            return wrong(problem, at, "a number with a 0 in front");
        }
    } else {
        at = scan_digits(at, end, "a digit expected", problem);
    }
    if (at != NULL && at < end && *at == '.') {
        at = scan_digits(at + 1, end, "a digit expected after the decimal point", problem);
    }
    if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) {
            at++;
        }
        at = scan_digits(at, end, "a digit expected in the exponent", problem);
    }
    return at;
}

static const char *scan_word(const char *at, const char *end, const char *word,
                             json_problem *problem)
{
    const size_t size = strlen(word);
    if ((size_t)(end - at) < size || memcmp(at, word, size) != 0) {
        return wrong(problem, at, "a value expected");
    }
    return at + size;
}

// A value that is not a container. `info` gets its kind.
static inline const char *scan_scalar(const char *at, const char *end, uint32_t *info,
                                      json_problem *problem)
{
    switch (*at) {
    case '"':
        *info = DEFT__JSON_STRING;
        return scan_string(at + 1, end, info, problem);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        *info = DEFT__JSON_NUMBER;
        return scan_number(at, end, problem);
    case 't':
        *info = DEFT__JSON_TRUE;
        return scan_word(at, end, "true", problem);
    case 'f':
        *info = DEFT__JSON_FALSE;
        return scan_word(at, end, "false", problem);
    case 'n':
        *info = DEFT__JSON_NULL;
        return scan_word(at, end, "null", problem);
    default:
        return wrong(problem, at, "a value expected");
    }
}

// How many tokens to have room for, when `count` are full after `done` bytes of `size`. What is
// ahead is taken to be like what is behind, plus an eighth; the result is at least half and at
// most three times more than there is, so neither a sparse nor a dense start misleads for long.
static size_t next_capacity(size_t count, size_t done, size_t size)
{
    if (count == 0) {
        return size / 32 + 16; // half of what a tools/list needs; small messages fit at once
    }
    const size_t   least    = count + count / 2 + 16;
    const size_t   most     = count * 4 + 16;
    const uint64_t expected = (uint64_t)count * size / (done > 0 ? done : 1) * 9 / 8;
    if (expected < least) {
        return least;
    } else if (expected > most) {
        return most;
    } else {
        return (size_t)expected;
    }
}

// One parse in progress.
typedef struct json_parser {
    deft__json       *document;
    deft__json_limits limits;  // no zero in it
    size_t            room;    // tokens that fit the tape and the limit
    uint32_t          parent;  // the innermost open container; DEFT__TAPE_NO_TOKEN outside of all
    uint32_t          depth;   // how many are open
    json_problem      problem; // what stopped it
} json_parser;

static bool stop(json_parser *parser, deft_status status, const char *at, const char *reason)
{
    parser->problem = (json_problem){.status = status, .at = at, .reason = reason};
    return false;
}

// Makes room for one more token. Rare: a document that is used again has it already.
static bool make_room(json_parser *parser, const char *at)
{
    deft__json *document = parser->document;
    if (document->count >= parser->limits.tokens_max) {
        return stop(parser, DEFT_LIMIT, at, "too many values");
    }
    const size_t size     = sizeof *document->tokens;
    const size_t done     = (size_t)(at - document->text.data);
    const size_t capacity = next_capacity(document->count, done, document->text.size);
    void *tokens = deft__resize(document->allocator, document->tokens, document->capacity * size,
                                capacity * size);
    if (tokens == NULL) {
        return stop(parser, DEFT_OUT_OF_MEMORY, at, "out of memory");
    }
    document->tokens   = tokens;
    document->capacity = capacity;
    parser->room =
        capacity < parser->limits.tokens_max ? capacity : (size_t)parser->limits.tokens_max;
    return true;
}

// Puts a token on the tape for the bytes from `at` up to `after`.
static inline bool push(json_parser *parser, const char *at, const char *after, uint32_t info)
{
    deft__json *document = parser->document;
    if (document->count == parser->room && !make_room(parser, at)) {
        return false;
    }
    const uint32_t index    = (uint32_t)document->count++;
    document->tokens[index] = (deft__json_token){
        .start = (uint32_t)(at - document->text.data),
        .size  = (uint32_t)(after - at),
        .next  = index + 1,
        .info  = info,
    };
    return true;
}

// Puts an open container on the tape; its size and what follows it come with close_container().
static inline bool open_container(json_parser *parser, const char *at, uint32_t kind)
{
    if (parser->depth == parser->limits.depth_max) {
        return stop(parser, DEFT_LIMIT, at, "too many arrays and objects inside one another");
    }
    if (!push(parser, at, at, kind)) {
        return false;
    }
    const uint32_t index                 = (uint32_t)parser->document->count - 1;
    parser->document->tokens[index].next = parser->parent;
    parser->parent                       = index;
    parser->depth++;
    return true;
}

static inline void close_container(json_parser *parser, const char *after)
{
    const deft__json *document  = parser->document;
    deft__json_token *container = &document->tokens[parser->parent];
    parser->parent              = container->next;
    parser->depth--;
    container->next = (uint32_t)document->count;
    container->size = (uint32_t)(after - document->text.data) - container->start;
}

static inline bool parent_is_object(const json_parser *parser)
{
    return parser->parent != DEFT__TAPE_NO_TOKEN && (parser->document->tokens[parser->parent].info &
                                                     DEFT__TAPE_KIND_MASK) == DEFT__JSON_OBJECT;
}

// Reads `"name" :` and returns behind the colon.
static inline const char *scan_name(json_parser *parser, const char *at, const char *end)
{
    if (at == end || *at != '"') {
        return wrong(&parser->problem, at, "a member name in double quotes expected");
    }
    uint32_t    info  = DEFT__JSON_STRING;
    const char *after = scan_string(at + 1, end, &info, &parser->problem);
    if (after == NULL || !push(parser, at, after, info)) {
        return NULL;
    }
    at = deft__scan_space(after, end);
    if (at == end || *at != ':') {
        return wrong(&parser->problem, at, "a colon expected after a member name");
    }
    return deft__scan_space(at + 1, end);
}

// Reads the grammar from the first byte to the last; one turn of the loop is one value, with its
// name when it is a member. False: parser->problem says why.
static bool build_tape(json_parser *parser)
{
    const deft__json *document  = parser->document;
    const char       *at        = document->text.data;
    const char       *end       = at + document->text.size;
    bool              is_object = false; // what the parent is

    for (;;) {
        at = deft__scan_space(at, end);
        if (is_object) {
            at = scan_name(parser, at, end);
            if (at == NULL) {
                return false;
            }
        }
        if (at == end) {
            return stop(parser, DEFT_INVALID, at, "a value expected");
        }
        if (parser->parent != DEFT__TAPE_NO_TOKEN) {
            document->tokens[parser->parent].info += DEFT__TAPE_ONE_ITEM;
        }

        if (*at == '{' || *at == '[') {
            is_object = *at == '{';
            if (!open_container(parser, at, is_object ? DEFT__JSON_OBJECT : DEFT__JSON_ARRAY)) {
                return false;
            }
            at = deft__scan_space(at + 1, end);
            if (at == end || *at != (is_object ? '}' : ']')) {
                continue; // its first item
            }
        } else {
            uint32_t    info  = 0;
            const char *after = scan_scalar(at, end, &info, &parser->problem);
            if (after == NULL || !push(parser, at, after, info)) {
                return false;
            }
            at = deft__scan_space(after, end);
        }

        // Here a value is whole, or an empty container is about to be. Close all that ends here.
        for (;;) {
            if (parser->parent == DEFT__TAPE_NO_TOKEN) {
                return at == end || stop(parser, DEFT_INVALID, at, "text after the value");
            } else if (at < end && *at == ',') {
                at++;
                break;
            } else if (at < end && *at == (is_object ? '}' : ']')) {
                close_container(parser, at + 1);
                is_object = parent_is_object(parser);
                at        = deft__scan_space(at + 1, end);
            } else {
                return stop(parser, DEFT_INVALID, at,
                            is_object ? "a comma or } expected" : "a comma or ] expected");
            }
        }
    }
}

static uint32_t limit_or(uint32_t limit, uint32_t otherwise, uint32_t most)
{
    const uint32_t chosen = limit > 0 ? limit : otherwise;
    return chosen < most ? chosen : most;
}

void deft__json_init(deft__json *document, const deft_allocator *allocator)
{
    *document = (deft__json){.allocator = allocator};
}

void deft__json_clear(deft__json *document)
{
    deft__free(document->allocator, document->tokens,
               document->capacity * sizeof *document->tokens);
    deft__json_init(document, document->allocator);
}

static deft_status report(const json_parser *parser, deft_error *error)
{
    const deft_view text   = parser->document->text;
    const char     *at     = parser->problem.at;
    const char     *reason = parser->problem.reason;
    const size_t    offset = (size_t)(at - text.data);

    if (parser->problem.status == DEFT_OUT_OF_MEMORY) {
        return deft__fail_memory(error);
    } else if (parser->problem.status == DEFT_INVALID && offset == text.size) {
        return deft__fail(error, DEFT_INVALID, offset, "%s, but the text ends", reason);
    } else if (offset == 0 && text.size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        return deft__fail(error, DEFT_INVALID, 0, "a value expected, not a byte order mark");
    } else {
        return deft__fail(error, parser->problem.status, offset, "%s", reason);
    }
}

deft_status deft__json_parse(deft__json *document, deft_view text, const deft__json_limits *limits,
                             deft_error *error)
{
    static const deft__json_limits defaults = {0};
    if (limits == NULL) {
        limits = &defaults;
    }
    const uint32_t size_max =
        limit_or(limits->size_max, DEFT__JSON_SIZE_MAX, DEFT__JSON_SIZE_MAX_OF_ALL);
    document->count = 0;
    document->text  = text.data != NULL ? text : deft_view_make("", 0);
    if (text.size > size_max) {
        return deft__fail(error, DEFT_LIMIT, size_max, "a text of %zu bytes, with a limit of %u",
                          text.size, (unsigned)size_max);
    }

    json_parser parser = {
        .document          = document,
        .limits.depth_max  = limit_or(limits->depth_max, DEFT__JSON_DEPTH_MAX, DEPTH_MAX_OF_ALL),
        .limits.tokens_max = limit_or(limits->tokens_max, UINT32_MAX, UINT32_MAX),
        .parent            = DEFT__TAPE_NO_TOKEN,
    };
    parser.room = document->capacity < parser.limits.tokens_max ? document->capacity
                                                                : parser.limits.tokens_max;
    if (!build_tape(&parser)) {
        document->count = 0;
        return report(&parser, error);
    }
    return DEFT_OK;
}

void deft__json_place(deft_view text, size_t offset, size_t *line, size_t *column)
{
    const char *start = text.data != NULL ? text.data : ""; // of the line
    const char *end   = start + (offset < text.size ? offset : text.size);
    size_t      lines = 1;
    while (start < end) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL) {
            break;
        }
        start = newline + 1;
        lines++;
    }
    *line   = lines;
    *column = (size_t)(end - start) + 1;
}
