// tokens.h - what a text costs in a model's context window, estimated without a vocabulary.
#ifndef DEFT_TOKENS_H
#define DEFT_TOKENS_H

#include "deft/export.h"
#include "deft/view.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Models whose tokenizers count alike.
typedef enum deft_token_family {
    DEFT_TOKENS_O200K,
    DEFT_TOKENS_CLAUDE,
    DEFT_TOKENS_LLAMA,
    DEFT_TOKENS_CHARS4 // characters / 4, rounded up: what many hosts assume
} deft_token_family;

// About how many tokens `text` is. Any bytes are allowed; nothing is 0.
DEFT_API size_t deft_tokens_estimate(deft_view text, deft_token_family family);

DEFT_API const char *deft_token_family_name(deft_token_family family); // "o200k", "claude", ...
DEFT_API bool        deft_token_family_from_name(deft_view name, deft_token_family *family);

#ifdef __cplusplus
}
#endif
#endif
