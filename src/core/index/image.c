#include "core/index/image.h"

#include "base/fail.h"
#include "base/hash.h"
#include "core/analysis/words.h"
#include "core/index/fields.h"

deft_view deft__image_term_text(const deft__image *image, uint32_t term)
{
    return deft_view_make(image->texts + image->terms[term].text, image->terms[term].text_size);
}

deft_view deft__image_word_text(const deft__image *image, uint32_t word)
{
    return deft_view_make(image->texts + image->words[word].text, image->words[word].text_size);
}

uint32_t deft__image_slot(deft_view text, uint64_t seed, uint32_t slots)
{
    return (uint32_t)deft__hash(text, seed) & (slots - 1);
}

uint32_t deft__image_find_stem(const deft__image *image, deft_view stem)
{
    uint32_t slot = deft__image_slot(stem, image->header->hash_seed, image->term_hash_size);
    while (image->term_hash[slot] != DEFT__NONE) {
        const uint32_t term = image->term_hash[slot];
        if (deft_view_equal(deft__image_term_text(image, term), stem)) {
            return term;
        }
        slot = (slot + 1) & (image->term_hash_size - 1);
    }
    return DEFT__NONE;
}

// Looks for a word from a slot on.
static uint32_t find_word_from(const deft__image *image, deft_view word, uint32_t slot)
{
    while (image->word_hash[slot] != DEFT__NONE) {
        const uint32_t found = image->word_hash[slot];
        if (deft_view_equal(deft__image_word_text(image, found), word)) {
            return found;
        }
        slot = (slot + 1) & (image->word_hash_size - 1);
    }
    return DEFT__NONE;
}

uint32_t deft__image_find_word(const deft__image *image, deft_view word)
{
    return find_word_from(image, word,
                          deft__image_slot(word, image->header->hash_seed, image->word_hash_size));
}

void deft__image_find_words(const deft__image *image, const deft_view *words, size_t count,
                            uint32_t *found)
{
    // Until they are found, `found` holds the slots where looking for them starts.
    for (size_t i = 0; i < count; i++) {
        found[i] = deft__image_slot(words[i], image->header->hash_seed, image->word_hash_size);
        __builtin_prefetch(&image->word_hash[found[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t word = image->word_hash[found[i]];
        __builtin_prefetch(&image->words[word != DEFT__NONE ? word : 0]);
    }
    for (size_t i = 0; i < count; i++) {
        found[i] = find_word_from(image, words[i], found[i]);
        if (found[i] != DEFT__NONE) {
            __builtin_prefetch(&image->terms[image->words[found[i]].stem]);
            __builtin_prefetch(&image->terms[image->words[found[i]].form]);
        }
    }
}

size_t deft__find_least(const uint32_t *numbers, size_t count, uint32_t least)
{
    // No branch in the loop depends on what is compared: half of them would be guessed wrongly.
    const uint32_t *at = numbers;
    if (count == 0) {
        return 0;
    }
    while (count > 1) {
        const size_t half = count / 2;
        at += half & ((size_t)0 - (size_t)(at[half - 1] < least));
        count -= half;
    }
    return (size_t)(at - numbers) + (*at < least);
}

// The block that a posting of a term with blocks is in.
static uint32_t block_of_posting(const deft__image *image, const deft__blocks *blocks,
                                 uint32_t posting)
{
    uint32_t from = 0;
    uint32_t to   = image->block_count;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        if (blocks->starts[middle] <= posting) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

uint32_t deft__image_tool(const deft__image *image, uint32_t term, uint32_t posting)
{
    const deft__term *t = &image->terms[term];
    if (t->block == DEFT__NONE) {
        return image->tools[deft__place_of(image->postings[t->posting + posting])];
    }
    const deft__blocks blocks = deft__blocks_of(image, t);
    const uint32_t     block  = block_of_posting(image, &blocks, posting);
    uint64_t           mask   = blocks.masks[block];
    for (uint32_t before = posting - blocks.starts[block]; before > 0; before--) {
        mask &= mask - 1;
    }
    return image->tools[block * DEFT__BLOCK_SIZE + (uint32_t)__builtin_ctzll(mask)];
}

uint8_t deft__image_impact(const deft__image *image, uint32_t term, uint32_t tool)
{
    const deft__term *t     = &image->terms[term];
    const uint32_t    place = image->places[tool];
    if (t->block != DEFT__NONE) {
        const deft__blocks blocks = deft__blocks_of(image, t);
        const uint32_t     block  = place / DEFT__BLOCK_SIZE;
        const uint64_t     bit    = UINT64_C(1) << place % DEFT__BLOCK_SIZE;
        return (blocks.masks[block] & bit) != 0
                   ? blocks.impacts[blocks.starts[block] +
                                    deft__count_bits(blocks.masks[block] & (bit - 1))]
                   : 0;
    }
    const uint32_t *postings = image->postings + t->posting;
    const size_t    at       = deft__find_least(postings, t->count, place << DEFT__IMPACT_BITS);
    return at < t->count && deft__place_of(postings[at]) == place
               ? (uint8_t)deft__impact_of(postings[at])
               : 0;
}

bool deft__image_has(const deft__image *image, uint32_t term, uint32_t tool)
{
    return deft__image_impact(image, term, tool) > 0;
}

uint32_t deft__letters_of(deft_view word)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < word.size; i++) {
        const unsigned char byte = (unsigned char)word.data[i];
        if (byte >= 'a' && byte <= 'z') {
            letters |= 1u << (byte - 'a');
        } else if (byte >= '0' && byte <= '9') {
            letters |= 1u << 26;
        } else {
            letters |= 1u << (27 + byte % 5);
        }
    }
    return letters;
}

uint16_t deft__idf(uint32_t count, uint32_t frequency)
{
    // log2 of a ratio in [1, 2^33): whole bits by shifting, then eight bits of fraction, each by
    // squaring the mantissa and looking whether it passes 2.
    const uint64_t numerator   = (2 * (uint64_t)count + 2) << 24;
    const uint64_t denominator = 2 * (uint64_t)frequency + 1;
    uint64_t       ratio       = numerator / denominator; // 24 bits of fraction
    const uint64_t one         = UINT64_C(1) << 24;
    uint32_t       result      = 0;

    if (ratio < one) {
        return 0;
    }
    while (ratio >= 2 * one) {
        ratio >>= 1;
        result += 256;
    }
    for (uint32_t bit = 128; bit > 0; bit >>= 1) {
        ratio = ratio * ratio >> 24;
        if (ratio >= 2 * one) {
            ratio >>= 1;
            result += bit;
        }
    }
    return (uint16_t)result;
}

uint64_t deft__image_checksum(deft_view bytes)
{
    deft__image_header header;
    memcpy(&header, bytes.data, sizeof header);
    header.checksum = 0;
    const uint64_t seed =
        deft__hash(deft_view_make((const char *)&header, sizeof header), DEFT__IMAGE_MAGIC);
    return deft__hash(deft_view_slice(bytes, sizeof header, bytes.size), seed);
}

// The bytes of a section; NULL when it does not lie inside the image or is not whole items.
static const void *section(deft_view bytes, const deft__image_header *header, deft__section_id id,
                           size_t item_size, uint64_t *count)
{
    const deft__section *s = &header->sections[id];
    if (s->offset % 8 != 0 || s->offset > bytes.size || s->size > bytes.size - s->offset ||
        s->size % item_size != 0 || s->size / item_size > UINT32_MAX - 1) {
        return NULL;
    }
    *count = s->size / item_size;
    return bytes.data + s->offset;
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

// Every slot points to an item or nowhere, and some slot is free, so that looking ends.
static bool is_hash_sound(const uint32_t *slots, uint64_t slot_count, uint64_t item_count)
{
    uint64_t free_count = 0;
    for (uint64_t i = 0; i < slot_count; i++) {
        if (slots[i] == DEFT__NONE) {
            free_count++;
        } else if (slots[i] >= item_count) {
            return false;
        }
    }
    return is_power_of_two(slot_count) && free_count > 0;
}

static bool is_text_sound(uint32_t offset, uint32_t size, uint64_t texts_size)
{
    return offset <= texts_size && size <= texts_size - offset;
}

// Every impact of a term with blocks has a bit, and none is larger than its block's largest.
static bool are_blocks_sound(const deft__image *image, const deft__term *term, uint64_t dense_count,
                             uint64_t impacts)
{
    if (term->block >= dense_count || term->posting > impacts || impacts < DEFT__BLOCK_SIZE ||
        term->count + (uint64_t)DEFT__BLOCK_SIZE > impacts - term->posting) {
        return false;
    }
    const deft__blocks blocks = deft__blocks_of(image, term);
    const uint32_t     last   = image->tool_count % DEFT__BLOCK_SIZE; // places in the last block
    uint32_t           next   = 0;                                    // impact
    for (uint32_t b = 0; b < image->block_count; b++) {
        const uint32_t end = next + deft__count_bits(blocks.masks[b]);
        if (blocks.starts[b] != next || blocks.starts[b + 1] != end || end > term->count ||
            (b + 1 == image->block_count && last > 0 && blocks.masks[b] >> last != 0)) {
            return false;
        }
        for (; next < end; next++) {
            if (blocks.impacts[next] == 0 || blocks.impacts[next] > blocks.maxima[b]) {
                return false;
            }
        }
    }
    return next == term->count;
}

// How many terms have blocks, if the tables agree on it; UINT64_MAX: they do not.
static uint64_t count_dense(const deft__image *image, const uint64_t counts[DEFT__SECTION_COUNT])
{
    const uint64_t blocks = counts[DEFT__SECTION_BLOCKS];
    const uint64_t count  = blocks / ((uint64_t)image->block_count + 1);
    return blocks == count * ((uint64_t)image->block_count + 1) &&
                   counts[DEFT__SECTION_BLOCK_STARTS] == blocks &&
                   counts[DEFT__SECTION_MASKS] == count * image->block_count
               ? count
               : UINT64_MAX;
}

static bool are_postings_sound(const deft__image *image, const deft__term *term, uint64_t postings)
{
    if (term->posting > postings || term->count > postings - term->posting) {
        return false;
    }
    uint32_t next = 0; // the first place that may come
    for (uint32_t p = 0; p < term->count; p++) {
        const uint32_t place = deft__place_of(image->postings[term->posting + p]);
        if (place >= image->tool_count || place < next) {
            return false;
        }
        next = place + 1;
    }
    return true;
}

static bool is_term_sound(const deft__image *image, const deft__term *term,
                          const uint64_t counts[DEFT__SECTION_COUNT], uint64_t dense_count)
{
    // Scores stay within their bits only as long as rarities are what they should be.
    if (!is_text_sound(term->text, term->text_size, counts[DEFT__SECTION_TEXTS]) ||
        term->idf != deft__idf(image->tool_count, term->count)) {
        return false;
    }
    return term->block == DEFT__NONE
               ? are_postings_sound(image, term, counts[DEFT__SECTION_POSTINGS])
               : are_blocks_sound(image, term, dense_count, counts[DEFT__SECTION_IMPACTS]);
}

// Every tool has a place, and that place has this tool.
static bool are_places_sound(const deft__image *image, uint64_t places, uint64_t tools)
{
    if (image->tool_count > DEFT__PLACES_MAX || places != image->tool_count ||
        tools != image->tool_count) {
        return false;
    }
    for (uint32_t i = 0; i < image->tool_count; i++) {
        if (image->places[i] >= image->tool_count || image->tools[image->places[i]] != i) {
            return false;
        }
    }
    return true;
}

// A field has at least a word wherever it is, and no more than may be indexed. Sums of such numbers
// cannot wrap.
static bool are_fields_sound(const deft__image_header *header)
{
    for (int f = 0; f < DEFT__FIELD_COUNT; f++) {
        const deft__field_total *total = &header->fields[f];
        if (total->tools > header->tool_count || total->words < total->tools ||
            total->words > total->tools * deft__field_words_max((deft_field)f)) {
            return false;
        }
    }
    return true;
}

static bool are_names_sound(const deft__image *image, uint64_t starts, uint64_t name_terms)
{
    if (starts != (uint64_t)image->tool_count + 1) {
        return false;
    }
    for (uint32_t i = 0; i < image->tool_count; i++) {
        if (image->name_starts[i] > image->name_starts[i + 1]) {
            return false;
        }
    }
    for (uint64_t i = 0; i < name_terms; i++) {
        if (image->name_terms[i] >= image->stem_count) {
            return false;
        }
    }
    return image->name_starts[image->tool_count] <= name_terms;
}

// Either there are no vectors, or every tool has one and every stem a row. `counts` are those of the
// four tables, one after another.
static bool are_vectors_sound(const deft__image *image, const uint64_t counts[4])
{
    const uint64_t dimensions = image->dimensions;
    const uint64_t tools      = dimensions > 0 ? image->tool_count : 0;
    return image->vectors != NULL && image->lengths != NULL && image->signs != NULL &&
           image->rows != NULL && dimensions <= DEFT__DIMENSIONS_MAX && dimensions % 64 == 0 &&
           counts[0] == tools * dimensions && counts[1] == tools &&
           counts[2] == tools * dimensions / 64 &&
           counts[3] == (dimensions > 0 ? image->stem_count : 0);
}

deft_status deft__image_open(deft__image *image, deft_view bytes, deft_error *error)
{
    const deft__image_header *header = (const void *)bytes.data;
    if (bytes.size < sizeof *header || (uintptr_t)bytes.data % DEFT__IMAGE_ALIGNMENT != 0 ||
        header->magic != DEFT__IMAGE_MAGIC) {
        return deft__fail(error, DEFT_INVALID, 0, "this is not an index of deft's");
    }
    if (header->version != DEFT__IMAGE_VERSION) {
        return deft__fail(error, DEFT_INVALID, offsetof(deft__image_header, version),
                          "the index has version %u and this deft reads %u; build it again",
                          header->version, DEFT__IMAGE_VERSION);
    }
    if (header->size != bytes.size || header->language[DEFT_LANGUAGE_SIZE_MAX] != '\0' ||
        deft__image_checksum(bytes) != header->checksum) {
        return deft__fail(error, DEFT_INVALID, offsetof(deft__image_header, checksum),
                          "the index is damaged; build it again");
    }

    uint64_t    counts[DEFT__SECTION_COUNT] = {0};
    deft__image opened                      = {
                             .header     = header,
                             .tool_count = header->tool_count,
                             .block_count =
                                 (uint32_t)(((uint64_t)header->tool_count + DEFT__BLOCK_SIZE - 1) / DEFT__BLOCK_SIZE),
                             .stem_count   = header->stem_count,
                             .texts        = section(bytes, header, DEFT__SECTION_TEXTS, 1, &counts[0]),
                             .terms        = section(bytes, header, DEFT__SECTION_TERMS, sizeof(deft__term), &counts[1]),
                             .words        = section(bytes, header, DEFT__SECTION_WORDS, sizeof(deft__word), &counts[2]),
                             .letters      = section(bytes, header, DEFT__SECTION_LETTERS, 4, &counts[3]),
                             .term_hash    = section(bytes, header, DEFT__SECTION_TERM_HASH, 4, &counts[4]),
                             .word_hash    = section(bytes, header, DEFT__SECTION_WORD_HASH, 4, &counts[5]),
                             .places       = section(bytes, header, DEFT__SECTION_PLACES, 4, &counts[6]),
                             .tools        = section(bytes, header, DEFT__SECTION_TOOLS, 4, &counts[7]),
                             .postings     = section(bytes, header, DEFT__SECTION_POSTINGS, 4, &counts[8]),
                             .name_starts  = section(bytes, header, DEFT__SECTION_NAME_STARTS, 4, &counts[9]),
                             .name_terms   = section(bytes, header, DEFT__SECTION_NAME_TERMS, 4, &counts[10]),
                             .blocks       = section(bytes, header, DEFT__SECTION_BLOCKS, 1, &counts[11]),
                             .block_starts = section(bytes, header, DEFT__SECTION_BLOCK_STARTS, 4, &counts[12]),
                             .vectors      = section(bytes, header, DEFT__SECTION_VECTORS, 1, &counts[13]),
                             .lengths      = section(bytes, header, DEFT__SECTION_LENGTHS, 2, &counts[14]),
                             .signs        = section(bytes, header, DEFT__SECTION_SIGNS, 8, &counts[15]),
                             .rows         = section(bytes, header, DEFT__SECTION_ROWS, 4, &counts[16]),
                             .masks        = section(bytes, header, DEFT__SECTION_MASKS, 8, &counts[17]),
                             .impacts      = section(bytes, header, DEFT__SECTION_IMPACTS, 1, &counts[18]),
                             .name_weights = section(bytes, header, DEFT__SECTION_NAME_WEIGHTS, 4, &counts[19]),
                             .dimensions   = header->dimensions,
    };
    const deft_status damaged = DEFT_INVALID;
    if (opened.texts == NULL || opened.terms == NULL || opened.words == NULL ||
        opened.letters == NULL || opened.term_hash == NULL || opened.word_hash == NULL ||
        opened.places == NULL || opened.tools == NULL || opened.postings == NULL ||
        opened.name_starts == NULL || opened.name_terms == NULL || opened.blocks == NULL ||
        opened.block_starts == NULL || opened.masks == NULL || opened.impacts == NULL ||
        opened.name_weights == NULL || counts[DEFT__SECTION_NAME_WEIGHTS] != opened.tool_count ||
        !are_vectors_sound(&opened, &counts[DEFT__SECTION_VECTORS]) || !are_fields_sound(header) ||
        opened.stem_count > counts[DEFT__SECTION_TERMS] ||
        counts[DEFT__SECTION_LETTERS] != counts[DEFT__SECTION_WORDS] ||
        !is_hash_sound(opened.term_hash, counts[DEFT__SECTION_TERM_HASH], opened.stem_count) ||
        !is_hash_sound(opened.word_hash, counts[DEFT__SECTION_WORD_HASH],
                       counts[DEFT__SECTION_WORDS]) ||
        !are_places_sound(&opened, counts[DEFT__SECTION_PLACES], counts[DEFT__SECTION_TOOLS]) ||
        !are_names_sound(&opened, counts[DEFT__SECTION_NAME_STARTS],
                         counts[DEFT__SECTION_NAME_TERMS])) {
        return deft__fail(error, damaged, 0, "the index is damaged; build it again");
    }
    const uint64_t dense_count = count_dense(&opened, counts);
    if (dense_count == UINT64_MAX) {
        return deft__fail(error, damaged, 0, "the index is damaged; build it again");
    }
    opened.term_count     = (uint32_t)counts[DEFT__SECTION_TERMS];
    opened.word_count     = (uint32_t)counts[DEFT__SECTION_WORDS];
    opened.term_hash_size = (uint32_t)counts[DEFT__SECTION_TERM_HASH];
    opened.word_hash_size = (uint32_t)counts[DEFT__SECTION_WORD_HASH];

    const uint64_t texts_size = counts[DEFT__SECTION_TEXTS];
    for (uint32_t i = 0; i < opened.term_count; i++) {
        if (!is_term_sound(&opened, &opened.terms[i], counts, dense_count)) {
            return deft__fail(error, damaged, 0, "the index is damaged in term %u", i);
        }
    }
    for (uint32_t i = 0; i < opened.word_count; i++) {
        const deft__word *word = &opened.words[i];
        if (!is_text_sound(word->text, word->text_size, texts_size) ||
            word->stem >= opened.stem_count || word->form >= opened.term_count ||
            word->weight > DEFT__WORD_WEIGHT_FULL) {
            return deft__fail(error, damaged, 0, "the index is damaged in word %u", i);
        }
    }
    *image = opened;
    return DEFT_OK;
}
