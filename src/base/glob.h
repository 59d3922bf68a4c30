// glob.h - names by pattern: `*` stands for any run of characters, `?` for one, the rest for
// itself. No brackets, no escapes: tool names hold none of these characters.
#ifndef DEFT_BASE_GLOB_H
#define DEFT_BASE_GLOB_H

#include "deft/view.h"

#include <stdbool.h>

// Whether all of `text` fits `pattern`. Never worse than pattern.size * text.size steps.
bool deft__glob_match(deft_view pattern, deft_view text);

// Whether `pattern` has a `*` or a `?` at all; without one it names exactly one thing.
bool deft__glob_is_pattern(deft_view pattern);

#endif
