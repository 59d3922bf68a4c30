#include "config/toml_scan.h"

#include "base/fail.h"
#include "base/utf8.h"
#include "config/toml.h"

void deft__toml_fail(deft__toml_scanner *scanner, size_t offset, const char *message)
{
    if (scanner->status == DEFT_OK) {
        scanner->status = deft__fail(scanner->error, DEFT_INVALID, offset, "%s", message);
    }
}

void deft__toml_fail_memory(deft__toml_scanner *scanner)
{
    if (scanner->status == DEFT_OK) {
        scanner->status = deft__fail_memory(scanner->error);
    }
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_bare(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte) ||
           byte == '_' || byte == '-';
}

void deft__toml_skip_blanks(deft__toml_scanner *scanner)
{
    while (deft__toml_peek(scanner, 0) == ' ' || deft__toml_peek(scanner, 0) == '\t') {
        scanner->at++;
    }
}

void deft__toml_skip_comment(deft__toml_scanner *scanner)
{
    if (deft__toml_peek(scanner, 0) != '#') {
        return;
    }
    while (!deft__toml_is_at_end(scanner) && deft__toml_peek(scanner, 0) != '\n') {
        const unsigned char byte = (unsigned char)deft__toml_peek(scanner, 0);
        if ((byte < 0x20 && byte != '\t' &&
             !(byte == '\r' && deft__toml_peek(scanner, 1) == '\n')) ||
            byte == 0x7F) {
            deft__toml_fail(scanner, scanner->at, "a control character in a comment");
            return;
        }
        scanner->at++;
    }
}

bool deft__toml_skip_line_end(deft__toml_scanner *scanner)
{
    if (deft__toml_peek(scanner, 0) == '\r' && deft__toml_peek(scanner, 1) == '\n') {
        scanner->at++;
    }
    if (deft__toml_peek(scanner, 0) != '\n') {
        return false;
    }
    scanner->at++;
    scanner->line++;
    return true;
}

void deft__toml_skip_space(deft__toml_scanner *scanner)
{
    do {
        deft__toml_skip_blanks(scanner);
        deft__toml_skip_comment(scanner);
    } while (deft__toml_is_ok(scanner) && deft__toml_skip_line_end(scanner));
}

// Strings. The decoded text gathers in the scratch buffer.

static bool read_hex(deft__toml_scanner *scanner, unsigned digits, uint32_t *code)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < digits; i++) {
        const char byte = deft__toml_peek(scanner, i);
        uint32_t   digit;
        if (is_digit(byte)) {
            digit = (uint32_t)(byte - '0');
        } else if (byte >= 'a' && byte <= 'f') {
            digit = (uint32_t)(byte - 'a' + 10);
        } else if (byte >= 'A' && byte <= 'F') {
            digit = (uint32_t)(byte - 'A' + 10);
        } else {
            return false;
        }
        value = value << 4 | digit;
    }
    scanner->at += digits;
    *code = value;
    return value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

// What follows a backslash in a basic string.
static void read_escape(deft__toml_scanner *scanner)
{
    static const char from[] = "btnfr\"\\";
    static const char to[]   = "\b\t\n\f\r\"\\";
    const size_t      start  = scanner->at - 1;
    const char        byte   = deft__toml_peek(scanner, 0);
    const char       *found  = byte != '\0' ? strchr(from, byte) : NULL;
    uint32_t          code   = 0;
    char              utf8[4];

    if (found != NULL) {
        scanner->at++;
        deft_buffer_append_byte(&scanner->scratch, to[found - from]);
    } else if (byte == 'u' || byte == 'U') {
        scanner->at++;
        if (read_hex(scanner, byte == 'u' ? 4 : 8, &code)) {
            const size_t size = deft__utf8_encode(code, utf8);
            deft_buffer_append(&scanner->scratch, deft_view_make(utf8, size));
        } else {
            deft__toml_fail(scanner, start, "an escape that is no character");
        }
    } else {
        deft__toml_fail(scanner, start, "an escape that TOML does not have");
    }
}

// A backslash at the end of a line swallows all white space up to the next character. False when
// it is none.
static bool skip_line_continuation(deft__toml_scanner *scanner)
{
    size_t ahead = 0;
    while (deft__toml_peek(scanner, ahead) == ' ' || deft__toml_peek(scanner, ahead) == '\t') {
        ahead++;
    }
    if (deft__toml_peek(scanner, ahead) != '\n' &&
        !(deft__toml_peek(scanner, ahead) == '\r' && deft__toml_peek(scanner, ahead + 1) == '\n')) {
        return false;
    }
    do {
        deft__toml_skip_blanks(scanner);
    } while (deft__toml_skip_line_end(scanner));
    return true;
}

static bool is_forbidden(char byte)
{
    return ((unsigned char)byte < 0x20 && byte != '\t') || byte == 0x7F;
}

static void read_single_line(deft__toml_scanner *scanner, char quote)
{
    const size_t start = scanner->at++;
    while (deft__toml_is_ok(scanner) && deft__toml_peek(scanner, 0) != quote) {
        const char byte = deft__toml_peek(scanner, 0);
        if (deft__toml_is_at_end(scanner) || byte == '\n' || byte == '\r') {
            deft__toml_fail(scanner, start, "a string that does not end on its line");
        } else if (is_forbidden(byte)) {
            deft__toml_fail(scanner, scanner->at, "a control character in a string");
        } else if (byte == '\\' && quote == '"') {
            scanner->at++;
            read_escape(scanner);
        } else {
            scanner->at++;
            deft_buffer_append_byte(&scanner->scratch, byte);
        }
    }
    scanner->at++;
}

// How many quotes stand here, at most five: two of content and three that close.
static size_t count_quotes(const deft__toml_scanner *scanner, char quote)
{
    size_t count = 0;
    while (count < 5 && deft__toml_peek(scanner, count) == quote) {
        count++;
    }
    return count;
}

static void read_multi_line(deft__toml_scanner *scanner, char quote)
{
    const size_t start = scanner->at;
    scanner->at += 3;
    (void)deft__toml_skip_line_end(scanner);
    while (deft__toml_is_ok(scanner)) {
        const char   byte   = deft__toml_peek(scanner, 0);
        const size_t quotes = count_quotes(scanner, quote);
        if (deft__toml_is_at_end(scanner)) {
            deft__toml_fail(scanner, start, "a string that never ends");
        } else if (quotes >= 3) {
            for (size_t i = 3; i < quotes; i++) {
                deft_buffer_append_byte(&scanner->scratch, quote);
            }
            scanner->at += quotes;
            return;
        } else if (deft__toml_skip_line_end(scanner)) {
            deft_buffer_append_byte(&scanner->scratch, '\n');
        } else if (is_forbidden(byte)) {
            deft__toml_fail(scanner, scanner->at, "a control character in a string");
        } else if (byte == '\\' && quote == '"') {
            scanner->at++;
            if (!skip_line_continuation(scanner)) {
                read_escape(scanner);
            }
        } else {
            scanner->at++;
            deft_buffer_append_byte(&scanner->scratch, byte);
        }
    }
}

// The string that opens here; its text is copied. `is_key`: it must stay on its line.
static deft_view read_quoted(deft__toml_scanner *scanner, bool is_key)
{
    const char quote = deft__toml_peek(scanner, 0);
    deft_view  text  = {NULL, 0};
    deft_buffer_reset(&scanner->scratch);
    if (!is_key && deft__toml_peek(scanner, 1) == quote && deft__toml_peek(scanner, 2) == quote) {
        read_multi_line(scanner, quote);
    } else {
        read_single_line(scanner, quote);
    }
    if (deft__toml_is_ok(scanner) &&
        (scanner->scratch.status != DEFT_OK ||
         !deft__arena_copy(scanner->arena, deft_buffer_view(&scanner->scratch), &text))) {
        deft__toml_fail_memory(scanner);
    }
    return text;
}

deft_view deft__toml_read_string(deft__toml_scanner *scanner)
{
    return read_quoted(scanner, false);
}

deft_view deft__toml_read_key(deft__toml_scanner *scanner)
{
    const size_t start = scanner->at;
    if (deft__toml_peek(scanner, 0) == '"' || deft__toml_peek(scanner, 0) == '\'') {
        return read_quoted(scanner, true);
    }
    while (is_bare(deft__toml_peek(scanner, 0))) {
        scanner->at++;
    }
    if (scanner->at == start) {
        deft__toml_fail(scanner, start, "a key was expected here");
    }
    return deft_view_slice(scanner->text, start, scanner->at - start);
}

// Numbers and dates.

// How many digits of `base`, single underscores between them, start `text`; 0 when it does not
// start with one or an underscore is out of place.
static size_t digits_size(deft_view text, unsigned base)
{
    static const char digits[] = "0123456789abcdef";
    size_t            i        = 0;
    bool              is_after = false; // the last one was a digit
    for (; i < text.size; i++) {
        const char byte = text.data[i];
        const char low  = byte >= 'A' && byte <= 'F' ? (char)(byte - 'A' + 'a') : byte;
        if (byte == '_' && is_after) {
            is_after = false;
        } else if (memchr(digits, low, base) != NULL) {
            is_after = true;
        } else {
            break;
        }
    }
    return is_after ? i : 0;
}

// An integer in another base, as decimal digits; false when it is none or too large.
static bool read_based(deft_view text, deft_buffer *out)
{
    const char marker = text.size > 2 && text.data[0] == '0' ? text.data[1] : '\0';
    unsigned   base   = 0;
    switch (marker) {
    case 'x':
        base = 16;
        break;
    case 'o':
        base = 8;
        break;
    case 'b':
        base = 2;
        break;
    default:
        return false;
    }
    const deft_view digits = deft_view_slice(text, 2, text.size);
    uint64_t        value  = 0;
    if (digits_size(digits, base) != digits.size) {
        return false;
    }
    for (size_t i = 0; i < digits.size; i++) {
        const char byte = digits.data[i];
        if (byte == '_') {
            continue;
        }
        const unsigned digit =
            is_digit(byte) ? (unsigned)(byte - '0') : ((unsigned)byte | 0x20u) - 'a' + 10u;
        if (value > (uint64_t)INT64_MAX / base) {
            return false;
        }
        value = value * base + digit;
    }
    deft_buffer_append_u64(out, value);
    return true;
}

// A decimal integer or float, as JSON has it: no plus sign, no underscores.
static bool read_decimal(deft_view text, deft_buffer *out)
{
    size_t    at   = text.size > 0 && (text.data[0] == '+' || text.data[0] == '-') ? 1 : 0;
    deft_view rest = deft_view_slice(text, at, text.size);
    size_t    size = digits_size(rest, 10);
    if (size == 0 || (size > 1 && rest.data[0] == '0')) {
        return false;
    }
    rest = deft_view_slice(rest, size, rest.size);
    if (rest.size > 0 && rest.data[0] == '.') {
        rest = deft_view_slice(rest, 1, rest.size);
        size = digits_size(rest, 10);
        if (size == 0) {
            return false;
        }
        rest = deft_view_slice(rest, size, rest.size);
    }
    if (rest.size > 0 && (rest.data[0] == 'e' || rest.data[0] == 'E')) {
        at   = rest.size > 1 && (rest.data[1] == '+' || rest.data[1] == '-') ? 2 : 1;
        rest = deft_view_slice(rest, at, rest.size);
        size = digits_size(rest, 10);
        if (size == 0) {
            return false;
        }
        rest = deft_view_slice(rest, size, rest.size);
    }
    if (rest.size > 0) {
        return false;
    }
    for (size_t i = text.data[0] == '+' ? 1 : 0; i < text.size; i++) {
        if (text.data[i] != '_') {
            deft_buffer_append_byte(out, text.data[i]);
        }
    }
    return true;
}

// Whether `text` has this shape: 0 for a digit, the rest for itself (T also for t and a blank).
static bool has_shape(deft_view text, const char *shape)
{
    size_t i = 0;
    for (; shape[i] != '\0'; i++) {
        if (i >= text.size) {
            return false;
        }
        const char byte = text.data[i];
        if (shape[i] == '0'   ? !is_digit(byte)
            : shape[i] == 'T' ? byte != 'T' && byte != 't' && byte != ' '
                              : byte != shape[i]) {
            return false;
        }
    }
    return true;
}

// Dates and times, by shape only: nothing that we read is one.
static bool is_date(deft_view text)
{
    deft_view rest = text;
    if (has_shape(rest, "0000-00-00")) {
        rest = deft_view_slice(rest, 10, rest.size);
        if (rest.size == 0) {
            return true;
        }
        if (!has_shape(rest, "T00:00:00")) {
            return false;
        }
        rest = deft_view_slice(rest, 9, rest.size);
    } else if (has_shape(rest, "00:00:00")) {
        rest = deft_view_slice(rest, 8, rest.size);
    } else {
        return false;
    }
    if (rest.size > 0 && rest.data[0] == '.') {
        const size_t size = digits_size(deft_view_slice(rest, 1, rest.size), 10);
        if (size == 0) {
            return false;
        }
        rest = deft_view_slice(rest, 1 + size, rest.size);
    }
    return rest.size == 0 || ((rest.data[0] == 'Z' || rest.data[0] == 'z') && rest.size == 1) ||
           ((has_shape(rest, "+00:00") || has_shape(rest, "-00:00")) && rest.size == 6);
}

// The run of bytes that a number, a bool or a date can be made of.
static deft_view take_word(deft__toml_scanner *scanner)
{
    const size_t start = scanner->at;
    while (is_bare(deft__toml_peek(scanner, 0)) || deft__toml_peek(scanner, 0) == '+' ||
           deft__toml_peek(scanner, 0) == '.' || deft__toml_peek(scanner, 0) == ':') {
        scanner->at++;
    }
    deft_view word = deft_view_slice(scanner->text, start, scanner->at - start);
    if (word.size == 10 && has_shape(word, "0000-00-00") && deft__toml_peek(scanner, 0) == ' ' &&
        is_digit(deft__toml_peek(scanner, 1))) {
        scanner->at++;
        (void)take_word(scanner);
        word = deft_view_slice(scanner->text, start, scanner->at - start);
    }
    return word;
}

static bool is_special_float(deft_view word)
{
    if (word.size > 0 && (word.data[0] == '+' || word.data[0] == '-')) {
        word = deft_view_slice(word, 1, word.size);
    }
    return deft_view_equals(word, "inf") || deft_view_equals(word, "nan");
}

deft_view deft__toml_read_word(deft__toml_scanner *scanner, deft__toml_kind *kind)
{
    const size_t    start = scanner->at;
    const deft_view word  = take_word(scanner);
    deft_view       text  = word;
    deft_buffer_reset(&scanner->scratch);
    if (deft_view_equals(word, "true") || deft_view_equals(word, "false")) {
        *kind = DEFT__TOML_BOOL;
    } else if (is_date(word) || is_special_float(word)) {
        *kind = DEFT__TOML_STRING;
    } else if (read_based(word, &scanner->scratch) || read_decimal(word, &scanner->scratch)) {
        *kind = DEFT__TOML_NUMBER;
        if (scanner->scratch.status != DEFT_OK ||
            !deft__arena_copy(scanner->arena, deft_buffer_view(&scanner->scratch), &text)) {
            deft__toml_fail_memory(scanner);
        }
    } else {
        deft__toml_fail(scanner, start, "a value was expected here; text stands in quotes");
    }
    return text;
}

bool deft__toml_is_likely(deft_view text)
{
    deft__toml_scanner scanner = {.text = text};
    if (deft_view_starts_with(text, deft_view_of("\xEF\xBB\xBF"))) {
        scanner.at = 3;
    }
    while (deft__toml_peek(&scanner, 0) == ' ' || deft__toml_peek(&scanner, 0) == '\t' ||
           deft__toml_peek(&scanner, 0) == '\r' || deft__toml_peek(&scanner, 0) == '\n') {
        scanner.at++;
    }
    if (deft__toml_peek(&scanner, 0) == '#' || deft__toml_peek(&scanner, 0) == '[') {
        return true;
    }
    const size_t start = scanner.at;
    while (is_bare(deft__toml_peek(&scanner, 0)) || deft__toml_peek(&scanner, 0) == '.' ||
           deft__toml_peek(&scanner, 0) == '"' || deft__toml_peek(&scanner, 0) == '\'') {
        scanner.at++;
    }
    const bool has_key = scanner.at > start;
    deft__toml_skip_blanks(&scanner);
    return has_key && deft__toml_peek(&scanner, 0) == '=';
}
