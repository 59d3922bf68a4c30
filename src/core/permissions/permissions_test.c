// What may be used, and that nothing shows or reaches what may not. Proves D3.
#include "deft/permissions.h"

#include "deft/bridge.h"
#include "deft/explain.h"
#include "support/scene.h"
#include "support/test.h"

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct {
    const char *name;
    const char *allow[3];
    const char *deny[3];
    const char *server;
    const char *tool;
    bool        is_allowed;
} cases[] = {
    {"nothing is said", LIST(NULL), LIST(NULL), "github", "delete", true},
    {"a tool is denied by its id", LIST(NULL), LIST("github::delete"), "github", "delete", false},
    {"the same name elsewhere is not", LIST(NULL), LIST("github::delete"), "slack", "delete", true},
    {"a name is denied everywhere", LIST(NULL), LIST("delete"), "slack", "delete", false},
    {"a pattern denies", LIST(NULL), LIST("github::del*"), "github", "delete", false},
    {"a whole server is denied", LIST(NULL), LIST("github::*"), "github", "x", false},
    {"a server's longer namesake is not", LIST(NULL), LIST("git::*"), "github", "x", true},
    {"a pattern without :: is for names", LIST(NULL), LIST("git*"), "github", "x", true},
    {"servers by pattern", LIST(NULL), LIST("git*::x"), "github", "x", false},
    {"the last of several", LIST(NULL), LIST("a", "b", "github::x"), "github", "x", false},
    {"only what is allowed", LIST("github::get_*"), LIST(NULL), "github", "delete", false},
    {"what is allowed", LIST("github::get_*"), LIST(NULL), "github", "get_me", true},
    {"deny wins", LIST("*"), LIST("github::*"), "github", "get_me", false},
    {"all are allowed", LIST("*"), LIST(NULL), "github", "get_me", true},
    {"a tool without a server", LIST(NULL), LIST("shell"), "", "shell", false},
    {"a tool that calls itself another", LIST(NULL), LIST("*::delete"), "a", "b::delete", false},
    {"case counts", LIST(NULL), LIST("github::Delete"), "github", "delete", true},
    {"nothing is denied by nothing", LIST(NULL), LIST(""), "github", "x", true},
    {"a tool without a name", LIST(NULL), LIST("x"), "", "", true},
};

static size_t fill(const char *const texts[3], deft_view views[3])
{
    size_t count = 0;
    for (; count < 3 && texts[count] != NULL; count++) {
        views[count] = deft_view_of(texts[count]);
    }
    return count;
}

static void allow_and_deny(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        deft_settings settings;
        deft_view     allowed[3];
        deft_view     denied[3];
        case_name(cases[i].name);
        deft_settings_init(&settings, DEFT_PRESET_DEFT);
        settings.allowed_tools      = allowed;
        settings.allowed_tool_count = fill(cases[i].allow, allowed);
        settings.denied_tools       = denied;
        settings.denied_tool_count  = fill(cases[i].deny, denied);
        assert_int_equal(deft_permissions_allow(&settings, deft_view_of(cases[i].server),
                                                deft_view_of(cases[i].tool)),
                         cases[i].is_allowed);
    }
}

static void names_too_long_are_not_allowed(void **state)
{
    (void)state;
    static char   text[1100];
    deft_settings settings;
    memset(text, 'x', sizeof text);
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    assert_true(
        deft_permissions_allow(&settings, deft_view_make(text, 512), deft_view_make(text, 512)));
    assert_false(
        deft_permissions_allow(&settings, deft_view_make(text, 513), deft_view_make(text, 512)));
    assert_false(
        deft_permissions_allow(&settings, deft_view_make(text, 1100), deft_view_make(text, 1)));
    assert_false(deft_permissions_allow(&settings, deft_view_of("a"), deft_view_make(text, 1100)));
}

static void lists_of_a_server(void **state)
{
    (void)state;
    static const deft_view         some[]  = {DEFT_VIEW_INIT("get_*"), DEFT_VIEW_INIT("list")};
    static const deft_view         one[]   = {DEFT_VIEW_INIT("get_all")};
    static const deft_server_tools lists[] = {
        {.server          = DEFT_VIEW_INIT("both"),
         .is_included_set = true,
         .included        = some,
         .included_count  = 2,
         .excluded        = one,
         .excluded_count  = 1},
        {.server = DEFT_VIEW_INIT("but"), .excluded = one, .excluded_count = 1},
        {.server = DEFT_VIEW_INIT("none"), .is_included_set = true},
    };
    static const struct {
        const char *name;
        const char *server;
        const char *tool;
        bool        is_allowed;
    } asked[] = {
        {"included by pattern", "both", "get_one", true},
        {"included by name", "both", "list", true},
        {"not included", "both", "delete", false},
        {"included and excluded", "both", "get_all", false},
        {"excluded", "but", "get_all", false},
        {"all but the excluded", "but", "delete", true},
        {"an empty list includes nothing", "none", "list", false},
        {"a server without lists", "other", "get_all", true},
        {"a server before all others", "aaa", "get_all", true},
        {"a server behind all others", "zzz", "get_all", true},
        {"a server whose name goes on", "butter", "get_all", true},
        {"no server", "", "get_all", true},
    };
    deft_settings settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.server_tools       = lists;
    settings.server_tools_count = array_size(lists);
    for (size_t i = 0; i < array_size(asked); i++) {
        case_name(asked[i].name);
        assert_int_equal(deft_permissions_allow(&settings, deft_view_of(asked[i].server),
                                                deft_view_of(asked[i].tool)),
                         asked[i].is_allowed);
    }
}

// A model in front of a catalog with forbidden tools. What it is told must be what it would be told
// were they not there at all.
typedef struct guarded {
    test_scene     scene;
    deft_index    *index;
    deft_searcher *searcher;
    deft_session  *session;
    deft_answer    answer;
    deft_call      call;
} guarded;

static const deft_view denied[] = {DEFT_VIEW_INIT("vault::obliterate_zymurgy"),
                                   DEFT_VIEW_INIT("closed::*")};

static const char forbidden_tool[] =
    "[{\"name\":\"obliterate_zymurgy\",\"description\":\"A quixotic deed\",\"inputSchema\":"
    "{\"type\":\"object\",\"properties\":{\"borborygmus\":{\"type\":\"string\"}}}}]";
static const char doors[] =
    "[{\"name\":\"open_door\",\"description\":\"Opens a door\",\"inputSchema\":{}},"
    "{\"name\":\"shut_door\",\"description\":\"Shuts a door\",\"inputSchema\":{}}]";
static const char forbidden_server[] =
    "{\"instructions\":\"Say sesame.\",\"tools\":[{\"name\":\"open_sesame\","
    "\"description\":\"sesame\",\"inputSchema\":{}}]}";

static void guarded_init(guarded *guard, deft_ranking ranking, bool has_forbidden)
{
    deft_error           error   = DEFT_ERROR_INIT;
    deft_catalog_options options = DEFT_CATALOG_OPTIONS_INIT;
    test_scene_init(&guard->scene, DEFT_PRESET_DEFT);
    deft_settings *settings     = &guard->scene.settings;
    settings->mode              = DEFT_MODE_ON;
    settings->ranking           = ranking;
    settings->denied_tools      = denied;
    settings->denied_tool_count = array_size(denied);
    deft_permissions_apply(settings, &options);
    deft_catalog_builder_free(guard->scene.builder);
    guard->scene.builder = deft_catalog_builder_new(&options, NULL, &error);
    assert_non_null(guard->scene.builder);
    if (has_forbidden) {
        test_scene_add_json(&guard->scene, "vault", DEFT_SERVER_MCP, forbidden_tool);
    }
    test_scene_add_json(&guard->scene, "vault", DEFT_SERVER_MCP, doors);
    if (has_forbidden) {
        test_scene_add_json(&guard->scene, "closed", DEFT_SERVER_MCP, forbidden_server);
    }
    test_scene_plan(&guard->scene);
    guard->index = deft_index_new(guard->scene.catalog, NULL, &error);
    assert_non_null(guard->index);
    guard->searcher = deft_searcher_new(guard->index, NULL, &error);
    guard->session  = deft_session_new(guard->scene.plan, settings, NULL, &error);
    assert_true(guard->searcher != NULL && guard->session != NULL);
    deft_answer_init(&guard->answer, NULL);
    deft_call_init(&guard->call, NULL);
}

static void guarded_clear(guarded *guard)
{
    deft_call_clear(&guard->call);
    deft_answer_clear(&guard->answer);
    deft_session_free(guard->session);
    deft_searcher_free(guard->searcher);
    deft_index_free(guard->index);
    test_scene_clear(&guard->scene);
}

static void assert_same(const deft_buffer *a, const deft_buffer *b)
{
    if (!deft_view_equal(deft_buffer_view(a), deft_buffer_view(b))) {
        print_error("guarded: %.*s\nwithout: %.*s\n", (int)a->size, a->data, (int)b->size, b->data);
        fail();
    }
}

static void assert_same_answer(const guarded *a, const guarded *b)
{
    assert_same(&a->answer.text, &b->answer.text);
    assert_same(&a->answer.structured, &b->answer.structured);
    assert_int_equal(a->answer.is_error, b->answer.is_error);
    assert_int_equal(a->answer.found_count, b->answer.found_count);
}

static const char *const searches[] = {
    "{\"query\":\"obliterate zymurgy\"}",
    "{\"query\":\"oblitreate zymurgi\"}",
    "{\"query\":\"obliterate_zymurgy\"}",
    "{\"query\":\"a quixotic deed\"}",
    "{\"query\":\"quixotik\"}",
    "{\"query\":\"borborygmus\"}",
    "{\"query\":\"vault::obliterate_zymurgy\"}",
    "{\"query\":\"vault__obliterate_zymurgy\"}",
    "{\"query\":\"select:obliterate_zymurgy\"}",
    "{\"query\":\"select:oblitreate_zymurgi\"}",
    "{\"query\":\"select:vault::obliterate_zymurgy,open_door\"}",
    "{\"query\":\"/oblit.rate/i\"}",
    "{\"query\":\"oblit.rate\"}",
    "{\"query\":\".*\"}",
    "{\"query\":\"server:vault\"}",
    "{\"query\":\"server:closed open\"}",
    "{\"query\":\"+obliterate door\"}",
    "{\"query\":\"door -obliterate\"}",
    "{\"query\":\"\\\"obliterate\\\", \\\"open door\\\"\"}",
    "{\"query\":\"open\",\"max_results\":20}",
    "{\"query\":\"zzzz\"}",
    "{\"tool_id\":\"vault::obliterate_zymurgy\"}",
    "{\"tool_id\":\"vault::oblitreate_zymurgy\"}",
    "{\"tool_id\":\"closed::open_sesame\"}",
};

static void no_search_tells_of_it(void **state)
{
    (void)state;
    static const deft_ranking rankings[] = {DEFT_RANKING_HYBRID, DEFT_RANKING_BM25,
                                            DEFT_RANKING_KEYWORD, DEFT_RANKING_REGEX};
    for (size_t i = 0; i < array_size(rankings); i++) {
        guarded guards[2];
        guarded_init(&guards[0], rankings[i], true);
        guarded_init(&guards[1], rankings[i], false);
        for (size_t j = 0; j < array_size(searches); j++) {
            case_name(searches[j]);
            for (size_t k = 0; k < 2; k++) {
                deft_error error = DEFT_ERROR_INIT;
                assert_ok(deft_bridge_search(guards[k].session, guards[k].searcher,
                                             &guards[k].scene.settings, deft_view_of(searches[j]),
                                             &guards[k].answer, &error),
                          error);
            }
            assert_same_answer(&guards[0], &guards[1]);
        }
        guarded_clear(&guards[0]);
        guarded_clear(&guards[1]);
    }
}

// Called by itself, through the bridge, and described.
static void no_call_reaches_it(void **state)
{
    (void)state;
    static const char *const names[] = {
        "vault::obliterate_zymurgy", "vault__obliterate_zymurgy",
        "obliterate_zymurgy",        "mcp__vault__obliterate_zymurgy",
        "Obliterate_Zymurgy",        "oblitreate_zymurgy",
        "closed::open_sesame",       "open_sesame",
    };
    guarded guards[2];
    guarded_init(&guards[0], DEFT_RANKING_HYBRID, true);
    guarded_init(&guards[1], DEFT_RANKING_HYBRID, false);
    for (size_t i = 0; i < array_size(names); i++) {
        char wrapped[100];
        char single[100];
        (void)snprintf(wrapped, sizeof wrapped, "{\"tool_name\":\"%s\"}", names[i]);
        (void)snprintf(single, sizeof single, "{\"%s\":{}}", names[i]);
        const struct {
            deft_view   name;
            const char *arguments;
        } calls[] = {{deft_view_of(names[i]), "{}"},
                     {deft_view_of("tool_call"), wrapped},
                     {deft_view_of("tool_call"), single}};
        case_name(names[i]);
        for (size_t j = 0; j < array_size(calls); j++) {
            for (size_t k = 0; k < 2; k++) {
                assert_int_not_equal(deft_bridge_call(guards[k].session, &guards[k].scene.settings,
                                                      calls[j].name,
                                                      deft_view_of(calls[j].arguments),
                                                      &guards[k].call, &guards[k].answer, NULL),
                                     DEFT_OK);
            }
            assert_same_answer(&guards[0], &guards[1]);
        }
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(deft_bridge_describe(guards[k].session, &guards[k].scene.settings,
                                                  deft_view_of(wrapped), &guards[k].answer, NULL),
                             DEFT_OK);
        }
        assert_same_answer(&guards[0], &guards[1]);
    }
    guarded_clear(&guards[0]);
    guarded_clear(&guards[1]);
}

// Listings of every level, status, the tool list, an explanation.
static void write_everything(const guarded *guard, deft_buffer *out)
{
    deft_settings listing = guard->scene.settings;
    for (int level = DEFT_LISTING_FULL; level <= DEFT_LISTING_NONE; level++) {
        listing.listing = (deft_listing_level)level;
        assert_int_equal(deft_listing_write(guard->scene.plan, &listing, out, NULL), DEFT_OK);
    }
    assert_int_equal(deft_session_write_status(guard->session, out), DEFT_OK);
    assert_int_equal(deft_session_write_status_json(guard->session, out), DEFT_OK);
    assert_int_equal(deft_session_write_tools(guard->session, DEFT_FORM_MCP, DEFT_NAMING_WIRE, out),
                     DEFT_OK);

    const deft_query  query       = {.text     = DEFT_VIEW_INIT("oblitreate zymurgi quixotic door"),
                                     .ranking  = DEFT_RANKING_HYBRID,
                                     .hits_max = 10};
    deft_explanation *explanation = deft_explanation_new(guard->searcher, &query, NULL, NULL, NULL);
    assert_non_null(explanation);
    assert_int_equal(deft_explanation_write(explanation, out), DEFT_OK);
    assert_int_equal(deft_explanation_write_json(explanation, out), DEFT_OK);
    deft_explanation_free(explanation);
}

static void nothing_else_tells_of_it(void **state)
{
    (void)state;
    guarded     guards[2];
    deft_buffer texts[2];
    for (size_t i = 0; i < 2; i++) {
        guarded_init(&guards[i], DEFT_RANKING_HYBRID, i == 0);
        deft_buffer_init(&texts[i], NULL);
        write_everything(&guards[i], &texts[i]);
        assert_int_equal(deft_catalog_tool_count(guards[i].scene.catalog), 2);
        assert_int_equal(deft_catalog_problem_count(guards[i].scene.catalog), 0);
    }
    assert_same(&texts[0], &texts[1]);
    assert_true(deft_catalog_version(guards[0].scene.catalog) ==
                deft_catalog_version(guards[1].scene.catalog));
    for (size_t i = 0; i < 2; i++) {
        deft_buffer_clear(&texts[i]);
        guarded_clear(&guards[i]);
    }
}

// In a file of one definition a line a second tool of a name is known by its key; that is denied,
// too.
static void a_key_is_denied_like_a_name(void **state)
{
    (void)state;
    static const deft_view key     = DEFT_VIEW_INIT("s::second");
    deft_error             error   = DEFT_ERROR_INIT;
    deft_catalog_options   options = DEFT_CATALOG_OPTIONS_INIT;
    deft_settings          settings;
    deft_settings_init(&settings, DEFT_PRESET_DEFT);
    settings.denied_tools      = &key;
    settings.denied_tool_count = 1;
    deft_permissions_apply(&settings, &options);
    deft_catalog_builder *builder = deft_catalog_builder_new(&options, NULL, &error);
    assert_ok(deft_catalog_builder_add(
                  builder, NULL,
                  deft_view_of("{\"server\":\"s\",\"id\":\"first\",\"name\":\"t\"}\n"
                               "{\"server\":\"s\",\"id\":\"second\",\"name\":\"t\"}\n"
                               "{\"server\":\"s\",\"id\":\"third\",\"name\":\"t\"}\n"),
                  &error),
              error);
    deft_catalog *catalog = deft_catalog_builder_finish(builder, &error);
    deft_tool_id  tool;
    assert_int_equal(deft_catalog_tool_count(catalog), 2);
    assert_true(deft_catalog_find(catalog, deft_view_of("s::t"), &tool));
    assert_false(deft_catalog_find(catalog, key, &tool));
    assert_true(deft_catalog_find(catalog, deft_view_of("s::third"), &tool));
    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allow_and_deny),
        cmocka_unit_test(names_too_long_are_not_allowed),
        cmocka_unit_test(lists_of_a_server),
        cmocka_unit_test(no_search_tells_of_it),
        cmocka_unit_test(no_call_reaches_it),
        cmocka_unit_test(nothing_else_tells_of_it),
        cmocka_unit_test(a_key_is_denied_like_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
