// What a server's tools are about, from their names. Proves a part of B4.
#include "core/listing/topics.h"

#include "support/scene.h"
#include "support/test.h"

static const struct {
    const char *name;
    const char *server;
    const char *tools;
    const char *topics;
} cases[] = {
    {"no names, no topics", "s", "", ""},
    {"verbs and glue are no topics", "s", "get_all list update_by_id v2 x", ""},
    {"the most common first", "s", "get_file list_issues create_issue", "issues, file"},
    {"equal counts keep their order", "s", "get_file get_user get_page", "file, user, page"},
    {"singular and plural are one", "s", "get_user list_users", "user"},
    {"words that end in s by nature", "s", "get_status list_class", "status, class"},
    {"a pair that always stands together", "s", "create_pull_request merge_pull_request",
     "pull request, merge"},
    {"camel case splits", "s", "createPullRequest mergePullRequest", "pull request, merge"},
    {"an acronym stays whole", "s", "parseHTTPResponse", "parse, http, response"},
    {"a pair that is rare yields to its words", "s",
     "list_issues get_issue edit_issue get_issue_label", "issues, label"},
    {"the server's own name says nothing new", "git_hub", "git_log hub_status", "log, status"},
    {"digits stay with their letters", "s", "get_s3_bucket get_s3_object", "s3, bucket, object"},
    {"no more than six", "s", "aa bb cc dd ee ff gg hh", "aa, bb, cc, dd, ee, ff"},
    {"letters beyond ASCII", "s",
     "get_\xC3\xBC"
     "bung",
     "\xC3\xBC"
     "bung"},
};

static void topics_of_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        test_scene  scene;
        deft_buffer out;
        uint32_t    tools[16];
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        test_scene_add(&scene, cases[i].server, DEFT_SERVER_MCP, cases[i].tools);
        test_scene_measure(&scene);
        const size_t count = deft_catalog_tool_count(scene.catalog);
        for (uint32_t tool = 0; tool < count; tool++) {
            tools[tool] = tool;
        }
        deft_buffer_init(&out, NULL);
        const size_t topics = deft__topics_append(&out, scene.catalog, tools, count);
        assert_int_equal(topics == 0, cases[i].topics[0] == '\0');
        assert_view_equal(deft_buffer_view(&out), cases[i].topics);
        deft_buffer_clear(&out);
        test_scene_clear(&scene);
    }
}

// More different words than are counted: the first ones win, and nothing grows without end.
static void made_up_words(void **state)
{
    (void)state;
    enum {
        TOOLS = 6000
    };
    deft_buffer names;
    deft_buffer out;
    deft_buffer_init(&names, NULL);
    deft_buffer_init(&out, NULL);
    for (int i = 0; i < TOOLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%c%c%c ", 'b' + i / 1000, 'b' + i / 100 % 10,
                 'b' + i / 10 % 10, 'b' + i % 10);
        deft_buffer_append_text(&names, name);
    }
    deft_buffer_append_byte(&names, '\0');
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, names.data);
    test_scene_measure(&scene);
    static uint32_t tools[TOOLS];
    for (uint32_t i = 0; i < TOOLS; i++) {
        tools[i] = i;
    }
    assert_int_equal(deft__topics_append(&out, scene.catalog, tools, TOOLS), 6);
    assert_view_equal(deft_buffer_view(&out), "bbbb, bbbc, bbbd, bbbe, bbbf, bbbg");
    deft_buffer_clear(&names);
    deft_buffer_clear(&out);
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_of_names),
        cmocka_unit_test(made_up_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
