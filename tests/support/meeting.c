#include "support/meeting.h"

#include "support/test.h"

static const char files[] =
    "[{\"name\":\"read_file\",\"description\":\"Read a "
    "file.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}},"
    "{\"name\":\"write_file\",\"description\":\"Write a "
    "file.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"},\"text\":{\"type\":\"string\"}}}}]";

static const char github[] =
    "[{\"name\":\"create_issue\",\"title\":\"New issue\","
    "\"description\":\"Create a new issue\\nin a repository.\","
    "\"inputSchema\":{\"type\": \"object\", \"properties\": {"
    "\"repo\":{\"type\":\"string\",\"description\":\"owner/name\"},"
    "\"title\":{\"type\":\"string\"},\"body\":{\"type\":\"string\"}},"
    "\"required\":[\"repo\",\"title\"]}},"
    "{\"name\":\"list_issues\",\"description\":\"List the issues of a repository.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\"},"
    "\"state\":{\"type\":\"string\",\"enum\":[\"open\",\"closed\"]}}}},"
    "{\"name\":\"search\",\"description\":\"Search for "
    "code.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"tool_name\":{\"type\":\"string\"},\"tool_args\":{\"type\":\"object\"}}}}]";

static const char slack[] =
    "[{\"name\":\"send_message\",\"description\":\"Send a message to a channel.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"channel\":{\"type\":\"string\"},"
    "\"text\":{\"type\":\"string\"}},\"required\":[\"channel\",\"text\"]}},"
    "{\"name\":\"list_channels\",\"description\":\"List the channels.\",\"inputSchema\":{}},"
    "{\"name\":\"search\",\"description\":\"Search messages.\",\"inputSchema\":{}}]";

static const deft_rule file_rules[] = {{DEFT_VIEW_INIT("files"), false}};

void test_meeting_init(test_meeting *meeting, deft_preset preset)
{
    *meeting = (test_meeting){.index = NULL};
    test_scene_init(&meeting->scene, preset);
    test_scene_add_json(&meeting->scene, "files", DEFT_SERVER_MCP, files);
    test_scene_add_json(&meeting->scene, "github", DEFT_SERVER_MCP, github);
    test_scene_add_json(&meeting->scene, "slack", DEFT_SERVER_MCP, slack);
    deft_settings *settings     = &meeting->scene.settings;
    settings->mode              = DEFT_MODE_ON;
    settings->server_rules      = file_rules;
    settings->server_rule_count = array_size(file_rules);
    deft_answer_init(&meeting->answer, NULL);
    deft_call_init(&meeting->call, NULL);
}

void test_meeting_start(test_meeting *meeting)
{
    deft_error error = DEFT_ERROR_INIT;
    test_scene_plan(&meeting->scene);
    assert_int_equal(deft_catalog_problem_count(meeting->scene.catalog), 0);
    meeting->index = deft_index_new(meeting->scene.catalog, NULL, &error);
    assert_ok(error.status, error);
    meeting->searcher = deft_searcher_new(meeting->index, NULL, &error);
    assert_ok(error.status, error);
    meeting->session =
        deft_session_new(meeting->scene.plan, &meeting->scene.settings, NULL, &error);
    assert_ok(error.status, error);
}

void test_meeting_clear(test_meeting *meeting)
{
    deft_call_clear(&meeting->call);
    deft_answer_clear(&meeting->answer);
    deft_session_free(meeting->session);
    deft_searcher_free(meeting->searcher);
    deft_index_free(meeting->index);
    test_scene_clear(&meeting->scene);
}

void test_meeting_restore(test_meeting *meeting, deft_view saved,
                          const deft_restriction *restriction)
{
    deft_error    error   = DEFT_ERROR_INIT;
    deft_session *session = deft_session_restore(meeting->scene.plan, &meeting->scene.settings,
                                                 saved, restriction, NULL, &error);
    assert_ok(error.status, error);
    assert_non_null(session);
    deft_session_free(meeting->session);
    meeting->session = session;
}

void test_meeting_search(test_meeting *meeting, const char *arguments)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft_bridge_search(meeting->session, meeting->searcher, &meeting->scene.settings,
                                 deft_view_of(arguments), &meeting->answer, &error),
              error);
}

void test_meeting_describe(test_meeting *meeting, const char *arguments)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft_bridge_describe(meeting->session, &meeting->scene.settings,
                                   deft_view_of(arguments), &meeting->answer, &error),
              error);
}

deft_status test_meeting_call(test_meeting *meeting, const char *name, const char *arguments)
{
    deft_error        error = DEFT_ERROR_INIT;
    const deft_status status =
        deft_bridge_call(meeting->session, &meeting->scene.settings, deft_view_of(name),
                         deft_view_of(arguments), &meeting->call, &meeting->answer, &error);
    assert_int_equal(error.status, status);
    return status;
}

void test_meeting_expect_visible(const test_meeting *meeting, const char *ids)
{
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(meeting->session, &count);
    deft_buffer           joined;
    deft_buffer_init(&joined, NULL);
    for (size_t i = 0; i < count; i++) {
        static const char *const marks[] = {"", "*", "-"};
        deft_buffer_append_text(&joined, i > 0 ? " " : "");
        deft_buffer_append_text(&joined, marks[seen[i].state]);
        deft_buffer_append(&joined, deft_catalog_tool(seen[i].catalog, seen[i].tool)->id);
    }
    assert_view_equal(deft_buffer_view(&joined), ids);
    deft_buffer_clear(&joined);
}

static bool has(deft_view whole, deft_view part)
{
    for (size_t i = 0; i + part.size <= whole.size; i++) {
        if (deft_view_equal(deft_view_slice(whole, i, part.size), part)) {
            return true;
        }
    }
    return false;
}

static void show(const deft_answer *answer, const char *what, const char *text)
{
    print_error("%s the answer: \"%s\"\n%.*s\n", what, text, (int)answer->text.size,
                answer->text.data);
}

bool test_answer_has(const deft_answer *answer, const char *text)
{
    const bool is_there = has(deft_buffer_view(&answer->text), deft_view_of(text));
    if (!is_there) {
        show(answer, "not in", text);
    }
    return is_there;
}

bool test_answer_lacks(const deft_answer *answer, const char *text)
{
    const bool is_there = has(deft_buffer_view(&answer->text), deft_view_of(text));
    if (is_there) {
        show(answer, "in", text);
    }
    return !is_there;
}
