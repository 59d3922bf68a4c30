// The estimate follows o200k's tokenizer as far as one can without its vocabulary. The text is cut
// into the same pieces (docs/tokens.md lists them); within a piece the real
// tokenizer looks for the longest parts it knows, and here a sum of fitted weights says how many
// parts that will be. A piece costs
//
//     1 + bend(sum of the weights of its features)   tokens
//
// with features such as "5 letters after a space, lower case" and the three letters around each
// place where the piece could break. The other families use the same pieces with other weights.
//
// Everything is integers, so every machine gives the same answer. Weights are in units of 1/32
// token, costs in 1/4096 token, in which bend() is exact.
//
// tests/quality/tokens/pieces.mjs is this file written a second time, for fitting: change both.
#include "deft/tokens.h"

#include "base/utf8.h"
#include "core/tokens/letters.h"

#define UNITS_PER_TOKEN 32
#define TOKEN           4096u // one token in costs

// Names of the first places of `lead` and `length`: what stands before the letters of a word.
enum {
    LEAD_NONE,
    LEAD_SPACE,
    LEAD_UNDERSCORE,
    LEAD_COUNT = 16
};
enum {
    SHAPE_LOWER,
    SHAPE_TITLE,
    SHAPE_UPPER,
    SHAPE_MIXED,
    SHAPE_COUNT
};

#define LENGTH_COUNT 16 // words of 15 letters and more are one class; signs likewise

struct family_weights {
    int8_t lead[LEAD_COUNT * SHAPE_COUNT];
    int8_t length[LENGTH_COUNT * 9]; // of a word: by length, by lead (3), by shape (3)
    int8_t contraction[2];           // 's 't 'm 'd, and 're 've 'll
    int8_t accent[2];                // a letter up to U+00FF, one beyond
    int8_t plain[8];                 // 1, 2, 3 digits; 1, 2 to 3, more spaces; 1, more newlines
    int8_t signs_length[LENGTH_COUNT];
    int8_t script_lead[DEFT__SCRIPT_COUNT * 4];
    int8_t script_letter[DEFT__SCRIPT_COUNT];
    int8_t signs_grams[1024];
    // Two entries a byte, in steps of some units: four bits do as well as eight here.
    uint8_t word_grams[2048];
    uint8_t script_grams[1024];
};

// Where the weights were fitted to texts, and how well: docs/tokens.md.
#include "core/tokens/tokens_weights.h"

typedef struct text_meter {
    deft_view                    text;
    const struct family_weights *weights;
    uint64_t                     cost; // of the pieces so far
} text_meter;

typedef struct word_shape {
    size_t  from; // bytes; what leads the word lies before, a contraction behind
    size_t  to;
    size_t  length; // characters
    size_t  uppers;
    uint8_t script;
} word_shape;

// The longest words o200k knows as one token have 16 letters and a few more; rules and runs of
// spaces reach 64 and more.
#define WORD_LENGTH_MAX 16
#define RUN_LENGTH_MAX  64

typedef struct piece_size {
    size_t bytes;
    size_t length; // characters
} piece_size;

// Adds a piece. Whatever the weights of rare features say, a token holds `length_max` characters at
// most and a byte at least; the one token more is for marks of case, which Claude counts.
static void add_piece(text_meter *meter, int64_t units, piece_size size, uint32_t length_max)
{
    uint64_t cost = TOKEN;
    if (units >= UNITS_PER_TOKEN) {
        cost += (uint64_t)units * (TOKEN / UNITS_PER_TOKEN);
    } else if (units > -UNITS_PER_TOKEN) {
        // The parabola that meets 0 and the straight line without a kink: (u + 1)^2 / 4 in tokens.
        cost += (uint64_t)((units + UNITS_PER_TOKEN) * (units + UNITS_PER_TOKEN));
    }
    const uint64_t least = (uint64_t)size.length * (TOKEN / length_max);
    const uint64_t most  = ((uint64_t)size.bytes + 1) * TOKEN;
    meter->cost += cost < least ? least : cost > most ? most : cost;
}

// Fibonacci hashing: the top `bits` bits of a product with 2^32 / golden ratio.
static uint32_t slot_of(uint32_t key, unsigned bits)
{
    return (uint32_t)(key * 0x9e3779b1u) >> (32 - bits);
}

// Two entries a byte, -8 to 7 steps each.
static int32_t packed_weight(const uint8_t *table, uint32_t slot)
{
    return (int32_t)((table[slot / 2] >> (slot % 2 * 4)) & 15) - 8;
}

static unsigned lead_class(uint32_t lead)
{
    switch (lead) {
    case 0:
        return LEAD_NONE;
    case ' ':
        return LEAD_SPACE;
    case '_':
        return LEAD_UNDERSCORE;
    case '-':
        return 3;
    case '/':
        return 4;
    case '.':
        return 5;
    case '\\':
        return 6;
    case ',':
        return 7;
    case ':':
        return 8;
    case '=':
        return 9;
    case '(':
        return 10;
    case '@':
        return 11;
    case '$':
        return 12;
    case '\'':
    case '"':
    case '`':
        return 13;
    default:
        return lead < 0x80 ? 14 : 15;
    }
}

static unsigned shape_class(const word_shape *word)
{
    if (word->uppers == 0) {
        return SHAPE_LOWER;
    }
    if (word->uppers == 1) {
        return SHAPE_TITLE;
    }
    return word->uppers == word->length ? SHAPE_UPPER : SHAPE_MIXED;
}

static unsigned at_most(size_t value, unsigned most)
{
    return value < most ? (unsigned)value : most;
}

// The weight of three neighbouring letters, the last five bits of `key` each.
static int32_t letters_weight(const uint8_t *grams, uint32_t key, uint32_t capitals)
{
    return packed_weight(grams, slot_of((key & 0x7fff) | capitals, 12));
}

// Sums the weights of every three neighbouring letters, case folded, with the word's edges.
static int64_t word_grams_sum(const text_meter *meter, const word_shape *word, unsigned shape)
{
    const struct family_weights *weights  = meter->weights;
    const uint8_t               *grams    = weights->word_grams;
    const uint32_t               capitals = shape == SHAPE_UPPER ? 0x8000 : 0;

    int64_t  steps   = 0;
    int64_t  accents = 0;
    uint32_t key     = 0;
    for (size_t at = word->from; at < word->to;) {
        const uint8_t byte = (uint8_t)meter->text.data[at];
        if (byte < 0x80) {
            key = key << 5 | (byte & 31);
            at++;
        } else {
            const deft__letter letter = deft__letter_beyond_ascii(meter->text, at);
            key                       = key << 5 | (28 + (letter.code & 3));
            accents += weights->accent[letter.code >= 0x100];
            at += letter.size;
        }
        steps += letters_weight(grams, key, capitals);
    }
    steps += letters_weight(grams, key << 5 | 31, capitals);
    return steps * WORD_GRAMS_STEP + accents;
}

static void add_latin(text_meter *meter, deft__letter lead, const word_shape *word, size_t end)
{
    const struct family_weights *weights = meter->weights;
    const unsigned               leads   = lead_class(lead.code);
    const unsigned               shape   = shape_class(word);

    int64_t units = weights->lead[leads * SHAPE_COUNT + shape];
    units += weights->length[at_most(word->length, LENGTH_COUNT - 1) * 9 +
                             at_most(leads, LEAD_UNDERSCORE) * 3 + at_most(shape, SHAPE_UPPER)];
    if (end > word->to) {
        units += weights->contraction[end - word->to > 2];
    }
    units += word_grams_sum(meter, word, shape);
    const piece_size size = {end - word->from + lead.size,
                             word->length + (lead.size > 0) + (end - word->to)};
    add_piece(meter, units, size, WORD_LENGTH_MAX);
}

// Other scripts: each letter and each pair of neighbours.
static void add_script(text_meter *meter, deft__letter lead, const word_shape *word)
{
    const struct family_weights *weights = meter->weights;
    const unsigned leads = lead.size == 0 ? 0 : lead.code == ' ' ? 1 : lead.code < 0x80 ? 2 : 3;

    int64_t  units    = weights->script_lead[word->script * 4u + leads];
    int64_t  steps    = 0;
    uint32_t previous = 0;
    for (size_t at = word->from; at < word->to;) {
        const deft__letter letter = deft__letter_at(meter->text, at);
        const uint32_t     pair   = (previous * 0x10001u) ^ letter.code ^ 0x40000000u;
        steps += packed_weight(weights->script_grams, slot_of(letter.code, 11));
        steps += packed_weight(weights->script_grams, slot_of(pair, 11));
        previous = letter.code;
        at += letter.size;
    }
    units += (int64_t)word->length * weights->script_letter[word->script];
    units += steps * SCRIPT_GRAMS_STEP;
    const piece_size size = {word->to - word->from + lead.size, word->length + (lead.size > 0)};
    add_piece(meter, units, size, WORD_LENGTH_MAX);
}

// Bytes of a contraction ('s 't 'm 'd 're 've 'll) at `at`, 0 for none.
static size_t contraction_size(deft_view text, size_t at)
{
    if (text.size - at < 2 || text.data[at] != '\'') {
        return 0;
    }
    const int first  = text.data[at + 1] | 32;
    const int second = text.size - at > 2 ? text.data[at + 2] | 32 : 0;
    if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l')) {
        return 3;
    }
    return first == 's' || first == 't' || first == 'm' || first == 'd' ? 2 : 0;
}

// The letter at `at` as part of a word of `script`; a kind that is none where the word ends.
static deft__letter next_letter(deft_view text, size_t at, uint8_t script)
{
    const deft__letter none = {0, 0, DEFT__LETTER_SIGN, 0};
    if (at == text.size) {
        return none;
    }
    const deft__letter letter = deft__letter_at(text, at);
    return letter.script == script ? letter : none;
}

// Capitals, then small letters, of one script.
static word_shape scan_word(deft_view text, size_t from)
{
    const uint8_t script = deft__letter_at(text, from).script;
    word_shape    word   = {.from = from, .to = from, .script = script};
    deft__letter  next   = next_letter(text, from, script);
    while (next.kind == DEFT__LETTER_UPPER || next.kind == DEFT__LETTER_OTHER) {
        word.uppers += next.kind == DEFT__LETTER_UPPER;
        word.length++;
        word.to += next.size;
        next = next_letter(text, word.to, script);
    }
    while (next.kind == DEFT__LETTER_LOWER || next.kind == DEFT__LETTER_OTHER) {
        word.length++;
        word.to += next.size;
        next = next_letter(text, word.to, script);
    }
    return word;
}

// What stands before the letters of a word and belongs to it, of size 0 for nothing.
static const deft__letter no_lead = {0};

// Takes a word and returns its end.
static size_t take_word(text_meter *meter, deft__letter lead, size_t from)
{
    const word_shape word = scan_word(meter->text, from);
    if (word.script != DEFT__SCRIPT_LATIN) {
        add_script(meter, lead, &word);
        return word.to;
    }
    const size_t end = word.to + contraction_size(meter->text, word.to);
    add_latin(meter, lead, &word, end);
    return end;
}

// One of 64 classes of signs: 0 is the start of a piece, 63 its end, 1 to 32 are ASCII.
#define SIGN_BLANK 33
#define SIGN_END   63

static uint32_t sign_symbol(uint32_t code)
{
    if (code < 0x80) {
        return code < 33   ? SIGN_BLANK
               : code < 48 ? code - 32
               : code < 65 ? code - 58 + 16
               : code < 97 ? code - 91 + 23
                           : code - 123 + 29;
    }
    if (code < 0x2000) {
        return 34;
    }
    if (code < 0x2070) { // dashes, quotes, bullets
        return 35 + ((code >> 1) & 3);
    }
    if (code < 0x2e80) { // arrows, mathematics, boxes, symbols
        return 39 + ((code >> 8) & 3);
    }
    if (code < 0x3040) { // punctuation of Chinese and Japanese
        return 43;
    }
    if (code >= 0x1f000) { // emoji
        return 47 + ((code >> 7) & 15);
    }
    return code >= 0xff00 && code < 0x10000 ? 44 : 45;
}

// The last three symbols of a run of signs, and a hash of it all.
typedef struct sign_run {
    const int8_t *grams;
    uint32_t      window;
    uint32_t      whole;
    uint32_t      count; // symbols
    int64_t       units;
} sign_run;

static void add_symbol(sign_run *run, uint32_t symbol)
{
    run->window = (run->window << 6 | symbol) & 0x3ffff;
    if (run->count > 0) {
        run->units += run->grams[slot_of(run->window, 10)];
    }
    run->whole = run->whole * 67u + symbol;
    run->count++;
}

// Runs up to this many signs have a weight of their own: JSON is made of few and frequent ones.
#define WHOLE_RUN_MAX 8

static size_t take_signs(text_meter *meter, bool is_led, size_t from)
{
    const struct family_weights *weights = meter->weights;
    const deft_view              text    = meter->text;
    const uint32_t               start   = is_led ? SIGN_BLANK : 0;

    sign_run run    = {.grams = weights->signs_grams, .window = start, .whole = start};
    size_t   length = 0;
    size_t   at     = from;
    uint32_t last   = 0; // the two signs before
    uint32_t second = 0;
    bool     tail   = false; // newlines and slashes after the signs belong to them
    while (at < text.size) {
        const deft__letter sign = deft__letter_at(text, at);
        tail                    = tail || sign.kind != DEFT__LETTER_SIGN;
        if (tail && sign.kind != DEFT__LETTER_NEWLINE && sign.code != '/') {
            break;
        }
        // A rule of dashes is one token however long; backslashes come in twos and fours.
        const bool repeats = length > 2 && sign.code < 0x80 && sign.code != '\\' &&
                             sign.code == last && last == second;
        if (!repeats) {
            add_symbol(&run, sign_symbol(sign.code));
        }
        second = last;
        last   = sign.code;
        length++;
        at += sign.size;
    }
    const uint32_t count = run.count;
    add_symbol(&run, SIGN_END);
    run.units += weights->signs_length[at_most(count, LENGTH_COUNT - 1)];
    if (count <= WHOLE_RUN_MAX) {
        run.units += weights->signs_grams[slot_of(run.whole ^ 0x5bd1e995u, 10)];
    }
    const piece_size size = {at - from + is_led, length + is_led};
    add_piece(meter, run.units, size, RUN_LENGTH_MAX);
    return at;
}

// Digits go by threes.
static size_t take_digits(text_meter *meter, size_t from)
{
    size_t length = 0;
    size_t at     = from;
    while (at < meter->text.size && length < 3) {
        const deft__letter digit = deft__letter_at(meter->text, at);
        if (digit.kind != DEFT__LETTER_DIGIT) {
            break;
        }
        length++;
        at += digit.size;
    }
    const piece_size size = {at - from, length};
    add_piece(meter, meter->weights->plain[length - 1], size, RUN_LENGTH_MAX);
    return at;
}

static void add_spaces(text_meter *meter, size_t length)
{
    const unsigned   row  = length < 2 ? 3 : length < 4 ? 4 : 5;
    const piece_size size = {length, length}; // of few bytes: nothing depends on how many
    add_piece(meter, meter->weights->plain[row], size, RUN_LENGTH_MAX);
}

static void add_newlines(text_meter *meter, size_t length)
{
    const piece_size size = {length, length};
    add_piece(meter, meter->weights->plain[length < 2 ? 6 : 7], size, RUN_LENGTH_MAX);
}

// White space: all up to the last newline is one piece, then all but the last space another. The
// last one leads the word or the signs behind it.
static size_t take_blanks(text_meter *meter, size_t from)
{
    const deft_view text   = meter->text;
    size_t          length = 0; // characters since the last piece
    size_t          at     = from;
    deft__letter    last   = {0};
    while (at < text.size) {
        const deft__letter blank = deft__letter_at(text, at);
        if (!deft__letter_is_blank(blank)) {
            break;
        }
        last = blank;
        length++;
        at += blank.size;
    }
    size_t end  = at; // of the last newline
    size_t tail = 0;  // characters after it
    while (end > from && text.data[end - 1] != '\n' && text.data[end - 1] != '\r') {
        end--;
        tail += ((uint8_t)text.data[end] & 0xc0) != 0x80;
    }
    if (end > from) {
        add_newlines(meter, length - tail);
        length = tail;
    }
    if (length == 0) {
        return at;
    }
    if (at == text.size) {
        add_spaces(meter, length);
        return at;
    }
    if (length > 1) {
        add_spaces(meter, length - 1);
    }
    const deft__letter next = deft__letter_at(text, at);
    if (deft__letter_is_letter(next)) {
        return take_word(meter, last, at);
    }
    if (next.kind == DEFT__LETTER_SIGN && last.code == ' ') {
        return take_signs(meter, true, at);
    }
    add_spaces(meter, 1);
    return at;
}

// A single sign before a letter leads the word; more of them are a piece of their own.
static size_t take_sign(text_meter *meter, deft__letter sign, size_t from)
{
    const size_t behind = from + sign.size;
    if (behind < meter->text.size && deft__letter_is_letter(deft__letter_at(meter->text, behind))) {
        return take_word(meter, sign, behind);
    }
    return take_signs(meter, false, from);
}

static size_t estimate(deft_view text, const struct family_weights *weights)
{
    text_meter meter = {text, weights, 0};
    for (size_t at = 0; at < text.size;) {
        const deft__letter first = deft__letter_at(text, at);
        if (deft__letter_is_letter(first)) {
            at = take_word(&meter, no_lead, at);
        } else if (first.kind == DEFT__LETTER_SIGN) {
            at = take_sign(&meter, first, at);
        } else if (first.kind == DEFT__LETTER_DIGIT) {
            at = take_digits(&meter, at);
        } else {
            at = take_blanks(&meter, at);
        }
    }
    return (size_t)((meter.cost + TOKEN / 2) / TOKEN);
}

static const char *const names[] = {"o200k", "claude", "llama", "chars4"};

size_t deft_tokens_estimate(deft_view text, deft_token_family family)
{
    if ((unsigned)family < sizeof family_weights / sizeof family_weights[0]) {
        return estimate(text, &family_weights[family]);
    }
    return (deft__utf8_length(text) + 3) / 4;
}

const char *deft_token_family_name(deft_token_family family)
{
    return (unsigned)family < sizeof names / sizeof names[0] ? names[family] : "unknown";
}

bool deft_token_family_from_name(deft_view name, deft_token_family *family)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (deft_view_equals(name, names[i])) {
            *family = (deft_token_family)i;
            return true;
        }
    }
    return false;
}
