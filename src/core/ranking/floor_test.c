// What asks for nothing finds nothing; what asks for something is not lost. Proves a part of C9.
#include "deft/index.h"

#include "support/test.h"

static const char tools[] =
    "[{\"name\":\"create_issue\",\"description\":\"Opens a ticket in a project of the tracker.\"},"
    "{\"name\":\"get_forecast\",\"description\":\"Weather of the next days, with sunrise and "
    "moon.\"},"
    "{\"name\":\"send_message\",\"description\":\"Posts a message to a channel, loud or quiet.\"},"
    "{\"name\":\"resize_picture\",\"description\":\"Makes a picture of a cat or a dog smaller.\"},"
    "{\"name\":\"query_table\",\"description\":\"Runs SQL over the rows of a table.\"}]";

static const struct {
    const char *query;
    bool        is_found;
} cases[] = {
    {"forecast", true},
    {"weather tomorrow", true},
    {"forceast", true},
    {"make the picture smaller", true},
    {"post something to the channel", true},
    {"I would like to file a bug for the web team", true},
    {"grandmother bakes the very best plum cake", false},
    {"why are you so quiet tonight my darling", false},
    {"asdf jkl qwertz uiop", false},
    {"bananas are yellow and so is my raincoat", false},
};

static void what_asks_for_nothing_finds_nothing(void **state)
{
    (void)state;
    deft_error            error   = DEFT_ERROR_INIT;
    const deft_source     source  = {.label = deft_view_of("test")};
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, &error);
    assert_ok(deft_catalog_builder_add(builder, &source, deft_view_of(tools), &error), error);
    deft_catalog  *catalog  = deft_catalog_builder_finish(builder, &error);
    deft_index    *index    = deft_index_new(catalog, NULL, &error);
    deft_searcher *searcher = deft_searcher_new(index, NULL, &error);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].query);
        const deft_query query = {
            .text = deft_view_of(cases[i].query), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
        size_t count = 0;
        assert_ok(deft_searcher_run(searcher, &query, &error), error);
        (void)deft_searcher_hits(searcher, &count);
        assert_int_equal(count > 0, cases[i].is_found);
    }
    deft_searcher_free(searcher);
    deft_index_free(index);
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(what_asks_for_nothing_finds_nothing),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
