#include "gateway/seal.h"

#include "crypto/digest.h"

#include <inttypes.h>
#include <stdio.h>

#define PREFIX "deft."

enum {
    MAC_SIZE  = 2 * DEFT__DIGEST_BYTES,
    HEAD_SIZE = 64 // prefix, kind and two numbers of at most 20 digits, with their dots and a NUL
};

static void write_head(char head[HEAD_SIZE], const deft__sealed *sealed)
{
    (void)snprintf(head, HEAD_SIZE, PREFIX "%c.%" PRIu64 ".%" PRIu64 ".", (char)sealed->kind,
                   sealed->number, sealed->expires_ms);
}

// Sizes stand before what can be of any size, so that no two bindings are the same bytes. The text,
// which can be long, is in as its digest.
static deft_status make_mac(const deft__seal_key *key, const deft__sealed *sealed,
                            const deft__seal_binding *binding, const deft_allocator *allocator,
                            char mac[MAC_SIZE + 1])
{
    const deft_view method = deft_view_of(binding->method);
    char            head[HEAD_SIZE];
    char            numbers[4 * 21 + 1];
    deft__digest    text   = {{0}};
    deft__digest    digest = {{0}};
    deft_buffer     bytes;
    deft_buffer_init(&bytes, allocator);
    write_head(head, sealed);
    (void)snprintf(numbers, sizeof numbers, "%" PRIu64 ".%" PRIu32 ".%zu.%zu.", binding->principal,
                   binding->server, method.size, binding->subject.size);
    deft_buffer_append_text(&bytes, head);
    deft_buffer_append_text(&bytes, numbers);
    deft_buffer_append(&bytes, method);
    deft_buffer_append(&bytes, binding->subject);
    const bool is_read = deft__sha256(sealed->text, &text);
    deft_buffer_append(&bytes, deft_view_make((const char *)text.bytes, sizeof text.bytes));
    const bool is_made =
        is_read && bytes.status == DEFT_OK &&
        deft__hmac_sha256(deft_view_make((const char *)key->bytes, sizeof key->bytes),
                          deft_buffer_view(&bytes), &digest);
    for (size_t i = 0; i < DEFT__DIGEST_BYTES; i++) {
        (void)snprintf(mac + 2 * i, 3, "%02x", digest.bytes[i]);
    }
    deft_buffer_clear(&bytes);
    return is_made ? DEFT_OK : DEFT_OUT_OF_MEMORY;
}

void deft__seal_write(const deft__seal_key *key, const deft__sealed *sealed,
                      const deft__seal_binding *binding, deft_buffer *out)
{
    char              head[HEAD_SIZE];
    char              mac[MAC_SIZE + 1];
    const deft_status status = make_mac(key, sealed, binding, out->allocator, mac);
    if (status != DEFT_OK) {
        out->status = status;
        return;
    }
    write_head(head, sealed);
    deft_buffer_append_text(out, head);
    deft_buffer_append_text(out, mac);
    deft_buffer_append_byte(out, '.');
    deft_buffer_append(out, sealed->text);
}

// A number as write_head() writes it, without zeros in front, and the dot behind it.
static bool read_number(deft_view *text, uint64_t *number)
{
    size_t size = 0;
    *number     = 0;
    for (; size < text->size && text->data[size] != '.'; size++) {
        const unsigned digit = (unsigned char)text->data[size] - (unsigned)'0';
        if (digit > 9 || (size == 1 && *number == 0) || *number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    const bool is_ended = size > 0 && size < text->size;
    *text               = deft_view_slice(*text, size + 1, text->size);
    return is_ended;
}

static bool split(deft_view state, deft__sealed *sealed, deft_view *mac)
{
    const size_t prefix = sizeof PREFIX - 1;
    if (!deft_view_starts_with(state, deft_view_of(PREFIX)) || state.size < prefix + 2 ||
        state.data[prefix + 1] != '.') {
        return false;
    }
    sealed->kind   = (deft__seal_kind)state.data[prefix];
    deft_view rest = deft_view_slice(state, prefix + 2, state.size);
    if ((sealed->kind != DEFT__SEAL_SERVER && sealed->kind != DEFT__SEAL_PARKED) ||
        !read_number(&rest, &sealed->number) || !read_number(&rest, &sealed->expires_ms) ||
        rest.size <= MAC_SIZE || rest.data[MAC_SIZE] != '.') {
        return false;
    }
    *mac         = deft_view_slice(rest, 0, MAC_SIZE);
    sealed->text = deft_view_slice(rest, MAC_SIZE + 1, rest.size);
    return true;
}

deft_status deft__seal_read(const deft__seal_key *key, deft_view state,
                            const deft__seal_binding *binding, uint64_t now_ms,
                            const deft_allocator *allocator, deft__sealed *sealed)
{
    deft__sealed found = {.kind = DEFT__SEAL_SERVER};
    deft_view    given = {NULL, 0};
    char         mac[MAC_SIZE + 1];
    if (!split(state, &found, &given)) {
        return DEFT_INVALID;
    }
    const deft_status status = make_mac(key, &found, binding, allocator, mac);
    if (status != DEFT_OK) {
        return status;
    }
    if (!deft__same_secret(given, deft_view_make(mac, MAC_SIZE))) {
        return DEFT_INVALID;
    }
    if (now_ms >= found.expires_ms) {
        return DEFT_LIMIT;
    }
    *sealed = found;
    return DEFT_OK;
}
