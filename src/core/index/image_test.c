// The image of an index: what is in it, and that a damaged one does no harm. Proves parts of C9
// and C11.
#include "core/index/image.h"

#include "core/index/build.h"
#include "deft/buffer.h"
#include "support/allocator.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static const char two_servers[] =
    "{\"server\":\"forge\",\"instructions\":\"Hosts repositories.\",\"tools\":["
    "{\"name\":\"create_issue\",\"description\":\"Opens a new issue in a repository.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\","
    "\"description\":\"Headline\"},\"labels\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
    "\"enum\":[\"defect\",\"wish\"]}}}}},"
    "{\"name\":\"listIssues\",\"title\":\"All issues\",\"description\":\"Lists issues.\","
    "\"inputSchema\":{\"type\":\"object\",\"anyOf\":[{\"properties\":{\"milestone\":"
    "{\"type\":\"string\"}}}]}}]}";

static deft_catalog *read_catalog(const deft_allocator *allocator, const char *text)
{
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, allocator, NULL);
    if (builder == NULL) {
        return NULL;
    }
    const deft_source source  = {.label = deft_view_of("test")};
    deft_catalog     *catalog = NULL;
    if (deft_catalog_builder_add(builder, &source, deft_view_of(text), NULL) == DEFT_OK) {
        catalog = deft_catalog_builder_finish(builder, NULL);
    }
    deft_catalog_builder_free(builder);
    return catalog;
}

static bool build(const deft_allocator *allocator, const char *text, deft_buffer *out)
{
    deft_buffer_init(out, allocator);
    deft_catalog  *catalog  = read_catalog(NULL, text);
    deft_analyzer *analyzer = deft_analyzer_new(deft_view_of(""), NULL, NULL);
    assert_non_null(catalog);
    const deft_status status = deft__index_build(catalog, analyzer, NULL, 42, out, NULL);
    deft_analyzer_free(analyzer);
    deft_catalog_release(catalog);
    return status == DEFT_OK;
}

static uint32_t frequency(const deft__image *image, const char *stem)
{
    const uint32_t term = deft__image_find_stem(image, deft_view_of(stem));
    return term == DEFT__NONE ? 0 : image->terms[term].count;
}

static void every_field_can_be_found(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *stem;
        uint32_t    tools;
    } cases[] = {
        {"a name's part", "creat", 1},
        {"a part of a camel-case name", "list", 1},
        {"a name as a whole", "listissu", 1},
        {"plural and singular share a stem", "issu", 2},
        {"a title", "all", 1},
        {"a description", "open", 1},
        {"the server's name", "forg", 2},
        {"the server's instructions", "host", 2},
        {"a parameter's name", "titl", 1},
        {"a parameter's description", "headlin", 1},
        {"an enum value inside items", "defect", 1},
        {"a parameter of an alternative", "mileston", 1},
        {"a word that no tool has", "weather", 0},
    };
    deft_buffer bytes;
    assert_true(build(NULL, two_servers, &bytes));
    deft__image image;
    deft_error  error = DEFT_ERROR_INIT;
    assert_ok(deft__image_open(&image, deft_buffer_view(&bytes), &error), error);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        assert_int_equal(frequency(&image, cases[i].stem), cases[i].tools);
    }

    // "issue" and "issues" are forms of one stem; "create" has no other form.
    const uint32_t issue  = deft__image_find_word(&image, deft_view_of("issue"));
    const uint32_t issues = deft__image_find_word(&image, deft_view_of("issues"));
    const uint32_t create = deft__image_find_word(&image, deft_view_of("create"));
    assert_true(issue != DEFT__NONE && issues != DEFT__NONE && create != DEFT__NONE);
    assert_int_equal(image.words[issue].stem, image.words[issues].stem);
    assert_true(image.words[issue].form != image.words[issues].form);
    assert_int_equal(image.words[create].form, image.words[create].stem);
    deft_buffer_clear(&bytes);
}

static void a_name_says_more_than_a_description(void **state)
{
    (void)state;
    deft_buffer bytes;
    assert_true(build(NULL,
                      "[{\"name\":\"weather\",\"description\":\"x\",\"inputSchema\":{}},"
                      "{\"name\":\"x\",\"description\":\"weather\",\"inputSchema\":{}},"
                      "{\"name\":\"y\",\"description\":\"weather weather weather weather weather "
                      "weather and so on for a long while without an end\",\"inputSchema\":{}}]",
                      &bytes));
    deft__image image;
    assert_int_equal(deft__image_open(&image, deft_buffer_view(&bytes), NULL), DEFT_OK);
    const deft__term *term = &image.terms[deft__image_find_stem(&image, deft_view_of("weather"))];
    assert_int_equal(term->count, 3);
    uint32_t impacts[3] = {0}; // by tool
    for (uint32_t i = 0; i < term->count; i++) {
        const uint32_t posting                        = image.postings[term->posting + i];
        impacts[image.tools[deft__place_of(posting)]] = deft__impact_of(posting);
    }
    assert_true(impacts[0] > impacts[1]);
    assert_true(impacts[0] > impacts[2]);
    deft_buffer_clear(&bytes);
}

static void tools_with_like_names_are_neighbours(void **state)
{
    (void)state;
    deft_buffer bytes;
    assert_true(build(NULL,
                      "[{\"name\":\"create_issue\",\"inputSchema\":{}},"
                      "{\"name\":\"weather\",\"inputSchema\":{}},"
                      "{\"name\":\"create_branch\",\"inputSchema\":{}},"
                      "{\"name\":\"forecast\",\"inputSchema\":{}},"
                      "{\"name\":\"createIssue2\",\"inputSchema\":{}}]",
                      &bytes));
    deft__image image;
    assert_int_equal(deft__image_open(&image, deft_buffer_view(&bytes), NULL), DEFT_OK);
    static const uint32_t places[] = {0, 3, 2, 4, 1}; // common names first, then catalog order
    for (uint32_t tool = 0; tool < array_size(places); tool++) {
        assert_int_equal(image.places[tool], places[tool]);
        assert_int_equal(image.tools[places[tool]], tool);
    }
    const uint32_t create = deft__image_find_stem(&image, deft_view_of("creat"));
    assert_true(deft__image_has(&image, create, 0));
    assert_true(deft__image_has(&image, create, 2));
    assert_true(deft__image_has(&image, create, 4));
    assert_false(deft__image_has(&image, create, 1));
    assert_false(deft__image_has(&image, create, 3));
    deft_buffer_clear(&bytes);
}

static void the_least_that_is_large_enough_is_found(void **state)
{
    (void)state;
    const uint32_t numbers[] = {2, 3, 5, 8, 13, 21, 34};
    for (size_t count = 0; count <= array_size(numbers); count++) {
        for (uint32_t least = 0; least < 40; least++) {
            size_t expected = 0;
            while (expected < count && numbers[expected] < least) {
                expected++;
            }
            assert_int_equal(deft__find_least(numbers, count, least), expected);
        }
    }
}

static void rarity_is_a_logarithm(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 2, 10, 157, 10000, 1000000};
    for (size_t i = 0; i < array_size(counts); i++) {
        for (uint32_t df = 0; df <= counts[i]; df += 1 + counts[i] / 7) {
            const double exact = 256 * log2((2.0 * counts[i] + 2) / (2.0 * df + 1));
            assert_true(fabs(deft__idf(counts[i], df) - exact) < 1.5);
        }
    }
}

static void no_tools_make_an_empty_image(void **state)
{
    (void)state;
    deft_buffer bytes;
    assert_true(build(NULL, "[]", &bytes));
    deft__image image;
    deft_error  error = DEFT_ERROR_INIT;
    assert_ok(deft__image_open(&image, deft_buffer_view(&bytes), &error), error);
    assert_int_equal(image.tool_count, 0);
    assert_int_equal(deft__image_find_word(&image, deft_view_of("x")), DEFT__NONE);
    deft_buffer_clear(&bytes);
}

// Opens damaged bytes; a forged checksum lets the damage through to the checks behind it.
static void open_damaged(char *bytes, size_t size, bool is_forged)
{
    deft__image_header *header = (void *)bytes;
    if (is_forged && size > sizeof *header) {
        header->size     = size;
        header->checksum = deft__image_checksum(deft_view_make(bytes, size));
    }
    deft__image image;
    deft_error  error = DEFT_ERROR_INIT;
    if (deft__image_open(&image, deft_view_make(bytes, size), &error) != DEFT_OK) {
        assert_int_equal(error.status, DEFT_INVALID);
        assert_true(error.message[0] != '\0');
    }
}

static void damage_is_found_or_harmless(void **state)
{
    (void)state;
    deft_buffer bytes;
    assert_true(build(NULL, two_servers, &bytes));
    char *copy = malloc(bytes.size);
    assert_non_null(copy);
    for (size_t i = 0; i < bytes.size; i++) {
        static const unsigned char masks[] = {0x01, 0x80, 0xFF};
        for (size_t m = 0; m < array_size(masks); m++) {
            memcpy(copy, bytes.data, bytes.size);
            copy[i] = (char)((unsigned char)copy[i] ^ masks[m]);
            open_damaged(copy, bytes.size, true);
        }
        memcpy(copy, bytes.data, bytes.size);
        copy[i] = (char)~copy[i];
        open_damaged(copy, bytes.size, false);
    }
    for (size_t size = 0; size < bytes.size; size += 3) {
        memcpy(copy, bytes.data, bytes.size);
        open_damaged(copy, size, true);
    }
    free(copy);
    deft_buffer_clear(&bytes);
}

// 150 tools, so that common terms have blocks.
static void write_many(deft_buffer *text)
{
    deft_buffer_init(text, NULL);
    deft_buffer_append_byte(text, '[');
    for (uint64_t i = 0; i < 150; i++) {
        deft_buffer_append_text(text, i > 0 ? ",{\"name\":\"tool_" : "{\"name\":\"tool_");
        deft_buffer_append_u64(text, i);
        deft_buffer_append_text(text, "\",\"description\":\"common ");
        deft_buffer_append_text(text, i % 3 == 0 ? "third common" : "other");
        deft_buffer_append_text(text, i == 70 ? " rare\"}" : "\"}");
    }
    deft_buffer_append_text(text, "]");
    deft_buffer_append_byte(text, '\0');
    assert_int_equal(text->status, DEFT_OK);
}

static void common_terms_have_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *stem;
        uint32_t    count;
        bool        has_blocks;
    } cases[] = {
        {"common", 150, true}, {"third", 50, true}, {"tool", 150, true}, {"rare", 1, false}};
    deft_buffer text;
    deft_buffer bytes;
    deft__image image;
    write_many(&text);
    assert_true(build(NULL, text.data, &bytes));
    assert_int_equal(deft__image_open(&image, deft_buffer_view(&bytes), NULL), DEFT_OK);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].stem);
        const uint32_t term      = deft__image_find_stem(&image, deft_view_of(cases[i].stem));
        uint32_t       has_count = 0;
        assert_true((image.terms[term].block != DEFT__NONE) == cases[i].has_blocks);
        assert_int_equal(image.terms[term].count, cases[i].count);
        for (uint32_t p = 0; p < cases[i].count; p++) {
            const uint32_t tool = deft__image_tool(&image, term, p);
            assert_true(deft__image_has(&image, term, tool));
            assert_true(p == 0 ||
                        image.places[tool] > image.places[deft__image_tool(&image, term, p - 1)]);
        }
        for (uint32_t tool = 0; tool < image.tool_count; tool++) {
            has_count += deft__image_has(&image, term, tool);
        }
        assert_int_equal(has_count, cases[i].count);
    }
    // Said twice it says more.
    const uint32_t common = deft__image_find_stem(&image, deft_view_of("common"));
    assert_true(deft__image_impact(&image, common, 3) > deft__image_impact(&image, common, 4));
    deft_buffer_clear(&bytes);
    deft_buffer_clear(&text);
}

static void damaged_blocks_are_found(void **state)
{
    (void)state;
    static const deft__section_id sections[] = {DEFT__SECTION_BLOCKS, DEFT__SECTION_BLOCK_STARTS,
                                                DEFT__SECTION_MASKS};
    deft_buffer                   text;
    deft_buffer                   bytes;
    write_many(&text);
    assert_true(build(NULL, text.data, &bytes));
    const deft__image_header *header = (void *)bytes.data;
    for (size_t s = 0; s < array_size(sections); s++) {
        const deft__section section = header->sections[sections[s]];
        for (size_t i = 0; i < section.size; i++) {
            char *byte = bytes.data + section.offset + i;
            *byte      = (char)(*byte ^ 0x40);
            open_damaged(bytes.data, bytes.size, true);
            *byte = (char)(*byte ^ 0x40);
        }
    }
    // No impact is nothing, and none is larger than its block's largest.
    const deft__section impacts  = header->sections[DEFT__SECTION_IMPACTS];
    static const char   forged[] = {0, (char)255};
    for (size_t i = 0; i < array_size(forged); i++) {
        deft__image image;
        const char  kept           = bytes.data[impacts.offset];
        bytes.data[impacts.offset] = forged[i];
        open_damaged(bytes.data, bytes.size, true);
        assert_int_equal(deft__image_open(&image, deft_buffer_view(&bytes), NULL), DEFT_INVALID);
        bytes.data[impacts.offset] = kept;
    }
    deft_buffer_clear(&bytes);
    deft_buffer_clear(&text);
}

static void another_version_asks_to_build_again(void **state)
{
    (void)state;
    deft_buffer bytes;
    assert_true(build(NULL, two_servers, &bytes));
    ((deft__image_header *)(void *)bytes.data)->version = 99;
    deft__image image;
    deft_error  error = DEFT_ERROR_INIT;
    assert_int_equal(deft__image_open(&image, deft_buffer_view(&bytes), &error), DEFT_INVALID);
    assert_non_null(strstr(error.message, "build it again"));
    deft_buffer_clear(&bytes);
}

static void the_same_catalog_gives_the_same_bytes(void **state)
{
    (void)state;
    deft_buffer a;
    deft_buffer b;
    assert_true(build(NULL, two_servers, &a));
    assert_true(build(NULL, two_servers, &b));
    assert_true(deft_view_equal(deft_buffer_view(&a), deft_buffer_view(&b)));
    deft_buffer_clear(&a);
    deft_buffer_clear(&b);
}

static bool attempt(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_buffer bytes;
    const bool  is_ok = build(allocator, two_servers, &bytes);
    deft_buffer_clear(&bytes);
    return is_ok;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(attempt, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_can_be_found),
        cmocka_unit_test(a_name_says_more_than_a_description),
        cmocka_unit_test(tools_with_like_names_are_neighbours),
        cmocka_unit_test(the_least_that_is_large_enough_is_found),
        cmocka_unit_test(rarity_is_a_logarithm),
        cmocka_unit_test(no_tools_make_an_empty_image),
        cmocka_unit_test(common_terms_have_blocks),
        cmocka_unit_test(damaged_blocks_are_found),
        cmocka_unit_test(damage_is_found_or_harmless),
        cmocka_unit_test(another_version_asks_to_build_again),
        cmocka_unit_test(the_same_catalog_gives_the_same_bytes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
