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

// Up to eight bytes, the first one lowest, whatever the machine's byte order.
static uint64_t load_little_endian(const char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
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
        absorb(&s, load_little_endian(bytes.data + at, 8));
    }
    const uint64_t tail =
        bytes.size > at ? load_little_endian(bytes.data + at, bytes.size - at) : 0;
    absorb(&s, tail | (uint64_t)bytes.size << 56);

    s.v2 ^= 0xFF;
    for (int i = 0; i < 4; i++) {
        sip_round(&s);
    }
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
