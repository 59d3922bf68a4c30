// tokens.h - what a text costs in a model's context window, estimated without a vocabulary. The
// estimate allocates nothing, goes over the text once and gives the same answer on every machine;
// any thread may ask. How near it comes to real tokenizers, family by family: docs/tokens.md.
#ifndef DEFT_TOKENS_H
#define DEFT_TOKENS_H

#include "deft/export.h"
#include "deft/view.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Models whose tokenizers count alike. For a model of no family o200k is the best guess, claude the
// safe one: it counts the most.
typedef enum deft_token_family {
    DEFT_TOKENS_O200K,  // OpenAI since GPT-4o
    DEFT_TOKENS_CLAUDE, // Anthropic since Opus 4.7; Claude 3 to 4.6 count about 0.71 of it
    DEFT_TOKENS_LLAMA,  // Llama 3
    DEFT_TOKENS_CHARS4  // characters / 4, rounded up: what many hosts assume
} deft_token_family;

// About how many tokens `text` is, as part of a longer text: what a provider adds around messages
// and tools is not in it. Any bytes are allowed, those that are not UTF-8 count as U+FFFD. Nothing
// is 0; any text is at least 1.
//
// Estimates add up as well as real counts do: two texts may cost one or two tokens less together
// than apart, since words and signs join where they meet.
DEFT_API size_t deft_tokens_estimate(deft_view text, deft_token_family family);

DEFT_API const char *deft_token_family_name(deft_token_family family); // "o200k", "claude", ...

// The family of that name. False, and `family` untouched, when there is none.
DEFT_API bool deft_token_family_from_name(deft_view name, deft_token_family *family);

#ifdef __cplusplus
}
#endif
#endif
