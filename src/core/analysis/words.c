// English function words, and the phrases people wrap around a wish ("please help me find ...").
// Both lists are sorted, so that a binary search finds a word, and padded with zeros to the size of
// the longest, so that it compares without looking for ends.
#include "core/analysis/words.h"

#define WORD_SIZE 12

static const char function_words[][WORD_SIZE] = {
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

static const char polite_words[][WORD_SIZE] = {
    "also",       "anything", "based",   "details", "find", "get",     "give",      "going",
    "got",        "hello",    "help",    "hey",     "hi",   "im",      "info",      "information",
    "interested", "know",     "let",     "like",    "look", "looking", "make",      "maybe",
    "need",       "please",   "provide", "really",  "see",  "show",    "something", "sure",
    "tell",       "thank",    "thanks",  "trying",  "use",  "used",    "useful",    "using",
    "wanna",      "want",     "wants",
};

static bool is_listed(const char word[WORD_SIZE], const char (*list)[WORD_SIZE], size_t count)
{
    size_t from = 0;
    while (count > 0) {
        const size_t half  = count / 2;
        const int    order = memcmp(word, list[from + half], WORD_SIZE);
        if (order == 0) {
            return true;
        } else if (order > 0) {
            from += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return false;
}

unsigned deft__word_weight(deft_view word)
{
    const size_t function_count = sizeof function_words / sizeof function_words[0];
    const size_t polite_count   = sizeof polite_words / sizeof polite_words[0];

    char padded[WORD_SIZE] = {0};
    if (word.size == 0 || word.size >= WORD_SIZE) {
        return DEFT__WORD_WEIGHT_FULL;
    }
    memcpy(padded, word.data, word.size);
    if (is_listed(padded, function_words, function_count)) {
        return DEFT__WORD_WEIGHT_FUNCTION;
    } else if (is_listed(padded, polite_words, polite_count)) {
        return DEFT__WORD_WEIGHT_POLITE;
    } else {
        return DEFT__WORD_WEIGHT_FULL;
    }
}
