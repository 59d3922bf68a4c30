// Ranking `keyword` against PizzaPi's document. Proves C6.
#include "support/searching.h"
#include "support/test.h"

#include <ctype.h>

static const struct {
    const char *name;
    const char *query;
    const char *ids;
} cases[] = {
    // 5 + 3 for each word; 5 + 3 for "issue"; 5 for "create"; 3 for "issue"
    {"both words in name and description", "create issue",
     "github::create_issue github::list_issues github::create_pull_request slack::search"},
    {"the exact name is highest", "search", "slack::search github::search_code"},
    {"case does not matter", "SEARCH", "slack::search github::search_code"},
    {"a parameter's name counts a little", "channel", "slack::list_channels slack::send_message"},
    {"only a parameter's name", "base", "github::create_pull_request"},
    {"a part of a word is found", "repositor", "github::create_issue github::list_issues"},
    {"one letter counts only as the whole query", "a",
     "github::create_issue github::create_pull_request github::search_code slack::send_message "
     "slack::list_channels slack::search github::list_issues github::mergePullRequest"},
    {"separators cut", "pull/request", "github::create_pull_request github::mergePullRequest"},
    {"nothing", "", ""},
    {"only separators", " _-:.,;/\\| ", ""},
    {"nothing found", "zebra", ""},
    {"server: means nothing here", "server:slack", ""},
    {"select: takes exact tools in their order", "select:slack::search,create_issue",
     "slack::search github::create_issue"},
};

static void the_document(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_searching_expect(&searching, DEFT_RANKING_KEYWORD, cases[i].query, cases[i].ids);
    }
    test_searching_clear(&searching);
}

// The document's list once more, as plainly as it can be written.
static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static int reference_score(const char *name, const char *description, const char *parameters,
                           const char *query)
{
    char words[512];
    int  score = 0;
    strcpy(words, query);
    for (char *word = strtok(words, " \t\n_-:.,;/\\|"); word != NULL;
         word       = strtok(NULL, " \t\n_-:.,;/\\|")) {
        if (strlen(word) > 1) {
            score += strcmp(name, word) == 0 ? 10 : has(name, word) ? 5 : 0;
            score += has(description, word) ? 3 : 0;
            score += has(parameters, word) ? 1 : 0;
        }
    }
    return score + (has(name, query) ? 8 : 0) + (has(description, query) ? 4 : 0);
}

static void lower(char *out, deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        out[i] = (char)tolower((unsigned char)text.data[i]);
    }
    out[text.size] = '\0';
}

static int reference_of(const deft_tool *tool, const char *query)
{
    char name[256];
    char description[1024];
    char parameters[256];
    char folded[512];
    lower(name, tool->name);
    lower(description, tool->description);
    size_t size = 0;
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        lower(parameters + size, tool->parameters[i].name);
        size += tool->parameters[i].name.size;
        parameters[size++] = ' ';
    }
    parameters[size] = '\0';
    lower(folded, deft_view_of(query));
    return reference_score(name, description, parameters, folded);
}

static void scores_are_those_of_the_reference(void **state)
{
    (void)state;
    test_random random = {6};
    for (int round = 0; round < 20; round++) {
        test_searching searching;
        test_searching_init_random(&searching, &random, 60);
        for (int n = 0; n < 10; n++) {
            deft_buffer query;
            deft_error  error = DEFT_ERROR_INIT;
            deft_buffer_init(&query, NULL);
            test_append_words(&query, &random, 1 + test_random_below(&random, 4));
            const deft_query run = {.text     = deft_buffer_view(&query),
                                    .ranking  = DEFT_RANKING_KEYWORD,
                                    .hits_max = 1000};
            assert_ok(deft_searcher_run(searching.searcher, &run, &error), error);
            deft_buffer_append_byte(&query, '\0');

            size_t          count = 0;
            size_t          found = 0;
            const deft_hit *hits  = deft_searcher_hits(searching.searcher, &count);
            for (size_t i = 0; i < count; i++) {
                const deft_tool *tool = deft_catalog_tool(searching.scene.catalog, hits[i].tool);
                assert_int_equal((int)hits[i].score, reference_of(tool, query.data));
                assert_true(i == 0 || hits[i - 1].score > hits[i].score ||
                            hits[i - 1].tool.index < hits[i].tool.index);
            }
            for (uint32_t i = 0; i < deft_catalog_tool_count(searching.scene.catalog); i++) {
                found += reference_of(deft_catalog_tool(searching.scene.catalog, (deft_tool_id){i}),
                                      query.data) > 0;
            }
            assert_int_equal(found, count);
            deft_buffer_clear(&query);
        }
        test_searching_clear(&searching);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document),
        cmocka_unit_test(scores_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
