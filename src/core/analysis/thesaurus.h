// thesaurus.h - groups of words that mean nearly the same to people who look for tools.
#ifndef DEFT_CORE_ANALYSIS_THESAURUS_H
#define DEFT_CORE_ANALYSIS_THESAURUS_H

#include "deft/view.h"

// How many groups there are, and one of them: words and phrases, separated by commas.
size_t    deft__thesaurus_count(void);
deft_view deft__thesaurus_group(size_t index);

// Takes the next word or phrase off the front of a group; false when there is none left.
bool deft__thesaurus_next(deft_view *rest, deft_view *phrase);

#endif
