#include "store/sealed.h"

#include "base/fail.h"
#include "http/base64.h"

#include <string.h>

// As we write it: what else is JSON, and says the same, is not from us.
static const char beginning[] = "{\"version\":2,\"sealedWith\":\"keyring\",\"box\":\"";
static const char ending[]    = "\"}";

bool deft__sealed_is(deft_view text)
{
    return deft_view_starts_with(text, deft_view_of(beginning));
}

deft_status deft__sealed_read(deft_view text, const deft__box_key *key, deft_buffer *out,
                              deft_error *error)
{
    const size_t from = sizeof beginning - 1;
    const char  *end  = deft__sealed_is(text) && text.size > from
                            ? memchr(text.data + from, '"', text.size - from)
                            : NULL;
    deft_buffer  box;
    deft_buffer_init(&box, out->allocator);
    deft_status status = DEFT_INVALID;
    if (end != NULL && deft__base64_read(&box, deft_view_make(text.data + from,
                                                              (size_t)(end - text.data) - from))) {
        status = deft__box_open(key, deft_buffer_view(&box), out);
    }
    if (box.status != DEFT_OK || status == DEFT_OUT_OF_MEMORY) {
        status = deft__fail_memory(error);
    } else if (status != DEFT_OK) {
        status = deft__fail(error, DEFT_INVALID, 0,
                            "is damaged, or sealed with a key that the keyring does not have any "
                            "more: remove it and log in again");
    }
    deft_buffer_clear(&box);
    return status;
}

bool deft__sealed_write(deft_view text, const deft__box_key *key,
                        const uint8_t nonce[DEFT__BOX_NONCE_BYTES], deft_buffer *out)
{
    deft_buffer box;
    deft_buffer_init(&box, out->allocator);
    const bool is_sealed = deft__box_seal(key, nonce, text, &box);
    deft_buffer_append_text(out, beginning);
    deft__base64_write(out, deft_buffer_view(&box));
    deft_buffer_append_text(out, ending);
    deft_buffer_clear(&box);
    return is_sealed && out->status == DEFT_OK;
}
