#include "base/fail.h"

#include "base/utf8.h"

#include <stdio.h>

static const char ellipsis[] = "...";

deft_status deft__fail_with(deft_error *error, deft_status status, size_t offset,
                            const char *format, va_list arguments)
{
    if (error == NULL) {
        return status;
    }
    error->status  = status;
    error->offset  = offset;
    const int size = vsnprintf(error->message, sizeof error->message, format, arguments);
    if (size >= (int)sizeof error->message) {
        const deft_view whole = deft_view_make(error->message, sizeof error->message - 1);
        const size_t    cut   = deft__utf8_cut(whole, sizeof error->message - sizeof ellipsis);
        memcpy(error->message + cut, ellipsis, sizeof ellipsis);
    }
    return status;
}

deft_status deft__fail(deft_error *error, deft_status status, size_t offset, const char *format,
                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)deft__fail_with(error, status, offset, format, arguments);
    va_end(arguments);
    return status;
}

deft_status deft__fail_memory(deft_error *error)
{
    return deft__fail(error, DEFT_OUT_OF_MEMORY, 0, "out of memory");
}

const char *deft__quote(deft__quoted *quoted, deft_view text)
{
    const size_t room = sizeof quoted->text - sizeof ellipsis;
    size_t       out  = 0;
    size_t       at   = 0;

    while (at < text.size) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(text, at, &code);
        const size_t take = size > 0 ? size : 1;
        if (out + take > room) {
            memcpy(quoted->text + out, ellipsis, sizeof ellipsis);
            return quoted->text;
        }
        if (size == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
            quoted->text[out++] = '?';
        } else {
            memcpy(quoted->text + out, text.data + at, size);
            out += size;
        }
        at += take;
    }
    quoted->text[out] = '\0';
    return quoted->text;
}

const char *deft_status_name(deft_status status)
{
    switch (status) {
    case DEFT_OK:
        return "ok";
    case DEFT_OUT_OF_MEMORY:
        return "out of memory";
    case DEFT_INVALID:
        return "invalid";
    case DEFT_LIMIT:
        return "limit reached";
    case DEFT_NOT_FOUND:
        return "not found";
    case DEFT_DUPLICATE:
        return "duplicate";
    case DEFT_CONFLICT:
        return "conflict";
    }
    return "unknown status";
}
