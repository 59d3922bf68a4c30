// English function words, and the phrases people wrap around a wish ("please help me find ...").
// Both lists are sorted, so that a binary search finds a word.
#include "core/analysis/words.h"

#include <stdlib.h>

static const char *const function_words[] = {
    "a",      "about",     "above",   "after",  "again",    "against",    "all",        "am",
    "an",     "and",       "any",     "are",    "as",       "at",         "be",         "because",
    "been",   "before",    "being",   "below",  "between",  "both",       "but",        "by",
    "can",    "could",     "d",       "did",    "do",       "does",       "doing",      "don",
    "down",   "during",    "each",    "either", "else",     "ever",       "few",        "for",
    "from",   "further",   "had",     "has",    "have",     "having",     "he",         "her",
    "here",   "hers",      "herself", "him",    "himself",  "his",        "how",        "i",
    "if",     "in",        "into",    "is",     "it",       "its",        "itself",     "just",
    "ll",     "m",         "me",      "might",  "more",     "most",       "must",       "my",
    "myself", "neither",   "no",      "nor",    "not",      "now",        "o",          "of",
    "off",    "on",        "once",    "only",   "or",       "other",      "ought",      "our",
    "ours",   "ourselves", "out",     "over",   "own",      "per",        "re",         "s",
    "same",   "shall",     "she",     "should", "so",       "some",       "such",       "t",
    "than",   "that",      "the",     "their",  "theirs",   "them",       "themselves", "then",
    "there",  "these",     "they",    "this",   "those",    "through",    "to",         "too",
    "under",  "until",     "up",      "upon",   "us",       "ve",         "very",       "was",
    "we",     "were",      "what",    "when",   "where",    "which",      "while",      "who",
    "whom",   "whose",     "why",     "will",   "with",     "within",     "without",    "would",
    "yet",    "you",       "your",    "yours",  "yourself", "yourselves",
};

static const char *const polite_words[] = {
    "also",       "anything", "based",   "details", "find", "get",     "give",      "going",
    "got",        "hello",    "help",    "hey",     "hi",   "im",      "info",      "information",
    "interested", "know",     "let",     "like",    "look", "looking", "make",      "maybe",
    "need",       "please",   "provide", "really",  "see",  "show",    "something", "sure",
    "tell",       "thank",    "thanks",  "trying",  "use",  "used",    "useful",    "using",
    "wanna",      "want",     "wants",
};

static int compare(const void *key, const void *item)
{
    const deft_view *word   = key;
    const char      *listed = *(const char *const *)item;
    const size_t     size   = strlen(listed);
    const size_t     common = word->size < size ? word->size : size;
    const int        order  = memcmp(word->data, listed, common);

    if (order != 0) {
        return order;
    } else {
        return (word->size > size) - (word->size < size);
    }
}

static bool is_listed(deft_view word, const char *const *list, size_t count)
{
    return word.size > 0 && bsearch(&word, list, count, sizeof *list, compare) != NULL;
}

unsigned deft__word_weight(deft_view word)
{
    const size_t function_count = sizeof function_words / sizeof function_words[0];
    const size_t polite_count   = sizeof polite_words / sizeof polite_words[0];

    if (is_listed(word, function_words, function_count)) {
        return DEFT__WORD_WEIGHT_FUNCTION;
    } else if (is_listed(word, polite_words, polite_count)) {
        return DEFT__WORD_WEIGHT_POLITE;
    } else {
        return DEFT__WORD_WEIGHT_FULL;
    }
}
