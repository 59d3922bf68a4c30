// The search tool. Proves C1, C2, C3, C4, C5, and parts of C10 and D1.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

#include "json/reader.h"

static void expect_error(test_meeting *meeting, const char *arguments, const char *text)
{
    test_meeting_search(meeting, arguments);
    assert_true(meeting->answer.is_error);
    assert_int_equal(meeting->answer.found_count, 0);
    assert_true(test_answer_has(&meeting->answer, text));
}

static const struct {
    const char *name;
    const char *arguments;
    const char *text; // in the answer
} refusals[] = {
    {"both", "{\"query\":\"issue\",\"tool_id\":\"github::create_issue\"}",
     "Both 'query' and 'tool_id' were given. Send either"},
    {"neither", "{}", "Neither 'query' nor 'tool_id' was given. Send either"},
    {"nothing at all", "", "Neither 'query' nor 'tool_id' was given."},
    {"empty texts count as absent", "{\"query\":\"\",\"tool_id\":null}",
     "Neither 'query' nor 'tool_id' was given."},
    {"a query that is no text", "{\"query\":5}", "'query' is a number, it must be a string."},
    {"a query that is a list", "{\"query\":[\"a\"]}", "'query' is an array, it must be a string."},
    {"an id that is no text", "{\"tool_id\":{}}", "'tool_id' is an object, it must be a string."},
    {"no JSON", "{\"query\":", "The arguments are not valid JSON"},
    {"a list", "[1]", "The arguments are an array, not an object."},
    {"a text that is no object", "\"issue\"", "The arguments are not valid JSON"},
    {"zero results", "{\"query\":\"x\",\"max_results\":0}",
     "'max_results' must be a whole number from 1 to 20."},
    {"negative results", "{\"query\":\"x\",\"limit\":-3}",
     "'limit' must be a whole number from 1 to 20."},
    {"negative results as text", "{\"query\":\"x\",\"limit\":\"-3\"}",
     "'limit' must be a whole number from 1 to 20."},
    {"far below zero", "{\"query\":\"x\",\"limit\":-1e300}",
     "'limit' must be a whole number from 1 to 20."},
    {"half a result", "{\"query\":\"x\",\"max_results\":2.5}",
     "'max_results' must be a whole number from 1 to 20."},
    {"results in words", "{\"query\":\"x\",\"max_results\":\"many\"}",
     "'max_results' must be a whole number from 1 to 20."},
    {"a minus alone", "{\"query\":\"x\",\"max_results\":\"-\"}",
     "'max_results' must be a whole number from 1 to 20."},
    {"results of another kind", "{\"query\":\"x\",\"max_results\":true}",
     "'max_results' must be a whole number from 1 to 20."},
};

static void what_is_refused_says_what_to_send(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(refusals); i++) {
        case_name(refusals[i].name);
        expect_error(&meeting, refusals[i].arguments, refusals[i].text);
    }
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
    test_meeting_clear(&meeting);
}

static const struct {
    const char *name;
    const char *arguments;
    size_t      found;
} counts[] = {
    {"five by default", "{\"query\":\"a the list search create\"}", 5},
    {"as many as asked for", "{\"query\":\"a the list search create\",\"max_results\":2}", 2},
    {"limit is the same", "{\"query\":\"a the list search create\",\"limit\":3}", 3},
    {"as text", "{\"query\":\"a the list search create\",\"limit\":\"1\"}", 1},
    {"with a fraction of zero", "{\"query\":\"a the list search create\",\"limit\":2.0}", 2},
    {"max_results is asked first",
     "{\"query\":\"a the list search create\",\"limit\":1,"
     "\"max_results\":2}",
     2},
    {"null is the default", "{\"query\":\"a the list search create\",\"max_results\":null}", 5},
    {"capped", "{\"query\":\"a the list search create\",\"max_results\":100}", 6},
    {"capped however much", "{\"query\":\"a the list search create\",\"max_results\":1e300}", 6},
};

static void how_many_results(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.results_max = 6;
    meeting.scene.settings.ranking     = DEFT_RANKING_BM25;
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(counts); i++) {
        case_name(counts[i].name);
        test_meeting_search(&meeting, counts[i].arguments);
        assert_false(meeting.answer.is_error);
        assert_int_equal(meeting.answer.found_count, counts[i].found);
    }
    test_meeting_clear(&meeting);
}

static void a_match_tells_what_is_needed_and_loads(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"create issue\",\"max_results\":1}");
    assert_view_equal(
        deft_buffer_view(&meeting.answer.text),
        "1 tool found. Call one with tool_call: tool_name is its id, tool_args its arguments.\n"
        "\n"
        "github::create_issue: Create a new issue in a repository.\n"
        "Parameters: repo string (required), title string (required), body string\n"
        "Input schema: {\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\","
        "\"description\":\"owner/name\"},\"title\":{\"type\":\"string\"},"
        "\"body\":{\"type\":\"string\"}},\"required\":[\"repo\",\"title\"]}\n");
    assert_view_equal(
        deft_buffer_view(&meeting.answer.structured),
        "{\"tools\":[{\"id\":\"github::create_issue\",\"name\":\"github__create_issue\","
        "\"description\":\"Create a new issue\\nin a repository.\",\"parameters\":["
        "{\"name\":\"repo\",\"type\":\"string\",\"required\":true},"
        "{\"name\":\"title\",\"type\":\"string\",\"required\":true},"
        "{\"name\":\"body\",\"type\":\"string\",\"required\":false}],"
        "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\","
        "\"description\":\"owner/name\"},\"title\":{\"type\":\"string\"},"
        "\"body\":{\"type\":\"string\"}},\"required\":[\"repo\",\"title\"]}}],\"loaded\":1}");
    assert_int_equal(meeting.answer.loaded_count, 1);
    test_meeting_expect_visible(&meeting,
                                "files::read_file files::write_file *github::create_issue");

    // The same once more: found again, but nothing new.
    test_meeting_search(&meeting, "{\"tool_id\":\"github::create_issue\"}");
    assert_int_equal(meeting.answer.found_count, 1);
    assert_int_equal(meeting.answer.loaded_count, 0);
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(meeting.session, &count);
    assert_int_equal(count, 3);
    assert_int_equal(seen[2].search, 1);
    test_meeting_clear(&meeting);
}

static void style_load_leaves_the_schema_to_the_list(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_PIZZAPI);
    meeting.scene.settings.style = DEFT_STYLE_LOAD;
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"channels\"}");
    assert_view_equal(deft_buffer_view(&meeting.answer.text),
                      "1 tool found. It is in your tool list now; call it directly.\n"
                      "\n"
                      "slack::list_channels: List the channels.\n"
                      "Parameters: none\n");
    test_meeting_search(&meeting, "{\"query\":\"search\"}");
    assert_true(test_answer_has(&meeting.answer, "2 tools found. They are in your tool list now"));
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file "
                                          "*slack::list_channels *github::search *slack::search");
    test_meeting_clear(&meeting);
}

static void schemas_have_a_budget(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.result_budget_tokens = 30; // less than the schema of create_issue
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"create issue list channels\"}");
    assert_true(meeting.answer.found_count >= 2);
    assert_true(test_answer_has(&meeting.answer, "Input schema: {}"));
    assert_true(test_answer_has(
        &meeting.answer,
        "Not every input schema fits into one answer; tool_describe gives the others."));
    meeting.scene.settings.result_budget_tokens = 0; // no budget
    test_meeting_search(&meeting, "{\"query\":\"create issue list channels\"}");
    assert_true(test_answer_has(&meeting.answer, "\"required\":[\"repo\",\"title\"]}"));
    test_meeting_clear(&meeting);
}

// What was found out of a schema when it was written first changes nothing when it is written again.
static void asked_again_the_answer_is_the_same(void **state)
{
    (void)state;
    static const uint64_t budgets[] = {0, 30, 1000, 1};
    test_meeting          meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(budgets); i++) {
        test_meeting fresh;
        test_meeting_init(&fresh, DEFT_PRESET_DEFT);
        test_meeting_start(&fresh);
        fresh.scene.settings.result_budget_tokens   = budgets[i];
        meeting.scene.settings.result_budget_tokens = budgets[i];
        test_meeting_search(&fresh, "{\"query\":\"create issue list channels\"}");
        test_meeting_search(&meeting, "{\"query\":\"create issue list channels\"}");
        assert_true(deft_view_equal(deft_buffer_view(&meeting.answer.text),
                                    deft_buffer_view(&fresh.answer.text)));
        test_meeting_clear(&fresh);
    }
    // Another family counts anew.
    meeting.scene.settings.token_family = DEFT_TOKENS_CLAUDE;
    test_meeting_search(&meeting, "{\"query\":\"create issue list channels\"}");
    assert_true(meeting.answer.found_count >= 2);
    test_meeting_clear(&meeting);
}

static void no_match_lists_what_there_is(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_PIZZAPI); // lists nothing upfront
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"zebra\"}");
    assert_false(meeting.answer.is_error);
    assert_int_equal(meeting.answer.found_count, 0);
    assert_true(
        test_answer_has(&meeting.answer, "No tool matches 'zebra'. Try fewer or other words."));
    assert_true(test_answer_has(&meeting.answer, "slack::send_message: Send a message"));
    assert_true(test_answer_has(&meeting.answer, "github::list_issues: List the issues"));

    meeting.scene.settings.listing_budget_tokens = 15; // degrades instead of flooding
    test_meeting_search(&meeting, "{\"query\":\"zebra\"}");
    assert_true(test_answer_has(&meeting.answer, "github"));
    assert_true(test_answer_lacks(&meeting.answer, "slack::send_message: Send"));

    meeting.scene.settings.is_fallback_listed = false;
    test_meeting_search(&meeting, "{\"query\":\"ze\\u001b[31m\\u202ebra\"}");
    assert_view_equal(deft_buffer_view(&meeting.answer.text),
                      "No tool matches 'ze [31mbra'. Try fewer or other words.");
    assert_view_equal(deft_buffer_view(&meeting.answer.structured),
                      "{\"tools\":[],\"loaded\":0,\"message\":\"No tool matches 'ze [31mbra'. Try "
                      "fewer or other words.\"}");
    test_meeting_clear(&meeting);
}

static void not_active_says_that_all_is_loaded(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.mode = DEFT_MODE_OFF;
    test_meeting_start(&meeting);
    test_meeting_search(&meeting, "{\"query\":\"issue\"}");
    assert_false(meeting.answer.is_error);
    assert_true(test_answer_has(&meeting.answer, "every tool is already loaded"));
    test_meeting_search(&meeting, "not even JSON");
    assert_true(test_answer_has(&meeting.answer, "every tool is already loaded"));
    test_meeting_clear(&meeting);
}

static const struct {
    const char *name;
    const char *arguments;
    const char *visible; // behind the two files
    const char *text;
} lookups[] = {
    {"an exact id", "{\"tool_id\":\"slack::search\"}", " *slack::search", "1 tool found."},
    {"a wire name", "{\"tool_id\":\"slack__search\"}", " *slack::search", "1 tool found."},
    {"a visible tool is found and stays", "{\"tool_id\":\"files::read_file\"}", "",
     "1 tool found."},
    {"an id that nearly is one", "{\"tool_id\":\"github::create_isue\"}", "",
     "No tool is called 'github::create_isue'. The closest name is github::create_issue."},
    {"a bare name of two servers", "{\"tool_id\":\"search\"}", "",
     "Several servers have a tool called 'search'; say which one by its id: github::search, "
     "slack::search."},
    {"several exact tools", "{\"query\":\"select:slack::search,read_file,list_issues\"}",
     " *slack::search *github::list_issues", "3 tools found."},
    {"exact tools, one of them unknown", "{\"query\":\" select:slack::search,creat_issue\"}",
     " *slack::search",
     "No tool is called 'creat_issue'. The closest name is github::create_issue."},
    {"only unknown ones", "{\"query\":\"select:creat_issue\"}", "",
     "No tool is called 'creat_issue'. The closest name is github::create_issue."},
    {"only one server", "{\"query\":\"server:slack search\"}", " *slack::search", "1 tool found."},
    {"the arguments as text", "\"{\\\"query\\\":\\\"channels\\\"}\"",
     " *slack::list_channels *slack::send_message", "2 tools found."},
    {"visible tools are not searched", "{\"query\":\"file\"}", "",
     "No tool matches 'file'. Try fewer or other words. Already in your tool list: "
     "files::read_file, files::write_file."},
    {"words that no tool has", "{\"query\":\"+zebra isue the\"}", "",
     "No tool matches '+zebra isue the'. No tool has the word 'zebra', 'isue' (near: 'issue'). "
     "3 tools match for other words but lack one with +. Try fewer or other words."},
    {"words that are kept out", "{\"query\":\"message -send -search\"}", "",
     "No tool matches 'message -send -search'. 2 tools match but have a word with -. Try fewer or "
     "other words."},
    {"words of other servers", "{\"query\":\"server:slck messages\"}", "",
     "No tool matches 'server:slck messages'. 3 tools match on other servers. Try fewer or other "
     "words."},
};

static void exact_tools(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(lookups); i++) {
        case_name(lookups[i].name);
        test_meeting meeting;
        char         visible[200];
        test_meeting_init(&meeting, DEFT_PRESET_DEFT);
        meeting.scene.settings.is_fallback_listed = false;
        test_meeting_start(&meeting);
        test_meeting_search(&meeting, lookups[i].arguments);
        assert_false(meeting.answer.is_error);
        assert_true(test_answer_has(&meeting.answer, lookups[i].text));
        snprintf(visible, sizeof visible, "files::read_file files::write_file%s",
                 lookups[i].visible);
        test_meeting_expect_visible(&meeting, visible);
        test_meeting_clear(&meeting);
    }
}

static void a_broken_pattern_is_told(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    meeting.scene.settings.ranking = DEFT_RANKING_REGEX;
    test_meeting_start(&meeting);
    expect_error(&meeting, "{\"query\":\"(x\"}", "The pattern is not valid at character 2");
    test_meeting_clear(&meeting);
}

static void a_query_can_be_too_long(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  arguments;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    deft_buffer_init(&arguments, NULL);
    deft_buffer_append_text(&arguments, "{\"query\":\"");
    for (int i = 0; i < 5000; i++) {
        deft_buffer_append_byte(&arguments, 'x');
    }
    deft_buffer_append_text(&arguments, "\"}");
    deft_buffer_append_byte(&arguments, '\0');
    expect_error(&meeting, arguments.data, "The query has 5000 bytes; at most 4096 are accepted");
    deft_buffer_clear(&arguments);
    test_meeting_clear(&meeting);
}

// The index may lag behind: tools are then told apart by their ids.
static void a_searcher_of_another_catalog_works(void **state)
{
    (void)state;
    test_meeting meeting;
    test_scene   later;
    deft_error   error = DEFT_ERROR_INIT;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_scene_init(&later, DEFT_PRESET_DEFT);
    later.settings.mode = DEFT_MODE_ON;
    test_scene_add(&later, "first", DEFT_SERVER_MCP, "one two three");
    test_scene_add(&later, "slack", DEFT_SERVER_MCP, "send_message");
    test_scene_plan(&later);
    assert_ok(deft_session_update(meeting.session, later.plan, &error), error);
    test_meeting_search(&meeting, "{\"query\":\"list send message\"}");
    assert_int_equal(meeting.answer.found_count, 1);
    test_meeting_expect_visible(&meeting,
                                "-files::read_file -files::write_file *slack::send_message");
    test_meeting_clear(&meeting);
    test_scene_clear(&later);
}

// Whatever is sent, the answer is JSON and the text has no control characters.
static void expect_clean(const deft_answer *answer)
{
    deft__json document;
    deft_error error = DEFT_ERROR_INIT;
    deft__json_init(&document, NULL);
    assert_ok(deft__json_parse(&document, deft_buffer_view(&answer->structured), NULL, &error),
              error);
    deft__json_clear(&document);
    for (size_t i = 0; i < answer->text.size; i++) {
        const unsigned char byte = (unsigned char)answer->text.data[i];
        assert_true((byte >= 0x20 && byte != 0x7F) || byte == '\n');
    }
}

static void hostile_arguments(void **state)
{
    (void)state;
    static const char *const hostile[] = {
        "{\"query\":\"\\u0000\\u0007\\u001b]0;x\\u0007\"}",
        "{\"tool_id\":\"\\u0000\\n\\u2028x\"}",
        "{\"query\":\"\\ud800\"}",
        "{\"query\":\"a\",\"query\":\"b\",\"tool_id\":\"c\"}",
        "{\"query\":\"select:\\u0000,\\n,,,\"}",
        "{\"query\":\"+ + ++ server: server:\\\"\"}",
        "\"\\\"\\\\\\\"{}\\\\\\\"\\\"\"",
        "\"\\\"\\\\\\\"\\\\\\\\\\\\\\\"{}\\\\\\\\\\\\\\\"\\\\\\\"\\\"\"",
        "{\"max_results\":\"99999999999999999999999\",\"query\":\"x\"}",
        "nul",
        "null",
        "\xff\xfe",
        "{\"query\":\"\x01\"}",
    };
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(hostile); i++) {
        case_name(hostile[i]);
        test_meeting_search(&meeting, hostile[i]);
        expect_clean(&meeting.answer);
        test_meeting_describe(&meeting, hostile[i]);
        expect_clean(&meeting.answer);
        if (test_meeting_call(&meeting, "tool_call", hostile[i]) != DEFT_OK) {
            expect_clean(&meeting.answer);
        }
    }
    deft_buffer deep;
    deft_buffer_init(&deep, NULL);
    for (int i = 0; i < 10000; i++) {
        deft_buffer_append_byte(&deep, '[');
    }
    deft_buffer_append_byte(&deep, '\0');
    expect_error(&meeting, deep.data, "The arguments are not valid JSON");
    deft_buffer_clear(&deep);
    test_meeting_clear(&meeting);
}

// A failed call leaves the session as it was.
static bool try_search(const deft_allocator *allocator, void *context)
{
    static const char *const arguments[] = {
        "{\"query\":\"create \\u0069ssue\",\"max_results\":\"3\"}",
        "{\"query\":\"zebra\"}",
        "{\"tool_id\":\"slack::search\"}",
        "{\"query\":\"select:slack::search,creat_issue\"}",
        "{}",
    };
    test_meeting *meeting = context;
    deft_error    error   = DEFT_ERROR_INIT;
    deft_session *session =
        deft_session_new(meeting->scene.plan, &meeting->scene.settings, allocator, &error);
    deft_searcher *searcher = NULL;
    deft_status    status   = DEFT_OUT_OF_MEMORY;
    deft_answer    answer;
    deft_answer_init(&answer, allocator);
    if (session != NULL) {
        searcher = deft_searcher_new(meeting->index, allocator, &error);
    }
    if (searcher != NULL) {
        status = DEFT_OK;
    }
    for (size_t i = 0; status == DEFT_OK && i < array_size(arguments); i++) {
        size_t before = 0;
        size_t after  = 0;
        deft_session_visible(session, &before);
        status = deft_bridge_search(session, searcher, &meeting->scene.settings,
                                    deft_view_of(arguments[i]), &answer, &error);
        deft_session_visible(session, &after);
        assert_true(status == DEFT_OK || (before == after && answer.text.size == 0));
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_answer_clear(&answer);
    deft_searcher_free(searcher);
    deft_session_free(session);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_true(test_every_allocation_fails(try_search, &meeting) > 20);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused_says_what_to_send),
        cmocka_unit_test(how_many_results),
        cmocka_unit_test(a_match_tells_what_is_needed_and_loads),
        cmocka_unit_test(style_load_leaves_the_schema_to_the_list),
        cmocka_unit_test(schemas_have_a_budget),
        cmocka_unit_test(asked_again_the_answer_is_the_same),
        cmocka_unit_test(no_match_lists_what_there_is),
        cmocka_unit_test(not_active_says_that_all_is_loaded),
        cmocka_unit_test(exact_tools),
        cmocka_unit_test(a_broken_pattern_is_told),
        cmocka_unit_test(a_query_can_be_too_long),
        cmocka_unit_test(a_searcher_of_another_catalog_works),
        cmocka_unit_test(hostile_arguments),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
