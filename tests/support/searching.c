#include "support/searching.h"

#include "support/test.h"

static const char github[] =
    "[{\"name\":\"create_issue\",\"description\":\"Create a new issue in a repository.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"repo\":{\"type\":\"string\",\"description\":\"Repository\"},"
    "\"title\":{\"type\":\"string\",\"description\":\"What the issue is called\"},"
    "\"body\":{\"type\":\"string\"}},\"required\":[\"repo\",\"title\"]}},"
    "{\"name\":\"list_issues\",\"description\":\"List the issues of a repository.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\"},"
    "\"state\":{\"type\":\"string\",\"enum\":[\"open\",\"closed\"]}}}},"
    "{\"name\":\"create_pull_request\",\"description\":\"Open a pull request.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"base\":{\"type\":\"string\"}}}},"
    "{\"name\":\"mergePullRequest\",\"description\":\"Merge a pull request.\",\"inputSchema\":{}},"
    "{\"name\":\"search_code\",\"description\":\"Search for code.\",\"inputSchema\":{}}]";

static const char slack[] =
    "[{\"name\":\"send_message\",\"description\":\"Send a message to a channel.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"channel\":{\"type\":\"string\",\"description\":\"Where to send it\"},"
    "\"text\":{\"type\":\"string\"}},\"required\":[\"channel\",\"text\"]}},"
    "{\"name\":\"list_channels\",\"description\":\"List the channels.\",\"inputSchema\":{}},"
    "{\"name\":\"search\",\"description\":\"Search messages for an issue.\",\"inputSchema\":{}}]";

static void start(test_searching *searching)
{
    deft_error error = DEFT_ERROR_INIT;
    test_scene_measure(&searching->scene);
    searching->index = deft_index_new(searching->scene.catalog, NULL, &error);
    assert_ok(error.status, error);
    searching->searcher = deft_searcher_new(searching->index, NULL, &error);
    assert_ok(error.status, error);
}

void test_searching_init(test_searching *searching)
{
    test_scene_init(&searching->scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&searching->scene, "github", DEFT_SERVER_MCP, github);
    test_scene_add_json(&searching->scene, "slack", DEFT_SERVER_MCP, slack);
    start(searching);
}

static const char *const vocabulary[] = {"create",  "list", "Issue", "repo",    "file", "Read",
                                         "message", "send", "URL",   "channel", "user", "v2"};

void test_append_words(deft_buffer *out, test_random *random, size_t count)
{
    static const char separators[] = " _-./";
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            deft_buffer_append_byte(out,
                                    separators[test_random_below(random, sizeof separators - 1)]);
        }
        deft_buffer_append_text(out, vocabulary[test_random_below(random, array_size(vocabulary))]);
    }
}

void test_searching_init_random(test_searching *searching, test_random *random, size_t count)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_byte(&text, '[');
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(&text, i > 0 ? ",{\"name\":\"" : "{\"name\":\"");
        test_append_words(&text, random, 1 + test_random_below(random, 3));
        deft_buffer_append_byte(&text, '_');
        deft_buffer_append_u64(&text, i);
        deft_buffer_append_text(&text, "\",\"description\":\"");
        test_append_words(&text, random, test_random_below(random, 12));
        deft_buffer_append_text(&text, "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
        for (size_t p = 0; p < test_random_below(random, 3); p++) {
            deft_buffer_append_text(&text, p > 0 ? ",\"" : "\"");
            test_append_words(&text, random, 1);
            deft_buffer_append_u64(&text, p);
            deft_buffer_append_text(&text, "\":{\"description\":\"");
            test_append_words(&text, random, test_random_below(random, 4));
            deft_buffer_append_text(&text, "\"}");
        }
        deft_buffer_append_text(&text, "}}}");
    }
    deft_buffer_append_text(&text, "]");
    deft_buffer_append_byte(&text, '\0');
    test_scene_init(&searching->scene, DEFT_PRESET_DEFT);
    test_scene_add_json(&searching->scene, "File.server", DEFT_SERVER_MCP, text.data);
    deft_buffer_clear(&text);
    start(searching);
    assert_int_equal(deft_catalog_problem_count(searching->scene.catalog), 0);
}

void test_searching_clear(test_searching *searching)
{
    deft_searcher_free(searching->searcher);
    deft_index_free(searching->index);
    test_scene_clear(&searching->scene);
}

void test_searching_expect(test_searching *searching, deft_ranking ranking, const char *query,
                           const char *ids)
{
    deft_error       error = DEFT_ERROR_INIT;
    const deft_query run   = {.text = deft_view_of(query), .ranking = ranking, .hits_max = 10};
    assert_ok(deft_searcher_run(searching->searcher, &run, &error), error);
    size_t          count = 0;
    const deft_hit *hits  = deft_searcher_hits(searching->searcher, &count);
    deft_buffer     joined;
    deft_buffer_init(&joined, NULL);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(&joined, i > 0 ? " " : "");
        deft_buffer_append(&joined, deft_catalog_tool(searching->scene.catalog, hits[i].tool)->id);
        assert_true(i == 0 || hits[i - 1].score >= hits[i].score);
    }
    assert_view_equal(deft_buffer_view(&joined), ids);
    deft_buffer_clear(&joined);
}
