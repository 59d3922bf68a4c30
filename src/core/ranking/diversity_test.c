// One server cannot fill an answer where others are as good. Proves a part of C9.
#include "core/ranking/searcher.h"

#include "support/test.h"

// Tools 0 to 4 are one server's, 5 to 9 another's.
static deft_catalog *two_servers(void)
{
    static const char *const sources[] = {
        "{\"server\":\"a\",\"tools\":[{\"name\":\"0\"},{\"name\":\"1\"},{\"name\":\"2\"},"
        "{\"name\":\"3\"},{\"name\":\"4\"}]}",
        "{\"server\":\"b\",\"tools\":[{\"name\":\"5\"},{\"name\":\"6\"},{\"name\":\"7\"},"
        "{\"name\":\"8\"},{\"name\":\"9\"}]}",
    };
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    for (size_t i = 0; i < array_size(sources); i++) {
        const deft_source source = {.label = deft_view_of("test")};
        assert_int_equal(deft_catalog_builder_add(builder, &source, deft_view_of(sources[i]), NULL),
                         DEFT_OK);
    }
    deft_catalog *catalog = deft_catalog_builder_finish(builder, NULL);
    deft_catalog_builder_free(builder);
    assert_int_equal(deft_catalog_tool_count(catalog), 10);
    return catalog;
}

static void shares(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *tools;
        uint64_t    scores[6];
        const char *order;
    } cases[] = {
        {"three places, then a near one of another", "012345", {100, 99, 98, 97, 96, 95}, "012534"},
        {"nothing near: the order stays", "012345", {100, 99, 98, 97, 96, 50}, "012345"},
        {"no one else: the order stays", "01234", {100, 99, 98, 97, 96}, "01234"},
        {"already mixed: the order stays", "051627", {100, 99, 98, 97, 96, 95}, "051627"},
        {"nothing to spread", "", {0}, ""},
    };
    deft_catalog *catalog = two_servers();
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__candidate candidates[6] = {{0}};
        char            order[7]      = "";
        const size_t    count         = strlen(cases[i].tools);
        for (size_t k = 0; k < count; k++) {
            candidates[k] = (deft__candidate){.tool  = (uint32_t)(cases[i].tools[k] - '0'),
                                              .final = cases[i].scores[k]};
        }
        // As many places as are wanted are as they would be if all were.
        for (size_t places = 0; places <= count; places++) {
            deft__candidate spread[6];
            memcpy(spread, candidates, sizeof spread);
            deft__spread_servers(catalog, spread, count, places);
            for (size_t k = 0; k < count; k++) {
                order[k] = (char)('0' + spread[k].tool);
            }
            assert_memory_equal(order, cases[i].order, places);
        }
        assert_string_equal(order, cases[i].order);
    }
    deft_catalog_release(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
