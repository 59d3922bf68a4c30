#include "store/key.h"

#include "crypto/digest.h"
#include "store/database.h"

#include <string.h>

// Each text with its size in front, so that no two configurations give the same bytes.
static void append_text(deft_buffer *out, deft_view text)
{
    deft_buffer_append_u64(out, text.size);
    deft_buffer_append_byte(out, ':');
    deft_buffer_append(out, text);
}

static void append_pairs(deft_buffer *out, const deft_pair *pairs, size_t count)
{
    deft_buffer_append_u64(out, count);
    deft_buffer_append_byte(out, ';');
    for (size_t i = 0; i < count; i++) {
        append_text(out, pairs[i].name);
        append_text(out, pairs[i].value);
    }
}

static void append_server(deft_buffer *out, const deft_server_config *server)
{
    deft_buffer_append_u64(out, (uint64_t)server->transport);
    append_text(out, server->name);
    append_text(out, server->command);
    append_text(out, server->directory);
    append_text(out, server->url);
    deft_buffer_append_u64(out, server->argument_count);
    deft_buffer_append_byte(out, ';');
    for (size_t i = 0; i < server->argument_count; i++) {
        append_text(out, server->arguments[i]);
    }
    append_pairs(out, server->environment, server->environment_count);
    append_pairs(out, server->headers, server->header_count);
}

// At least as many bytes as append_server() writes: a buffer that grows leaves copies behind.
static size_t size_of(const deft_server_config *server)
{
    const size_t number = 21; // digits of a size, and a colon
    size_t size = 8 * number + server->name.size + server->command.size + server->directory.size +
                  server->url.size;
    for (size_t i = 0; i < server->argument_count; i++) {
        size += number + server->arguments[i].size;
    }
    for (size_t i = 0; i < server->environment_count; i++) {
        size += 2 * number + server->environment[i].name.size + server->environment[i].value.size;
    }
    for (size_t i = 0; i < server->header_count; i++) {
        size += 2 * number + server->headers[i].name.size + server->headers[i].value.size;
    }
    return size;
}

bool deft__store_key_of(const deft__store *store, const deft_server_config *server,
                        deft__store_key *key)
{
    *key = (deft__store_key){{0}};
    if (store == NULL) {
        return true;
    }
    bool        is_ok = false;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    if (deft_buffer_reserve(&text, size_of(server))) {
        append_server(&text, server);
        const deft_view secret = deft_view_make((const char *)store->secret, sizeof store->secret);
        deft__digest    digest;
        is_ok = deft__hmac_sha256(secret, deft_buffer_view(&text), &digest);
        memcpy(key->bytes, digest.bytes, sizeof key->bytes);
        deft__wipe(text.data, text.capacity);
    }
    deft_buffer_clear(&text);
    return is_ok;
}
