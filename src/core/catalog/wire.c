#include "core/catalog/wire.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <assert.h>

static const char hash_mark[] = "___";

// 40 bits: two of 10,000 tools that need a hash share it once in 20,000 catalogs. All 64 when
// that happens.
enum {
    hash_digits_short = 10,
    hash_digits_long  = 16
};

static bool is_wire_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

// Whether a part can stand in a wire name as it is.
static bool is_plain_part(deft_view part)
{
    for (size_t i = 0; i < part.size; i++) {
        if (!is_wire_byte(part.data[i]) ||
            (part.data[i] == '_' && i > 0 && part.data[i - 1] == '_')) {
            return false;
        }
    }
    return part.size > 0;
}

static bool is_plain(deft_view server, deft_view local)
{
    if (server.size == 0) {
        return is_plain_part(local) && local.size <= DEFT__WIRE_SIZE_MAX;
    }
    return is_plain_part(server) && is_plain_part(local) && server.data[server.size - 1] != '_' &&
           local.data[0] != '_' && server.size + 2 + local.size <= DEFT__WIRE_SIZE_MAX;
}

static void append(deft__wire_name *wire, deft_view text)
{
    assert(text.size <= sizeof wire->text - wire->size);
    if (text.size > 0) {
        memcpy(wire->text + wire->size, text.data, text.size);
    }
    wire->size += text.size;
}

static void append_hash(deft__wire_name *wire, uint64_t hash, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    for (unsigned i = 0; i < digits; i++) {
        wire->text[wire->size++] = hex[hash >> (60 - 4 * i) & 0xF];
    }
}

void deft__wire_name_make(deft__wire_name *wire, deft_view server, deft_view local, deft_view id,
                          unsigned attempt)
{
    assert(server.size <= DEFT__NAME_SIZE_MAX_OF_ALL && local.size <= DEFT__NAME_SIZE_MAX_OF_ALL);
    wire->size = 0;
    if (attempt == 0 && is_plain(server, local)) {
        append(wire, server);
        append(wire, deft_view_of(server.size > 0 ? "__" : ""));
        append(wire, local);
        return;
    }

    char           server_text[DEFT__NAME_SIZE_MAX_OF_ALL];
    char           local_text[DEFT__NAME_SIZE_MAX_OF_ALL];
    const size_t   server_size = deft__wire_sanitize(server, server_text);
    const size_t   local_size  = deft__wire_sanitize(local, local_text);
    const unsigned digits      = attempt == 0 ? hash_digits_short : hash_digits_long;
    const size_t   separator   = server_size > 0 ? 2 : 0;
    const size_t   room        = DEFT__WIRE_SIZE_MAX - (sizeof hash_mark - 1) - digits - separator;

    // Where both do not fit, the tool's name says more: the server keeps at least a third.
    const size_t server_least = server_size < room / 3 ? server_size : room / 3;
    const size_t local_kept   = local_size < room - server_least ? local_size : room - server_least;
    const size_t server_kept  = server_size < room - local_kept ? server_size : room - local_kept;
    append(wire, deft_view_make(server_text, server_kept));
    append(wire, deft_view_make("__", separator));
    append(wire, deft_view_make(local_text, local_kept));
    append(wire, deft_view_of(hash_mark));
    append_hash(wire, deft__hash(id, attempt), digits);
}

size_t deft__wire_sanitize(deft_view text, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < text.size;) {
        if (is_wire_byte(text.data[at])) {
            out[size++] = text.data[at++];
            continue;
        }
        uint32_t     code      = 0;
        const size_t character = deft__utf8_decode(text, at, &code);
        out[size++]            = '_';
        if (character == 4) {
            out[size++] = '_'; // a surrogate pair: two UTF-16 units
        }
        at += character > 0 ? character : 1;
    }
    return size;
}

static char fold_byte(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

void deft__wire_fold(deft_view text, char *out)
{
    for (size_t i = 0; i < text.size; i++) {
        out[i] = fold_byte(text.data[i]);
    }
}

bool deft__wire_equal_folded(deft_view a, deft_view b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (fold_byte(a.data[i]) != fold_byte(b.data[i])) {
            return false;
        }
    }
    return true;
}

deft_view deft__loose_key_make(deft__loose_key *key, deft_view text)
{
    assert(text.size <= sizeof key->text);
    key->size            = deft__wire_sanitize(text, key->text);
    const deft_view made = deft_view_make(key->text, key->size);
    deft__wire_fold(made, key->text);
    return made;
}
