#include "base/glob.h"

// Only the last `*` needs to be remembered: what an earlier one swallowed can always be left to
// it, so one step back is enough and there is no recursion to exploit.
bool deft__glob_match(deft_view pattern, deft_view text)
{
    size_t p         = 0;
    size_t t         = 0;
    size_t star      = pattern.size; // place of the last `*`; pattern.size: none yet
    size_t star_text = 0;            // where the text went on after it

    while (t < text.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star      = p++;
            star_text = t;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star < pattern.size) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*') {
        p++;
    }
    return p == pattern.size;
}

bool deft__glob_is_pattern(deft_view pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] == '*' || pattern.data[i] == '?') {
            return true;
        }
    }
    return false;
}
