// The small text functions of src/base against slow and obvious versions of themselves. The input
// is two texts with a line end between them.
#include "fuzz/fuzz.h"

#include "base/fail.h"
#include "base/glob.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/utf8.h"

// The definition, word for word; exponential, so only for short texts.
static bool glob_reference(deft_view pattern, deft_view text)
{
    if (pattern.size == 0) {
        return text.size == 0;
    }
    const deft_view rest = deft_view_slice(pattern, 1, pattern.size);
    if (pattern.data[0] == '*') {
        return glob_reference(rest, text) ||
               (text.size > 0 && glob_reference(pattern, deft_view_slice(text, 1, text.size)));
    }
    return text.size > 0 && (pattern.data[0] == '?' || pattern.data[0] == text.data[0]) &&
           glob_reference(rest, deft_view_slice(text, 1, text.size));
}

static void check_glob(deft_view pattern, deft_view text)
{
    const bool is_match = deft__glob_match(pattern, text);
    if (pattern.size <= 8 && text.size <= 8) {
        check(is_match == glob_reference(pattern, text));
    }
    if (!deft__glob_is_pattern(pattern)) {
        check(is_match == deft_view_equal(pattern, text));
    }
}

// Decoding and encoding are each other's inverse, and the other functions agree with decoding.
static void check_utf8(deft_view text)
{
    const size_t valid      = deft__utf8_valid_size(text);
    size_t       characters = 0;
    size_t       at         = 0;
    while (at < text.size) {
        uint32_t     code = 0;
        const size_t size = deft__utf8_decode(text, at, &code);
        if (size > 0) {
            char again[4];
            check(deft__utf8_encode(code, again) == size);
            check(memcmp(again, text.data + at, size) == 0);
        } else {
            check(at >= valid);
        }
        at += size > 0 ? size : 1;
        characters++;
    }
    check(deft__utf8_length(text) == characters);

    const deft_view whole = deft_view_slice(text, 0, valid);
    for (size_t size_max = 0; size_max <= whole.size + 1 && size_max < 32; size_max++) {
        const size_t cut = deft__utf8_cut(whole, size_max);
        check(cut <= size_max && cut + 3 >= (size_max < whole.size ? size_max : whole.size));
        check(deft__utf8_valid_size(deft_view_slice(whole, 0, cut)) == cut);
    }
}

static void check_distance(deft_view a, deft_view b)
{
    const size_t limit    = 100;
    const size_t distance = deft__edit_distance(a, b, limit);
    check(distance == deft__edit_distance(b, a, limit));
    check(deft__edit_distance(a, a, limit) == 0);
    check(!deft_view_equal(a, b) || distance == 0);
    check(deft__edit_distance(a, b, 2) == (distance <= 2 ? distance : 3));
    const size_t longer = a.size > b.size ? a.size : b.size;
    check(distance <= longer);
}

// Whatever comes in, what goes into a message is one line of valid UTF-8.
static void check_quote(deft_view text)
{
    deft__quoted    quoted;
    const deft_view shown = deft_view_of(deft__quote(&quoted, text));
    check(shown.size < sizeof quoted.text);
    check(deft__utf8_valid_size(shown) == shown.size);
    for (size_t i = 0; i < shown.size; i++) {
        check((unsigned char)shown.data[i] >= 0x20 && shown.data[i] != 0x7F);
    }
}

// Every piece of up to four bytes as a key; the last place of each is what the map must hold.
static void check_map(deft_view text)
{
    deft__map map;
    deft__map_init(&map, text.size, NULL);
    for (uint32_t at = 0; at < text.size; at++) {
        check(deft__map_put(&map, deft_view_slice(text, at, 1 + at % 4), at));
    }
    for (uint32_t at = 0; at < text.size; at++) {
        const deft_view key   = deft_view_slice(text, at, 1 + at % 4);
        uint32_t        value = 0;
        check(deft__map_find(&map, key, &value));
        check(value >= at && value < text.size);
        check(deft_view_equal(deft_view_slice(text, value, 1 + value % 4), key));
    }
    deft__map_clear(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view input = deft_view_make((const char *)data, size);
    const char     *end   = size > 0 ? memchr(input.data, '\n', size) : NULL;
    const size_t    first = end != NULL ? (size_t)(end - input.data) : size;
    const deft_view a     = deft_view_slice(input, 0, first);
    const deft_view b     = deft_view_slice(input, first + 1, size);
    check_glob(a, b);
    check_utf8(input);
    check_quote(input);
    // Short pieces: these cost the square of the size, or allocate, and show no more when longer.
    check_distance(deft_view_slice(a, 0, 16), deft_view_slice(b, 0, 16));
    check_map(deft_view_slice(input, 0, 20));
    return 0;
}
