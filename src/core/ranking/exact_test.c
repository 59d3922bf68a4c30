// A tool that is named comes first, whatever the words score. Proves parts of C9 and C10, and the
// complaints that peers' users have: pasted names, several names at once, whole names in words.
#include "deft/index.h"

#include "support/test.h"

static const char two_forges[] =
    "{\"server\":\"forge\",\"tools\":["
    "{\"name\":\"create_issue\",\"description\":\"Opens one.\"},"
    "{\"name\":\"create_issue_comment\",\"description\":\"create issue create issue\"},"
    "{\"name\":\"search\",\"description\":\"Looks through everything.\"}]}\n"
    "{\"server\":\"git-lab\",\"tools\":["
    "{\"name\":\"create_issue\",\"description\":\"Makes one.\"},"
    "{\"name\":\"sendMail\",\"description\":\"Writes to people.\"},"
    "{\"name\":\"search_code\",\"description\":\"Search code with a search query.\"}]}";

static const struct {
    const char *name;
    const char *query;
    const char *first;
    const char *second; // NULL: anything
} cases[] = {
    {"a bare name finds every server's", "create_issue", "forge::create_issue",
     "git-lab::create_issue"},
    {"a name in words", "create issue", "forge::create_issue", "git-lab::create_issue"},
    {"a name in another spelling", "createIssue", "forge::create_issue", "git-lab::create_issue"},
    {"an id", "git-lab::create_issue", "git-lab::create_issue", NULL},
    {"a wire name", "git-lab__create_issue", "git-lab::create_issue", NULL},
    {"a name as some hosts write it", "mcp__git-lab__create_issue", "git-lab::create_issue", NULL},
    {"several names", "sendMail create_issue_comment", "git-lab::sendMail",
     "forge::create_issue_comment"},
    {"several names in a list", "`send_mail`, 'create_issue_comment'", "git-lab::sendMail",
     "forge::create_issue_comment"},
    {"a name inside a sentence", "use create_issue_comment for it", "forge::create_issue_comment",
     NULL},
    {"a common word is no name inside others", "search code", "git-lab::search_code", NULL},
    {"a server narrows", "create_issue server:git-lab", "git-lab::create_issue", NULL},
    {"several needs each get their best", "\"write to people\", \"search code\"",
     "git-lab::sendMail", "git-lab::search_code"},
    {"an excluded word narrows", "create issue -comment -forge", "git-lab::create_issue", NULL},
    {"a required word narrows", "issue +comment", "forge::create_issue_comment", NULL},
};

static void named_tools_come_first(void **state)
{
    (void)state;
    deft_error            error   = DEFT_ERROR_INIT;
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, &error);
    const char           *line    = two_forges;
    while (line != NULL) {
        const char       *end    = strchr(line, '\n');
        const size_t      size   = end != NULL ? (size_t)(end - line) : strlen(line);
        const deft_source source = {.label = deft_view_of("test")};
        assert_ok(deft_catalog_builder_add(builder, &source, deft_view_make(line, size), &error),
                  error);
        line = end != NULL ? end + 1 : NULL;
    }
    deft_catalog  *catalog  = deft_catalog_builder_finish(builder, &error);
    deft_index    *index    = deft_index_new(catalog, NULL, &error);
    deft_searcher *searcher = deft_searcher_new(index, NULL, &error);
    assert_non_null(searcher);

    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const deft_query query = {
            .text = deft_view_of(cases[i].query), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
        size_t count = 0;
        assert_ok(deft_searcher_run(searcher, &query, &error), error);
        const deft_hit *hits = deft_searcher_hits(searcher, &count);
        assert_true(count >= 1);
        assert_view_equal(deft_catalog_tool(catalog, hits[0].tool)->id, cases[i].first);
        if (cases[i].second != NULL) {
            assert_true(count >= 2);
            assert_view_equal(deft_catalog_tool(catalog, hits[1].tool)->id, cases[i].second);
        }
        for (size_t k = 1; k < count; k++) {
            assert_true(hits[k].score <= hits[k - 1].score);
        }
    }
    deft_searcher_free(searcher);
    deft_index_free(index);
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_tools_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
