// ${VAR} in the values of env, args, url and headers, as Claude (`${VAR:-default}`) and VS Code
// (`${env:VAR}`, `${input:ID}`) write it.
#include "deft/config.h"

#include "base/fail.h"

static size_t find(deft_view text, size_t from, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (size_t i = from; i + size <= text.size; i++) {
        if (memcmp(text.data + i, wanted, size) == 0) {
            return i;
        }
    }
    return text.size;
}

// What stands between ${ and }. `offset` is where it stands in the whole text.
static deft_status expand_one(deft_view inside, size_t offset, deft_variable_lookup lookup,
                              void *context, deft_buffer *out, deft_error *error)
{
    const size_t    split        = find(inside, 0, ":-");
    const bool      has_default  = split < inside.size;
    const deft_view default_text = deft_view_slice(inside, split + 2, inside.size);
    deft_view       name         = deft_view_slice(inside, 0, split);
    deft__quoted    quoted;

    if (deft_view_starts_with(name, deft_view_of("env:"))) {
        name = deft_view_slice(name, 4, name.size);
    }
    if (name.size == 0) {
        return deft__fail(error, DEFT_INVALID, offset, "${ without the name of a variable");
    }
    const deft_view value = lookup(context, name);
    if (value.data != NULL) {
        deft_buffer_append(out, value);
    } else if (has_default) {
        deft_buffer_append(out, default_text);
    } else {
        return deft__fail(error, DEFT_NOT_FOUND, offset,
                          "the variable %s is not set; set it, or write ${%s:-default}",
                          deft__quote(&quoted, name), quoted.text);
    }
    return DEFT_OK;
}

deft_status deft_config_expand(deft_view text, deft_variable_lookup lookup, void *context,
                               deft_buffer *out, deft_error *error)
{
    const size_t size_before = out->size;
    deft_status  status      = DEFT_OK;
    size_t       at          = 0;
    while (status == DEFT_OK && at < text.size) {
        const size_t open = find(text, at, "${");
        deft_buffer_append(out, deft_view_slice(text, at, open - at));
        if (open == text.size) {
            break;
        }
        const size_t close = find(text, open, "}");
        if (close == text.size) {
            status = deft__fail(error, DEFT_INVALID, open, "${ without its }");
        } else {
            status = expand_one(deft_view_slice(text, open + 2, close - open - 2), open, lookup,
                                context, out, error);
        }
        at = close + 1;
    }
    if (status == DEFT_OK && out->status != DEFT_OK) {
        status = deft__fail_memory(error);
    }
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, size_before);
    }
    return status;
}
