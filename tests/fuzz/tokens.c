// Any bytes into the estimate. It must be 0 for nothing and otherwise stand in proportion to the
// text, and what was counted as two halves must not be far from the whole.
#include "deft/tokens.h"

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view text = deft_view_make((const char *)data, size);
    for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
        const deft_token_family family = (deft_token_family)f;
        const size_t            tokens = deft_tokens_estimate(text, family);
        const size_t first  = deft_tokens_estimate(deft_view_slice(text, 0, size / 2), family);
        const size_t second = deft_tokens_estimate(deft_view_slice(text, size / 2, size), family);
        check((tokens == 0) == (size == 0));
        // The dearest byte is one of a script of many bytes a letter; a token has a limit too.
        check(tokens <= size * 5 && tokens >= size / 512);
        // The cut may fall inside one word or run, whose two parts are fitted apart.
        check(tokens <= first + second + size + 8);
    }
    return 0;
}
