#include "core/tokens/letters.h"

#include "base/utf8.h"

// Short names, for the table below.
enum {
    NEWLINE    = DEFT__LETTER_NEWLINE,
    SPACE      = DEFT__LETTER_SPACE,
    DIGIT      = DEFT__LETTER_DIGIT,
    UPPER      = DEFT__LETTER_UPPER,
    LOWER      = DEFT__LETTER_LOWER,
    OTHER      = DEFT__LETTER_OTHER,
    SIGN       = DEFT__LETTER_SIGN,
    EVEN_UPPER = 7, // alphabets in which the cases alternate
    ODD_UPPER  = 8
};
enum {
    NONE      = DEFT__SCRIPT_LATIN, // of what is not a letter nobody asks
    LATIN     = DEFT__SCRIPT_LATIN,
    GREEK     = DEFT__SCRIPT_GREEK,
    CYRILLIC  = DEFT__SCRIPT_CYRILLIC,
    HEBREW    = DEFT__SCRIPT_HEBREW,
    ARABIC    = DEFT__SCRIPT_ARABIC,
    INDIC     = DEFT__SCRIPT_INDIC,
    DRAVIDIAN = DEFT__SCRIPT_DRAVIDIAN,
    THAI      = DEFT__SCRIPT_THAI,
    GEORGIAN  = DEFT__SCRIPT_GEORGIAN,
    KANA      = DEFT__SCRIPT_KANA,
    HANGUL    = DEFT__SCRIPT_HANGUL,
    HAN       = DEFT__SCRIPT_HAN,
    REST      = DEFT__SCRIPT_REST
};

// clang-format off
const uint8_t deft__letter_ascii[128] = {
    6, 6, 6, 6, 6, 6, 6, 6, 6, 1, 0, 1, 1, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
    1, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 6, 6, 6, 6, 6, 6,
    6, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 6, 6, 6, 6, 6,
    6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6,
};

// The first code point of each range; it ends before the next.
static const struct {
    uint32_t first;
    uint8_t  kind;
    uint8_t  script;
} ranges[] = {
    {0x80, SIGN, NONE}, {0x85, SPACE, NONE}, {0x86, SIGN, NONE}, {0xa0, SPACE, NONE},
    {0xa1, SIGN, NONE}, {0xaa, OTHER, LATIN}, {0xab, SIGN, NONE}, {0xb2, DIGIT, NONE},
    {0xb4, SIGN, NONE}, {0xb5, LOWER, LATIN}, {0xb6, SIGN, NONE}, {0xb9, DIGIT, NONE},
    {0xba, OTHER, LATIN}, {0xbb, SIGN, NONE}, {0xbc, DIGIT, NONE}, {0xbf, SIGN, NONE},
    {0xc0, UPPER, LATIN}, {0xd7, SIGN, NONE}, {0xd8, UPPER, LATIN}, {0xdf, LOWER, LATIN},
    {0xf7, SIGN, NONE}, {0xf8, LOWER, LATIN}, {0x100, EVEN_UPPER, LATIN}, {0x138, LOWER, LATIN},
    {0x139, ODD_UPPER, LATIN}, {0x149, LOWER, LATIN}, {0x14a, EVEN_UPPER, LATIN},
    {0x178, UPPER, LATIN}, {0x179, ODD_UPPER, LATIN}, {0x17f, LOWER, LATIN},
    {0x180, EVEN_UPPER, LATIN}, {0x1af, ODD_UPPER, LATIN}, {0x1b1, EVEN_UPPER, LATIN},
    {0x250, LOWER, LATIN}, {0x2b0, OTHER, LATIN}, {0x370, LOWER, GREEK}, {0x37e, SIGN, NONE},
    {0x37f, UPPER, GREEK}, {0x387, SIGN, NONE}, {0x388, UPPER, GREEK}, {0x390, LOWER, GREEK},
    {0x391, UPPER, GREEK}, {0x3ac, LOWER, GREEK}, {0x400, UPPER, CYRILLIC},
    {0x430, LOWER, CYRILLIC}, {0x460, EVEN_UPPER, CYRILLIC}, {0x482, SIGN, NONE},
    {0x483, OTHER, CYRILLIC}, {0x48a, EVEN_UPPER, CYRILLIC}, {0x530, UPPER, REST},
    {0x560, LOWER, REST}, {0x589, SIGN, NONE}, {0x591, OTHER, HEBREW}, {0x5be, SIGN, NONE},
    {0x5bf, OTHER, HEBREW}, {0x5c0, SIGN, NONE}, {0x5c1, OTHER, HEBREW}, {0x5c3, SIGN, NONE},
    {0x5c4, OTHER, HEBREW}, {0x5f3, SIGN, NONE}, {0x610, OTHER, ARABIC}, {0x61b, SIGN, NONE},
    {0x620, OTHER, ARABIC}, {0x660, DIGIT, NONE}, {0x66a, SIGN, NONE}, {0x66e, OTHER, ARABIC},
    {0x6d4, SIGN, NONE}, {0x6d5, OTHER, ARABIC}, {0x6f0, DIGIT, NONE}, {0x6fa, OTHER, ARABIC},
    {0x900, OTHER, INDIC}, {0x964, SIGN, NONE}, {0x966, DIGIT, NONE}, {0x970, OTHER, INDIC},
    {0x9e6, DIGIT, NONE}, {0x9f0, OTHER, INDIC}, {0xb80, OTHER, DRAVIDIAN}, {0xbe6, DIGIT, NONE},
    {0xbf0, OTHER, DRAVIDIAN}, {0xe00, OTHER, THAI}, {0xe3f, SIGN, NONE}, {0xe40, OTHER, THAI},
    {0xe50, DIGIT, NONE}, {0xe5a, OTHER, THAI}, {0xf00, OTHER, REST}, {0x10a0, UPPER, GEORGIAN},
    {0x10d0, OTHER, GEORGIAN}, {0x1100, OTHER, HANGUL}, {0x1200, OTHER, REST},
    {0x1780, OTHER, THAI}, {0x1800, OTHER, REST}, {0x1e00, EVEN_UPPER, LATIN},
    {0x1f00, LOWER, GREEK}, {0x2000, SPACE, NONE}, {0x200b, SIGN, NONE}, {0x2028, SPACE, NONE},
    {0x202a, SIGN, NONE}, {0x202f, SPACE, NONE}, {0x2030, SIGN, NONE}, {0x205f, SPACE, NONE},
    {0x2060, SIGN, NONE}, {0x2070, DIGIT, NONE}, {0x208a, SIGN, NONE}, {0x2150, DIGIT, NONE},
    {0x2190, SIGN, NONE}, {0x2460, DIGIT, NONE}, {0x249c, SIGN, NONE}, {0x24ea, DIGIT, NONE},
    {0x2500, SIGN, NONE}, {0x2776, DIGIT, NONE}, {0x2794, SIGN, NONE}, {0x2c00, LOWER, REST},
    {0x2e00, SIGN, NONE}, {0x3000, SPACE, NONE}, {0x3001, SIGN, NONE}, {0x3005, OTHER, HAN},
    {0x3008, SIGN, NONE}, {0x3031, OTHER, KANA}, {0x309b, SIGN, NONE}, {0x309d, OTHER, KANA},
    {0x30a0, SIGN, NONE}, {0x30a1, OTHER, KANA}, {0x30fb, SIGN, NONE}, {0x30fc, OTHER, KANA},
    {0x3100, OTHER, HAN}, {0x3130, OTHER, HANGUL}, {0x3190, SIGN, NONE}, {0x31f0, OTHER, KANA},
    {0x3200, SIGN, NONE}, {0x3400, OTHER, HAN}, {0x4dc0, SIGN, NONE}, {0x4e00, OTHER, HAN},
    {0xa000, OTHER, REST}, {0xac00, OTHER, HANGUL}, {0xd800, SIGN, NONE}, {0xf900, OTHER, HAN},
    {0xfb00, LOWER, LATIN}, {0xfb13, LOWER, REST}, {0xfb1d, OTHER, HEBREW}, {0xfb50, OTHER, ARABIC},
    {0xfd3e, SIGN, NONE}, {0xfd50, OTHER, ARABIC}, {0xfdfc, SIGN, NONE}, {0xfe00, OTHER, REST},
    {0xfe10, SIGN, NONE}, {0xfe20, OTHER, REST}, {0xfe30, SIGN, NONE}, {0xfe70, OTHER, ARABIC},
    {0xfeff, SIGN, NONE}, {0xff10, DIGIT, NONE}, {0xff1a, SIGN, NONE}, {0xff21, UPPER, REST},
    {0xff3b, SIGN, NONE}, {0xff41, LOWER, REST}, {0xff5b, SIGN, NONE}, {0xff66, OTHER, KANA},
    {0xffa0, OTHER, HANGUL}, {0xffe0, SIGN, NONE}, {0x10000, OTHER, REST}, {0x1d000, SIGN, NONE},
    {0x1d400, OTHER, REST}, {0x1d800, SIGN, NONE}, {0x20000, OTHER, HAN}, {0x32000, SIGN, NONE},
    {0xe0100, OTHER, REST}, {0xe01f0, SIGN, NONE},
};
// clang-format on

static size_t range_of(uint32_t code)
{
    size_t low  = 0;
    size_t high = sizeof ranges / sizeof ranges[0];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].first <= code) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint8_t kind_of(uint8_t kind, uint32_t code)
{
    const bool is_odd = (code & 1) != 0;
    if (kind == EVEN_UPPER) {
        return is_odd ? LOWER : UPPER;
    }
    if (kind == ODD_UPPER) {
        return is_odd ? UPPER : LOWER;
    }
    return kind;
}

deft__letter deft__letter_beyond_ascii(deft_view text, size_t at)
{
    uint32_t     code = 0xfffd;
    const size_t size = deft__utf8_decode(text, at, &code);
    const size_t row  = range_of(code);
    return (deft__letter){code, (uint8_t)(size > 0 ? size : 1), kind_of(ranges[row].kind, code),
                          ranges[row].script};
}
