// Why a search found what it found. Proves a part of C9 and C10.
#include "core/ranking/explain.h"

#include "support/allocator.h"
#include "support/searching.h"
#include "support/test.h"
#include "json/reader.h"

#include <math.h>

static deft_explanation *explain_run(test_searching *searching, const deft_query *query,
                                     const char *tool)
{
    deft_error        error       = DEFT_ERROR_INIT;
    deft_tool_id      id          = {0};
    deft_explanation *explanation = NULL;
    if (tool != NULL) {
        id = test_scene_tool(&searching->scene, tool);
    }
    explanation =
        deft_explanation_new(searching->searcher, query, tool != NULL ? &id : NULL, NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(explanation);
    return explanation;
}

static deft_explanation *explain_text(test_searching *searching, const char *text, const char *tool)
{
    const deft_query query = {.text = deft_view_of(text), .hits_max = 5};
    return explain_run(searching, &query, tool);
}

// The text says this, and the JSON is there too.
static void assert_says(const deft_explanation *explanation, const char *text)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    assert_int_equal(deft_explanation_write(explanation, &out), DEFT_OK);
    assert_int_equal(deft_explanation_write_json(explanation, &out), DEFT_OK);
    deft_buffer_append_byte(&out, '\0');
    if (strstr(out.data, text) == NULL) {
        print_error("'%s' is not in:\n%s\n", text, out.data);
        fail();
    }
    deft_buffer_clear(&out);
}

static double sum_of(const deft_account *account)
{
    double sum = 0;
    for (size_t i = 0; i < account->share_count; i++) {
        assert_true(account->shares[i].score > 0);
        assert_true(i == 0 || account->shares[i - 1].score >= account->shares[i].score);
        sum += account->shares[i].score;
    }
    assert_true(fabs(sum - account->words) < 1e-9);
    return sum + account->coverage_lift + account->name_lift + account->tier;
}

static void assert_adds_up(const deft_account *account, double score)
{
    assert_true(fabs(account->score - score) <= score * 1e-6);
    const double sum = sum_of(account);
    if (fabs(sum - score) > score * 1e-5) {
        print_error("the parts are %f, the score is %f\n", sum, score);
        fail();
    }
}

static void the_parts_of_every_score_add_up_to_it(void **state)
{
    (void)state;
    test_random random = {7};
    for (size_t round = 0; round < 30; round++) {
        test_searching searching;
        test_searching_init_random(&searching, &random, 1 + test_random_below(&random, 40));
        for (size_t i = 0; i < 8; i++) {
            deft_buffer text;
            deft_buffer_init(&text, NULL);
            test_append_words(&text, &random, 1 + test_random_below(&random, 5));
            const deft_query query = {
                .text     = deft_buffer_view(&text),
                .ranking  = (deft_ranking)test_random_below(&random, 4),
                .hits_max = 6,
            };
            deft_explanation   *explanation = explain_run(&searching, &query, NULL);
            size_t              hit_count   = 0;
            size_t              count       = 0;
            const deft_hit     *hits        = deft_searcher_hits(searching.searcher, &hit_count);
            const deft_account *accounts    = deft_explanation_accounts(explanation, &count);
            assert_int_equal(count, hit_count);
            for (size_t k = 0; k < count; k++) {
                assert_int_equal(accounts[k].tool.index, hits[k].tool.index);
                assert_int_equal(accounts[k].place, k + 1);
                assert_int_equal(accounts[k].outcome, DEFT_OUTCOME_HIT);
                assert_adds_up(&accounts[k], (double)hits[k].score);
            }
            deft_explanation_free(explanation);
            deft_buffer_clear(&text);
        }
        test_searching_clear(&searching);
    }
}

// What does not become a hit has a score too, and it adds up.
static void a_tool_that_is_no_hit_is_accounted_for(void **state)
{
    (void)state;
    test_random    random = {11};
    test_searching searching;
    test_searching_init_random(&searching, &random, 60);
    for (uint32_t tool = 0; tool < 60; tool++) {
        const deft_query   query = {.text = deft_view_of("send issue file"), .hits_max = 3};
        const deft_tool_id id    = {tool};
        deft_explanation  *explanation =
            deft_explanation_new(searching.searcher, &query, &id, NULL, NULL);
        size_t              count   = 0;
        const deft_account *account = deft_explanation_accounts(explanation, &count);
        assert_int_equal(count, 1);
        assert_true(account->outcome == DEFT_OUTCOME_HIT || account->place == 0);
        assert_adds_up(account, account->score);
        deft_explanation_free(explanation);
    }
    test_searching_clear(&searching);
}

static const char words_of_tools[] =
    "{\"server\":\"disk\",\"instructions\":\"Archive things\",\"tools\":["
    "{\"name\":\"remove_files\",\"title\":\"Cleaner\",\"description\":\"Takes a document away.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"wastebasket\":{\"type\":\"string\","
    "\"description\":\"Where it goes\",\"enum\":[\"purge\",\"keep\"]}}}},"
    "{\"name\":\"filesystem_info\",\"description\":\"Tells the free space.\",\"inputSchema\":{}},"
    "{\"name\":\"open_git_hub\",\"description\":\"Opens it.\",\"inputSchema\":{}}]}";

static void start(test_searching *searching, const char *json)
{
    deft_error error = DEFT_ERROR_INIT;
    test_scene_init(&searching->scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&searching->scene, "disk", DEFT_SERVER_MCP, json);
    test_scene_measure(&searching->scene);
    searching->index    = deft_index_new(searching->scene.catalog, NULL, &error);
    searching->searcher = deft_searcher_new(searching->index, NULL, &error);
    assert_ok(error.status, error);
}

static bool has_share(const deft_account *account, const char *word, const char *found,
                      deft_match match, deft_field field)
{
    for (size_t i = 0; i < account->share_count; i++) {
        const deft_share *share = &account->shares[i];
        if (deft_view_equals(share->word, word) && deft_view_equals(share->found, found) &&
            share->match == match && share->field == field) {
            return true;
        }
    }
    return false;
}

static void words_and_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *query;
        const char *tool;
        const char *word;
        const char *found;
        deft_match  match;
        deft_field  field;
    } cases[] = {
        {"the very word", "remove", "disk::remove_files", "remove", "remove", DEFT_MATCH_WORD,
         DEFT_FIELD_NAME},
        {"another form", "file", "disk::remove_files", "file", "files", DEFT_MATCH_STEM,
         DEFT_FIELD_NAME},
        {"a title", "cleaner", "disk::remove_files", "cleaner", "cleaner", DEFT_MATCH_WORD,
         DEFT_FIELD_TITLE},
        {"a server", "disk", "disk::remove_files", "disk", "disk", DEFT_MATCH_WORD,
         DEFT_FIELD_SERVER},
        {"a description", "document", "disk::remove_files", "document", "document", DEFT_MATCH_WORD,
         DEFT_FIELD_DESCRIPTION},
        {"a parameter", "wastebasket", "disk::remove_files", "wastebasket", "wastebasket",
         DEFT_MATCH_WORD, DEFT_FIELD_PARAMETER_NAMES},
        {"what is said of a parameter", "goes", "disk::remove_files", "goes", "goes",
         DEFT_MATCH_WORD, DEFT_FIELD_PARAMETER_DESCRIPTIONS},
        {"a value", "purge", "disk::remove_files", "purge", "purge", DEFT_MATCH_WORD,
         DEFT_FIELD_ENUM_VALUES},
        {"a synonym", "delete", "disk::remove_files", "delete", "remove", DEFT_MATCH_SYNONYM,
         DEFT_FIELD_NAME},
        {"a slip", "wastebaskt", "disk::remove_files", "wastebaskt", "wastebasket",
         DEFT_MATCH_CORRECTED, DEFT_FIELD_PARAMETER_NAMES},
        {"two words as one", "file system", "disk::filesystem_info", "file system", "filesystem",
         DEFT_MATCH_JOINED, DEFT_FIELD_NAME},
        {"one word as two", "github", "disk::open_git_hub", "github", "hub", DEFT_MATCH_HALF,
         DEFT_FIELD_NAME},
    };
    test_searching searching;
    start(&searching, words_of_tools);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_explanation   *explanation = explain_text(&searching, cases[i].query, cases[i].tool);
        size_t              count       = 0;
        const deft_account *account     = deft_explanation_accounts(explanation, &count);
        assert_true(
            has_share(account, cases[i].word, cases[i].found, cases[i].match, cases[i].field));
        deft_explanation_free(explanation);
    }
    test_searching_clear(&searching);
}

static void lifts_say_what_they_are_for(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    deft_explanation   *explanation = explain_text(&searching, "pull request merge now", NULL);
    size_t              count       = 0;
    const deft_account *account     = deft_explanation_accounts(explanation, &count);
    assert_true(count > 0);
    assert_view_equal(deft_catalog_tool(searching.scene.catalog, account->tool)->id,
                      "github::mergePullRequest");
    assert_true(account->coverage > 0.9 && account->coverage_lift > 0);
    assert_true(account->name_coverage > 0.9 && account->name_lift > 0);
    assert_true(account->tier <= 0);
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

static void names_and_turns_and_selections_have_their_own_basis(void **state)
{
    (void)state;
    static const struct {
        const char  *name;
        const char  *query;
        deft_ranking ranking;
        deft_basis   basis;
        const char  *need;
        const char  *text;
    } cases[] = {
        {"words", "merge requests", DEFT_RANKING_HYBRID, DEFT_BASIS_WORDS, "", "in its name"},
        {"a name", "create_issue", DEFT_RANKING_HYBRID, DEFT_BASIS_EXACT, "", "the query names it"},
        {"a name in another ranking", "create_issue", DEFT_RANKING_BM25, DEFT_BASIS_EXACT, "",
         "the query names it"},
        {"several needs", "\"new issue\", \"tell someone\"", DEFT_RANKING_HYBRID, DEFT_BASIS_TURN,
         "new issue", "by turns, for 'new issue'"},
        {"a selection", "select:create_issue", DEFT_RANKING_HYBRID, DEFT_BASIS_SELECTED, "",
         "for its place after select:"},
        {"a server", "server:slack", DEFT_RANKING_HYBRID, DEFT_BASIS_SERVER, "",
         "as every tool of its server"},
        {"a pattern", "/send/", DEFT_RANKING_HYBRID, DEFT_BASIS_WORDS, "", "'send' in its name"},
        {"a pattern in its ranking", "Send", DEFT_RANKING_REGEX, DEFT_BASIS_WORDS, "",
         "in its description"},
        {"a phrase", "pull request", DEFT_RANKING_KEYWORD, DEFT_BASIS_WORDS, "",
         "as a phrase in its description"},
    };
    test_searching searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const deft_query query = {
            .text = deft_view_of(cases[i].query), .ranking = cases[i].ranking, .hits_max = 4};
        deft_explanation   *explanation = explain_run(&searching, &query, NULL);
        size_t              count       = 0;
        const deft_account *account     = deft_explanation_accounts(explanation, &count);
        assert_true(count > 0);
        assert_int_equal(account->basis, cases[i].basis);
        assert_says(explanation, cases[i].text);
        assert_view_equal(account->need, cases[i].need);
        deft_explanation_free(explanation);
    }
    test_searching_clear(&searching);
}

static bool is_hidden(void *context, deft_tool_id tool)
{
    return tool.index != *(const uint32_t *)context;
}

static void outcomes_and_counts_say_what_was_filtered(void **state)
{
    (void)state;
    static const struct {
        const char    *name;
        const char    *query;
        const char    *tool;
        deft_ranking   ranking;
        deft_outcome   outcome;
        deft_filtering filtering;
    } cases[] = {
        {"nothing is filtered",
         "issue",
         "github::create_issue",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_HIT,
         {3, 0, 0, 0, 0, 3, false}},
        {"a required word",
         "+pull request",
         "slack::search",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_REQUIRED,
         {2, 0, 0, 0, 0, 2, false}},
        {"a required word, of those that match",
         "+pull issue",
         "github::list_issues",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_REQUIRED,
         {5, 3, 0, 0, 0, 2, false}},
        {"the same in bm25",
         "+pull issue",
         "slack::search",
         DEFT_RANKING_BM25,
         DEFT_OUTCOME_REQUIRED,
         {4, 2, 0, 0, 0, 2, false}},
        {"an excluded word",
         "issue -create",
         "github::create_issue",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_EXCLUDED,
         {3, 0, 1, 0, 0, 2, false}},
        {"a server",
         "issue server:slack",
         "github::list_issues",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_SERVER,
         {3, 0, 0, 2, 0, 1, false}},
        {"the caller's filter",
         "merge pull request",
         "github::mergePullRequest",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_HIDDEN,
         {2, 0, 0, 0, 1, 1, false}},
        {"none of the words",
         "issue",
         "slack::list_channels",
         DEFT_RANKING_HYBRID,
         DEFT_OUTCOME_NO_WORD,
         {3, 0, 0, 0, 0, 3, false}},
        {"none of the words in bm25",
         "issue",
         "slack::list_channels",
         DEFT_RANKING_BM25,
         DEFT_OUTCOME_NO_WORD,
         {2, 0, 0, 0, 0, 2, false}},
    };
    test_searching searching;
    test_searching_init(&searching);
    uint32_t hidden = test_scene_tool(&searching.scene, "github::mergePullRequest").index;
    const deft_tool_filter filter = {.is_shown = is_hidden, .context = &hidden};
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const bool           is_filtered = cases[i].outcome == DEFT_OUTCOME_HIDDEN;
        const deft_query     query       = {.text     = deft_view_of(cases[i].query),
                                            .ranking  = cases[i].ranking,
                                            .hits_max = 9,
                                            .filter   = is_filtered ? &filter : NULL};
        deft_explanation    *explanation = explain_run(&searching, &query, cases[i].tool);
        size_t               count       = 0;
        const deft_account  *account     = deft_explanation_accounts(explanation, &count);
        const deft_filtering got         = deft_explanation_filtering(explanation);
        assert_int_equal(account->outcome, cases[i].outcome);
        assert_says(explanation,
                    cases[i].outcome == DEFT_OUTCOME_HIT ? ": score " : " is no hit: ");
        assert_int_equal(got.matched, cases[i].filtering.matched);
        assert_int_equal(got.required, cases[i].filtering.required);
        assert_int_equal(got.excluded, cases[i].filtering.excluded);
        assert_int_equal(got.server, cases[i].filtering.server);
        assert_int_equal(got.hidden, cases[i].filtering.hidden);
        assert_int_equal(got.left, cases[i].filtering.left);
        deft_explanation_free(explanation);
    }
    test_searching_clear(&searching);
}

static void a_weak_tool_and_one_too_many_are_told_apart(void **state)
{
    (void)state;
    test_searching searching;
    size_t         count = 0;
    test_searching_init(&searching);
    deft_query        query       = {.text = deft_view_of("create issue"), .hits_max = 1};
    deft_explanation *explanation = explain_run(&searching, &query, "github::list_issues");
    assert_int_equal(deft_explanation_accounts(explanation, &count)->outcome, DEFT_OUTCOME_PLACES);
    deft_explanation_free(explanation);

    query.score_min = 1000;
    explanation     = explain_run(&searching, &query, "github::list_issues");
    assert_int_equal(deft_explanation_accounts(explanation, &count)->outcome, DEFT_OUTCOME_WEAK);
    deft_explanation_free(explanation);

    query.ranking = DEFT_RANKING_BM25;
    explanation   = explain_run(&searching, &query, "slack::search");
    assert_int_equal(deft_explanation_accounts(explanation, &count)->outcome, DEFT_OUTCOME_WEAK);
    deft_explanation_free(explanation);

    query.score_min = 0;
    explanation     = explain_run(&searching, &query, "slack::search");
    assert_int_equal(deft_explanation_accounts(explanation, &count)->outcome, DEFT_OUTCOME_PLACES);
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

// A word that is there by chance does not make a hit, and that is said.
static void words_met_by_chance_are_below_the_floor(void **state)
{
    (void)state;
    test_searching searching;
    size_t         count = 0;
    test_searching_init(&searching);
    deft_explanation *explanation =
        explain_text(&searching, "grandmother bakes plum cakes on a base of bananas",
                     "github::create_pull_request");
    assert_true(deft_explanation_filtering(explanation).left > 0);
    assert_true(deft_explanation_filtering(explanation).is_below_floor);
    assert_int_equal(deft_explanation_accounts(explanation, &count)->outcome, DEFT_OUTCOME_FLOOR);
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

static const deft_asked_word *asked(const deft_explanation *explanation, const char *word)
{
    size_t                 count = 0;
    const deft_asked_word *words = deft_explanation_words(explanation, &count);
    for (size_t i = 0; i < count; i++) {
        if (deft_view_equals(words[i].word, word)) {
            return &words[i];
        }
    }
    fail_msg("'%s' is not explained", word);
    return NULL;
}

static void words_that_no_tool_has_come_with_near_ones(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    deft_explanation *explanation =
        explain_text(&searching, "isue channels please GitHub repo requesting zeppelin", NULL);
    assert_int_equal(asked(explanation, "channels")->tool_count, 2);
    assert_true(asked(explanation, "please")->is_filler);
    assert_int_equal(asked(explanation, "isue")->tool_count, 0);
    assert_view_equal(asked(explanation, "isue")->taken, "issue");
    assert_view_equal(asked(explanation, "isue")->nears[0], "issue");
    assert_int_equal(asked(explanation, "zeppelin")->near_count, 0);
    assert_int_equal(asked(explanation, "zeppelin")->taken.size, 0);
    assert_int_equal(asked(explanation, "github")->tool_count, 5);
    assert_int_equal(asked(explanation, "requesting")->tool_count, 2);
    deft_explanation_free(explanation);

    // What begins alike is near too, however long it goes on.
    explanation = explain_text(&searching, "chan repos", NULL);
    assert_view_equal(asked(explanation, "chan")->nears[0], "channel");
    deft_explanation_free(explanation);

    explanation = explain_text(&searching, "select:create_isue,search_code", NULL);
    assert_view_equal(asked(explanation, "create_isue")->nears[0], "github::create_issue");
    assert_int_equal(asked(explanation, "search_code")->tool_count, 1);
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

static void a_hit_that_gave_way_is_told(void **state)
{
    (void)state;
    test_searching searching;
    deft_error     error = DEFT_ERROR_INIT;
    test_scene_init(&searching.scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&searching.scene, "a", DEFT_SERVER_MCP,
                        "[{\"name\":\"archive_1\",\"description\":\"Reads old mail\"},"
                        "{\"name\":\"archive_2\",\"description\":\"Reads old mail\"},"
                        "{\"name\":\"archive_3\",\"description\":\"Reads old mail\"},"
                        "{\"name\":\"archive_4\",\"description\":\"Reads old mail\"}]");
    test_scene_add_json(&searching.scene, "b", DEFT_SERVER_MCP,
                        "[{\"name\":\"archive_5\",\"description\":\"Reads old mail again\"}]");
    test_scene_measure(&searching.scene);
    searching.index    = deft_index_new(searching.scene.catalog, NULL, &error);
    searching.searcher = deft_searcher_new(searching.index, NULL, &error);
    assert_ok(error.status, error);
    deft_explanation   *explanation = explain_text(&searching, "read mail archive", NULL);
    size_t              count       = 0;
    const deft_account *accounts    = deft_explanation_accounts(explanation, &count);
    assert_int_equal(count, 5);
    assert_false(accounts[3].is_moved);
    assert_true(accounts[4].is_moved);
    assert_says(explanation, "behind lower ones since its server had three places");
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

static bool is_on_slack(void *context, deft_tool_id tool)
{
    return deft_catalog_tool(context, tool)->server.index == 1;
}

// What a client may not see is not there for it: neither tools nor their words.
static void hidden_tools_give_no_words_away(void **state)
{
    (void)state;
    test_searching searching;
    test_searching_init(&searching);
    const deft_tool_filter filter = {.is_shown = is_on_slack, .context = searching.scene.catalog};
    const deft_query       query  = {
               .text = deft_view_of("repositry isue channel"), .hits_max = 5, .filter = &filter};
    deft_explanation *explanation = explain_run(&searching, &query, NULL);
    assert_int_equal(asked(explanation, "repositry")->near_count, 0);
    assert_view_equal(asked(explanation, "isue")->nears[0], "issue"); // one of slack's has it
    assert_int_equal(asked(explanation, "channel")->tool_count, 2);
    deft_explanation_free(explanation);
    test_searching_clear(&searching);
}

static void text_and_json_tell_the_same(void **state)
{
    (void)state;
    test_searching searching;
    deft_buffer    text;
    deft_buffer    json;
    test_searching_init(&searching);
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&json, NULL);
    deft_explanation *explanation = explain_text(&searching, "new isue", NULL);
    assert_int_equal(deft_explanation_write(explanation, &text), DEFT_OK);
    assert_int_equal(deft_explanation_write_json(explanation, &json), DEFT_OK);
    deft_buffer_append_byte(&text, '\0');
    assert_non_null(strstr(text.data, "of 8 tools, ranking hybrid, query 'new isue'.\n"));
    assert_non_null(strstr(text.data, "  'isue': no tool has it; searched in its place: 'issue'"));
    assert_non_null(strstr(text.data, "\n1. github::create_issue: score "));
    assert_non_null(strstr(text.data, " %  'isue' as 'issue', its spelling, in its name\n"));

    deft__json document;
    deft__json_init(&document, NULL);
    assert_int_equal(deft__json_parse(&document, deft_buffer_view(&json), NULL, NULL), DEFT_OK);
    const deft__json_value root  = deft__json_root(&document);
    deft__json_iterator    tools = deft__json_iterate(deft__json_member(root, "tools"));
    size_t                 count = 0;
    while (deft__json_next(&tools)) {
        double              percent = 0;
        deft__json_iterator shares  = deft__json_iterate(deft__json_member(tools.value, "shares"));
        double              number  = 0;
        while (deft__json_next(&shares)) {
            assert_int_equal(deft__json_double(deft__json_member(shares.value, "percent"), &number),
                             DEFT_OK);
            percent += number;
        }
        static const char *const lifts[] = {"coverage", "name", "exact"};
        for (size_t i = 0; i < array_size(lifts); i++) {
            const deft__json_value lift = deft__json_member(tools.value, lifts[i]);
            if (deft__json_is(lift, DEFT__JSON_OBJECT)) {
                assert_int_equal(deft__json_double(deft__json_member(lift, "percent"), &number),
                                 DEFT_OK);
                percent += number;
            }
        }
        assert_true(fabs(percent - 100) < 0.2);
        count++;
    }
    assert_true(count > 0);
    deft__json_clear(&document);
    deft_explanation_free(explanation);
    deft_buffer_clear(&json);
    deft_buffer_clear(&text);
    test_searching_clear(&searching);
}

// The explanation keeps what it speaks of.
static void an_explanation_outlives_what_it_explains(void **state)
{
    (void)state;
    test_searching searching;
    deft_buffer    text;
    test_searching_init(&searching);
    deft_explanation *explanation = explain_text(&searching, "\"new isue\", \"say it\"", NULL);
    test_searching_clear(&searching);
    deft_buffer_init(&text, NULL);
    assert_int_equal(deft_explanation_write(explanation, &text), DEFT_OK);
    deft_buffer_clear(&text);
    deft_explanation_free(explanation);
}

static void a_failed_search_has_no_explanation(void **state)
{
    (void)state;
    test_searching searching;
    deft_error     error = DEFT_ERROR_INIT;
    test_searching_init(&searching);
    const deft_query bad = {.text = deft_view_of("/(/"), .hits_max = 5};
    assert_null(deft_explanation_new(searching.searcher, &bad, NULL, NULL, &error));
    assert_int_equal(error.status, DEFT_INVALID);
    const deft_query   query = {.text = deft_view_of("issue"), .hits_max = 5};
    const deft_tool_id tool  = {99};
    assert_null(deft_explanation_new(searching.searcher, &query, &tool, NULL, &error));
    assert_int_equal(error.status, DEFT_NOT_FOUND);
    deft_explanation_free(NULL);
    test_searching_clear(&searching);
}

static void names_outside_the_enums_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(deft_field_name(DEFT_FIELD_ENUM_VALUES), "enum values");
    assert_string_equal(deft_field_name((deft_field)99), "unknown");
    assert_string_equal(deft_match_name(DEFT_MATCH_PATTERN), "pattern");
    assert_string_equal(deft_match_name((deft_match)99), "unknown");
    assert_string_equal(deft_basis_name(DEFT_BASIS_SERVER), "server");
    assert_string_equal(deft_basis_name((deft_basis)99), "unknown");
    assert_string_equal(deft_outcome_name(DEFT_OUTCOME_PLACES), "places");
    assert_string_equal(deft_outcome_name((deft_outcome)99), "unknown");
}

typedef struct attempt_context {
    test_searching *searching;
    deft_query      query;
} attempt_context;

static bool attempt(const deft_allocator *allocator, void *context)
{
    attempt_context  *c     = context;
    deft_error        error = DEFT_ERROR_INIT;
    deft_explanation *explanation =
        deft_explanation_new(c->searching->searcher, &c->query, NULL, allocator, &error);
    if (explanation == NULL) {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
        return false;
    }
    deft_buffer text;
    deft_buffer_init(&text, allocator);
    const bool is_ok = deft_explanation_write(explanation, &text) == DEFT_OK &&
                       deft_explanation_write_json(explanation, &text) == DEFT_OK;
    deft_buffer_clear(&text);
    deft_explanation_free(explanation);
    return is_ok;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    static const struct {
        const char  *query;
        deft_ranking ranking;
    } cases[] = {
        {"+issue file system isue github", DEFT_RANKING_HYBRID},
        {"\"new issue\", \"send\"", DEFT_RANKING_HYBRID},
        {"create issue", DEFT_RANKING_BM25},
        {"create issue", DEFT_RANKING_KEYWORD},
        {"create", DEFT_RANKING_REGEX},
        {"select:create_issue,nothing", DEFT_RANKING_HYBRID},
    };
    test_searching searching;
    test_searching_init(&searching);
    for (size_t i = 0; i < array_size(cases); i++) {
        attempt_context context = {
            &searching,
            {.text = deft_view_of(cases[i].query), .ranking = cases[i].ranking, .hits_max = 3}};
        assert_true(test_every_allocation_fails(attempt, &context) > 2);
    }
    test_searching_clear(&searching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_every_score_add_up_to_it),
        cmocka_unit_test(a_tool_that_is_no_hit_is_accounted_for),
        cmocka_unit_test(words_and_fields_are_named),
        cmocka_unit_test(lifts_say_what_they_are_for),
        cmocka_unit_test(names_and_turns_and_selections_have_their_own_basis),
        cmocka_unit_test(outcomes_and_counts_say_what_was_filtered),
        cmocka_unit_test(a_weak_tool_and_one_too_many_are_told_apart),
        cmocka_unit_test(words_met_by_chance_are_below_the_floor),
        cmocka_unit_test(words_that_no_tool_has_come_with_near_ones),
        cmocka_unit_test(a_hit_that_gave_way_is_told),
        cmocka_unit_test(hidden_tools_give_no_words_away),
        cmocka_unit_test(text_and_json_tell_the_same),
        cmocka_unit_test(an_explanation_outlives_what_it_explains),
        cmocka_unit_test(a_failed_search_has_no_explanation),
        cmocka_unit_test(names_outside_the_enums_are_unknown),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
