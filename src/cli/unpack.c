#include "cli/unpack.h"

#include "base/fail.h"

#include <limits.h>
#include <zlib.h>

bool deft__is_packed(deft_view bytes)
{
    return deft_view_starts_with(bytes, deft_view_of("\x1f\x8b"));
}

// Goes on until the end of one part, or until there is nothing to go on with.
static deft_status unpack_part(z_stream *stream, size_t size_max, deft_buffer *out,
                               deft_error *error)
{
    const size_t chunk = 64 * 1024;
    int          code  = Z_OK;
    while (code != Z_STREAM_END) {
        if (!deft_buffer_reserve(out, chunk)) {
            return deft__fail_memory(error);
        }
        stream->next_out  = (Bytef *)out->data + out->size;
        stream->avail_out = (uInt)chunk;
        code              = inflate(stream, Z_NO_FLUSH);
        out->size += chunk - stream->avail_out;
        if (code == Z_MEM_ERROR) {
            return deft__fail_memory(error);
        } else if (code == Z_BUF_ERROR ||
                   (code == Z_OK && stream->avail_in == 0 && stream->avail_out > 0)) {
            return deft__fail(error, DEFT_INVALID, 0, "it ends before its time");
        } else if (code != Z_OK && code != Z_STREAM_END) {
            return deft__fail(error, DEFT_INVALID, 0, "it is damaged");
        } else if (out->size > size_max) {
            return deft__fail(error, DEFT_LIMIT, 0, "it holds more than %zu MiB",
                              size_max / (1024 * 1024));
        }
    }
    return DEFT_OK;
}

deft_status deft__unpack(deft_view packed, size_t size_max, deft_buffer *out, deft_error *error)
{
    const int   gzip   = 16 + MAX_WBITS; // and nothing else
    z_stream    stream = {.next_in = (Bytef *)(uintptr_t)packed.data};
    deft_status status = DEFT_OK;
    if (packed.size > UINT_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "it is larger than %u MiB", UINT_MAX / 1024 / 1024);
    }
    stream.avail_in = (uInt)packed.size;
    if (inflateInit2(&stream, gzip) != Z_OK) {
        return deft__fail_memory(error);
    }
    do {
        status = unpack_part(&stream, size_max, out, error);
    } while (status == DEFT_OK && stream.avail_in > 0 && inflateReset(&stream) == Z_OK);
    inflateEnd(&stream);
    return status;
}
