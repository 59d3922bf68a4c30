#include "base/hash.h"

typedef struct sip_state {
    uint64_t v0, v1, v2, v3;
} sip_state;

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static void sip_round(sip_state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v2 = rotate_left(s->v2, 32);
}

// Eight bytes, the first one lowest, whatever the machine's byte order.
static uint64_t load_word(const char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

// The bytes behind an input's whole words, fewer than eight. Where there is a word before them, one
// load that overlaps it has them all.
static uint64_t load_tail(deft_view bytes)
{
    const size_t size = bytes.size % 8;
    if (size > 0 && bytes.size > 8) {
        return load_word(bytes.data + bytes.size - 8) >> (64 - 8 * size);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)bytes.data[i] << (8 * i);
    }
    return value;
}

static void absorb(sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

uint64_t deft__hash(deft_view bytes, uint64_t seed)
{
    // The paper's constants; the seed is the first half of the key. The second half is that of the
    // paper's test key, so the published values hold for its first half, 0x0706050403020100.
    const uint64_t key1 = UINT64_C(0x0f0e0d0c0b0a0908);
    sip_state      s    = {
                seed ^ UINT64_C(0x736f6d6570736575),
                key1 ^ UINT64_C(0x646f72616e646f6d),
                seed ^ UINT64_C(0x6c7967656e657261),
                key1 ^ UINT64_C(0x7465646279746573),
    };

    size_t at = 0;
    for (; bytes.size - at >= 8; at += 8) {
        absorb(&s, load_word(bytes.data + at));
    }
    absorb(&s, load_tail(bytes) | (uint64_t)bytes.size << 56);

    s.v2 ^= 0xFF;
    for (int i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
