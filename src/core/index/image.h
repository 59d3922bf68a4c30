// image.h - an index as one run of bytes: a header, then tables that refer to one another by
// number. It is the same in memory, in a file and in a mapping, so saving is a copy and loading
// is a check. Little-endian machines only, as are all that we build for; the magic number tells.
//
//     terms     what is counted: stems, then forms (words whose stem has several forms)
//     words     every word seen, with its term; sorted by nothing, found through the hash
//     places    tools with like names lie side by side, whatever their order in the catalog: what a
//               query is about then lies in few blocks, and the others need not be looked at
//     postings  per term with few: places in ascending order, and with each how much the term says
//               of it, its impact
//     names     per tool: the terms of its name, for measuring how much of it a query covers
//     vectors   per tool: what it means, where a model was given (core/semantic)
//     blocks    per term with many postings, for each block of 64 places: one bit for each place
//               that has it, their impacts, and the largest of these
#ifndef DEFT_CORE_INDEX_IMAGE_H
#define DEFT_CORE_INDEX_IMAGE_H

#include "core/index/weigh.h"
#include "deft/analyzer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdint.h>

#define DEFT__NONE UINT32_MAX

// Places are bounded in blocks of this many.
#define DEFT__BLOCK_BITS 6u
#define DEFT__BLOCK_SIZE (1u << DEFT__BLOCK_BITS)

// A posting is a place and an impact in one number, so there cannot be more tools than this.
#define DEFT__IMPACT_BITS 8u
#define DEFT__PLACES_MAX  (1u << (32 - DEFT__IMPACT_BITS))

typedef struct deft__term {
    uint32_t text;       // offset in texts
    uint32_t posting;    // first posting; where it has blocks, first impact
    uint32_t count;      // postings: in how many tools it is
    uint32_t block;      // which one it is of the terms with blocks; DEFT__NONE: has none
    uint16_t text_size;  // bytes
    uint16_t idf;        // 256 * log2 of how rare it is
    uint32_t form_count; // words with this stem
} deft__term;

typedef struct deft__word {
    uint32_t text; // offset in texts
    uint32_t stem; // term of its stem
    uint32_t form; // term of this very word; the stem's where it has no other form
    uint16_t text_size;
    uint16_t weight; // how much it is worth in a query (deft__word_weight)
} deft__word;

// Where a table lies, in bytes from the start of the image.
typedef struct deft__section {
    uint64_t offset;
    uint64_t size;
} deft__section;

typedef enum deft__section_id {
    DEFT__SECTION_TEXTS,        // char
    DEFT__SECTION_TERMS,        // deft__term
    DEFT__SECTION_WORDS,        // deft__word
    DEFT__SECTION_LETTERS,      // uint32_t per word: deft__letters_of, for finding near misses
    DEFT__SECTION_TERM_HASH,    // uint32_t: stem text to term
    DEFT__SECTION_WORD_HASH,    // uint32_t: word text to word
    DEFT__SECTION_PLACES,       // uint32_t: place of each tool
    DEFT__SECTION_TOOLS,        // uint32_t: tool at each place
    DEFT__SECTION_POSTINGS,     // uint32_t: place << 8 | impact
    DEFT__SECTION_NAME_STARTS,  // uint32_t per tool, and one more
    DEFT__SECTION_NAME_TERMS,   // uint32_t
    DEFT__SECTION_BLOCKS,       // uint8_t: largest impact per block, and one more
    DEFT__SECTION_BLOCK_STARTS, // uint32_t: first impact per block, and one more
    DEFT__SECTION_VECTORS,      // int8_t: dimensions per tool
    DEFT__SECTION_LENGTHS,      // uint16_t per tool: of its vector, in 1/16
    DEFT__SECTION_SIGNS,        // uint64_t: one bit per number of its vector
    DEFT__SECTION_ROWS,         // uint32_t per stem: its row of the model
    DEFT__SECTION_MASKS,        // uint64_t per block: which of its places have the term
    DEFT__SECTION_IMPACTS,      // uint8_t, and DEFT__BLOCK_SIZE more
    DEFT__SECTION_NAME_WEIGHTS, // uint32_t per tool: how rare the stems of its name are, together
    DEFT__SECTION_COUNT
} deft__section_id;

typedef struct deft__image_header {
    uint64_t magic;
    uint32_t version;
    uint32_t tool_count;
    uint64_t size;            // of the whole image
    uint64_t catalog_version; // deft_catalog_version of what was indexed
    uint64_t hash_seed;
    uint64_t checksum;                             // of everything else
    uint32_t stem_count;                           // terms below this number are stems
    uint32_t dimensions;                           // of the vectors; 0: there are none
    uint64_t model;                                // the version of the model they are from
    char     language[DEFT_LANGUAGE_SIZE_MAX + 1]; // of the stemmer; ends in NUL
    // For taking impacts apart again.
    deft__field_total fields[DEFT__FIELD_COUNT];
    deft__section     sections[DEFT__SECTION_COUNT];
} deft__image_header;

// An image with its tables found and checked. Borrows the bytes.
typedef struct deft__image {
    const deft__image_header *header;
    const char               *texts;
    const deft__term         *terms;
    const deft__word         *words;
    const uint32_t           *letters;
    const uint32_t           *term_hash;
    const uint32_t           *word_hash;
    const uint32_t           *places;
    const uint32_t           *tools;
    const uint32_t           *postings;
    const uint32_t           *name_starts;
    const uint32_t           *name_terms;
    const uint8_t            *blocks;
    const uint32_t           *block_starts;
    const int8_t             *vectors; // none: all four are of no use
    const uint16_t           *lengths;
    const uint64_t           *signs;
    const uint32_t           *rows;
    const uint64_t           *masks;
    const uint8_t            *impacts;
    const uint32_t           *name_weights;
    uint32_t                  dimensions;
    uint32_t                  tool_count;
    uint32_t                  block_count; // ceil(tool_count / DEFT__BLOCK_SIZE)
    uint32_t                  stem_count;
    uint32_t                  term_count;
    uint32_t                  word_count;
    uint32_t                  term_hash_size; // slots: powers of two
    uint32_t                  word_hash_size;
} deft__image;

#define DEFT__IMAGE_MAGIC   UINT64_C(0x3158444954464544) // "DEFTIDX1"
#define DEFT__IMAGE_VERSION 7u

// Numbers of a vector, at most; a multiple of 64.
#define DEFT__DIMENSIONS_MAX 256u

// Where the bytes of an image begin.
#define DEFT__IMAGE_ALIGNMENT 8u

// Checks `bytes` (aligned to 8) from the header to the last posting, so that a damaged or forged
// file is an error here and can do no harm later. DEFT_INVALID with the offset.
deft_status deft__image_open(deft__image *image, deft_view bytes, deft_error *error);

// The stem's term, or the word; DEFT__NONE when there is none.
uint32_t deft__image_find_stem(const deft__image *image, deft_view stem);
uint32_t deft__image_find_word(const deft__image *image, deft_view word);

// Several words. What they need lies far apart: all of it is asked for before any of it is waited for.
void deft__image_find_words(const deft__image *image, const deft_view *words, size_t count,
                            uint32_t *found);

static inline uint32_t deft__place_of(uint32_t posting)
{
    return posting >> DEFT__IMPACT_BITS;
}

static inline uint32_t deft__impact_of(uint32_t posting)
{
    return posting & ((1u << DEFT__IMPACT_BITS) - 1);
}

static inline uint32_t deft__block_of(uint32_t posting)
{
    return posting >> (DEFT__IMPACT_BITS + DEFT__BLOCK_BITS);
}

// The blocks of a term that has some.
typedef struct deft__blocks {
    const uint8_t  *maxima;  // largest impact per block
    const uint64_t *masks;   // which places have it, per block
    const uint8_t  *impacts; // DEFT__BLOCK_SIZE can be read from each start on
    const uint32_t *starts;  // first impact per block, and how many there are
} deft__blocks;

static inline deft__blocks deft__blocks_of(const deft__image *image, const deft__term *term)
{
    const size_t first = (size_t)term->block * (image->block_count + 1);
    return (deft__blocks){
        .maxima  = image->blocks + first,
        .masks   = image->masks + (size_t)term->block * image->block_count,
        .impacts = image->impacts + term->posting,
        .starts  = image->block_starts + first,
    };
}

// How many bits are set: in pairs, in fours, in eights, and these added up by one multiplication.
// The compiler's own would be a call where the processor may lack the instruction.
static inline uint32_t deft__count_bits(uint64_t value)
{
    value -= value >> 1 & UINT64_C(0x5555555555555555);
    value = (value & UINT64_C(0x3333333333333333)) + (value >> 2 & UINT64_C(0x3333333333333333));
    value = (value + (value >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(value * UINT64_C(0x0101010101010101) >> 56);
}

// The first of `count` ascending numbers that is not below `least`; `count` when all are.
size_t deft__find_least(const uint32_t *numbers, size_t count, uint32_t least);

// The tool of a term's posting, counted from 0. They come in the order of places.
uint32_t deft__image_tool(const deft__image *image, uint32_t term, uint32_t posting);

// Whether a tool has a term.
bool deft__image_has(const deft__image *image, uint32_t term, uint32_t tool);

deft_view deft__image_term_text(const deft__image *image, uint32_t term);
deft_view deft__image_word_text(const deft__image *image, uint32_t word);

// How much a term says of a tool; 0 when the tool does not have it.
uint8_t deft__image_impact(const deft__image *image, uint32_t term, uint32_t tool);

// One bit for each letter and digit of a word; what is not ASCII shares the rest.
uint32_t deft__letters_of(deft_view word);

// 256 * log2((2 * count + 2) / (2 * frequency + 1)): the usual ln((N + 1) / (df + 1/2)) in another
// unit, in whole numbers so that every machine agrees.
uint16_t deft__idf(uint32_t count, uint32_t frequency);

// The slot that a hash of slots starts looking at for a text.
uint32_t deft__image_slot(deft_view text, uint64_t seed, uint32_t slots);

// Of a whole image but for the field that it belongs into.
uint64_t deft__image_checksum(deft_view bytes);

#endif
