// What is pinned, visible and deferred. Proves A1, A2, A3, A5, A6, A7, A8 and A9.
#include "deft/policy.h"

#include "support/allocator.h"
#include "support/scene.h"
#include "support/test.h"

#define TOOL(name, more) "[{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}" more "}]"
#define ALWAYS_LOAD      ",\"_meta\":{\"anthropic/alwaysLoad\":true}"
#define DEFERRABLE       ",\"deferrable\":true"

// Rules and lists as short texts: "+x" pins x, "-x" defers x.
static size_t read_rules(const char *text, deft_rule *rules)
{
    size_t count = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, " ");
        rules[count++] =
            (deft_rule){.pattern = deft_view_make(text + 1, size - 1), .is_deferred = *text == '-'};
        text += size + strspn(text + size, " ");
    }
    return count;
}

// Proves A6, A7 and A8: each line is one tool and all that is said about it.
static const struct {
    const char      *name;
    deft_server_kind kind;
    const char      *server;
    const char      *tool;         // definitions
    const char      *core;         // NULL: the default set
    const char      *server_rules; // as for read_rules
    const char      *tool_rules;
    deft_mode        mode;
    deft_place       place;
    deft_reason      reason;
    const char      *rule;
} decisions[] = {
    {"an MCP tool is deferrable", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "", "", DEFT_MODE_ON,
     DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"a host's tool is not", DEFT_SERVER_HOST, "", TOOL("t", ""), NULL, "", "", DEFT_MODE_ON,
     DEFT_PLACE_VISIBLE, DEFT_REASON_NOT_DEFERRABLE, ""},
    {"unless it is marked", DEFT_SERVER_HOST, "", TOOL("t", DEFERRABLE), NULL, "", "", DEFT_MODE_ON,
     DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"or is called mcp_something", DEFT_SERVER_HOST, "", TOOL("mcp_t", ""), NULL, "", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"mcp without the underscore does not count", DEFT_SERVER_HOST, "", TOOL("mcpt", ""), NULL, "",
     "", DEFT_MODE_ON, DEFT_PLACE_VISIBLE, DEFT_REASON_NOT_DEFERRABLE, ""},
    {"a built-in tool never is, though marked", DEFT_SERVER_BUILTIN, "", TOOL("mcp_t", DEFERRABLE),
     NULL, "", "", DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_BUILTIN, ""},
    {"nor by any rule", DEFT_SERVER_BUILTIN, "s", TOOL("t", ""), NULL, "-s", "-t", DEFT_MODE_ON,
     DEFT_PLACE_PINNED, DEFT_REASON_BUILTIN, ""},

    {"a core tool is never deferred", DEFT_SERVER_MCP, "s", TOOL("read_file", ""), NULL, "", "",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_CORE, "read_file"},
    {"the core set may be another", DEFT_SERVER_MCP, "s", TOOL("t", ""), "t", "", "", DEFT_MODE_ON,
     DEFT_PLACE_PINNED, DEFT_REASON_CORE, "t"},
    {"then the default one does not count", DEFT_SERVER_MCP, "s", TOOL("read_file", ""), "t", "",
     "", DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"the core set may be empty", DEFT_SERVER_MCP, "s", TOOL("read_file", ""), "", "", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"the core set may name one server's tool", DEFT_SERVER_MCP, "s", TOOL("t", ""), "s::*", "", "",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_CORE, "s::*"},
    {"a tool's rule beats the default core set", DEFT_SERVER_MCP, "s", TOOL("read_file", ""), NULL,
     "", "-read_file", DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_TOOL_RULE, "read_file"},
    {"a server's rule beats it too", DEFT_SERVER_MCP, "s", TOOL("read_file", ""), NULL, "-s", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_SERVER_RULE, "s"},
    {"a core set that was set beats the rules", DEFT_SERVER_MCP, "s", TOOL("t", ""), "t", "-s",
     "-t", DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_CORE, "t"},

    {"deferLoading: true on the server", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "-s", "",
     DEFT_MODE_AUTO, DEFT_PLACE_DEFERRED, DEFT_REASON_SERVER_RULE, "s"},
    {"deferLoading: false on the server", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "+s", "",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_SERVER_RULE, "s"},
    {"another server's rule says nothing", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "+other", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"a rule for every server", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "+*", "", DEFT_MODE_ON,
     DEFT_PLACE_PINNED, DEFT_REASON_SERVER_RULE, "*"},
    {"is not about tools without one", DEFT_SERVER_HOST, "", TOOL("t", DEFERRABLE), NULL, "+*", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON, ""},
    {"a tool's rule wins over its server's", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "-s", "+t",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_TOOL_RULE, "t"},
    {"the other way round too", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "+s", "-s::t",
     DEFT_MODE_AUTO, DEFT_PLACE_DEFERRED, DEFT_REASON_TOOL_RULE, "s::t"},
    {"a tool's rule by pattern", DEFT_SERVER_MCP, "s", TOOL("get_it", ""), NULL, "-s", "+get_*",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_TOOL_RULE, "get_*"},
    {"the first of two rules", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "", "-* +t", DEFT_MODE_ON,
     DEFT_PLACE_DEFERRED, DEFT_REASON_TOOL_RULE, "*"},
    {"a rule may defer a host's tool", DEFT_SERVER_HOST, "", TOOL("t", ""), NULL, "", "-t",
     DEFT_MODE_AUTO, DEFT_PLACE_DEFERRED, DEFT_REASON_TOOL_RULE, "t"},

    {"its own _meta pins a tool", DEFT_SERVER_MCP, "s", TOOL("t", ALWAYS_LOAD), NULL, "", "",
     DEFT_MODE_ON, DEFT_PLACE_PINNED, DEFT_REASON_ALWAYS_LOAD, ""},
    {"where no rule for it says otherwise", DEFT_SERVER_MCP, "s", TOOL("t", ALWAYS_LOAD), NULL, "",
     "-t", DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_TOOL_RULE, "t"},
    {"nor for its server", DEFT_SERVER_MCP, "s", TOOL("t", ALWAYS_LOAD), NULL, "-s", "",
     DEFT_MODE_ON, DEFT_PLACE_DEFERRED, DEFT_REASON_SERVER_RULE, "s"},

    {"below the threshold", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "", "", DEFT_MODE_AUTO,
     DEFT_PLACE_VISIBLE, DEFT_REASON_BELOW_THRESHOLD, ""},
    {"off: visible", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "", "", DEFT_MODE_OFF,
     DEFT_PLACE_VISIBLE, DEFT_REASON_MODE_OFF, ""},
    {"off: whatever the rules", DEFT_SERVER_MCP, "s", TOOL("t", ""), NULL, "-s", "-t",
     DEFT_MODE_OFF, DEFT_PLACE_VISIBLE, DEFT_REASON_MODE_OFF, ""},
};

static void decisions_for_one_tool(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(decisions); i++) {
        case_name(decisions[i].name);
        deft_rule       server_rules[4];
        deft_rule       tool_rules[4];
        const deft_view core = deft_view_of(decisions[i].core);
        test_scene      scene;
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        test_scene_add_json(&scene, decisions[i].server, decisions[i].kind, decisions[i].tool);
        scene.settings.mode              = decisions[i].mode;
        scene.settings.is_core_tools_set = decisions[i].core != NULL;
        scene.settings.core_tools        = &core;
        scene.settings.core_tool_count   = core.size > 0 ? 1 : 0;
        scene.settings.server_rules      = server_rules;
        scene.settings.server_rule_count = read_rules(decisions[i].server_rules, server_rules);
        scene.settings.tool_rules        = tool_rules;
        scene.settings.tool_rule_count   = read_rules(decisions[i].tool_rules, tool_rules);
        test_scene_plan(&scene);

        const deft_decision decision = deft_plan_decision(scene.plan, (deft_tool_id){0});
        assert_string_equal(deft_place_name(decision.place), deft_place_name(decisions[i].place));
        assert_string_equal(deft_reason_name(decision.reason),
                            deft_reason_name(decisions[i].reason));
        assert_view_equal(decision.rule, decisions[i].rule);
        test_scene_clear(&scene);
    }
}

static void no_core_tool_is_deferred(void **state)
{
    (void)state;
    size_t           count = 0;
    const deft_view *names = deft_core_tools(&count);
    deft_buffer      list;
    deft_buffer_init(&list, NULL);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append(&list, names[i]);
        deft_buffer_append_byte(&list, i + 1 < count ? ' ' : '\0');
    }
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "everything", DEFT_SERVER_MCP, list.data);
    scene.settings.mode = DEFT_MODE_ON;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->pinned_count, count);
    assert_int_equal(deft_plan_summary_of(scene.plan)->deferrable_count, 0);
    assert_int_equal(deft_plan_summary_of(scene.plan)->cause, DEFT_CAUSE_NOTHING_DEFERRABLE);
    test_scene_clear(&scene);
    deft_buffer_clear(&list);
}

// Proves A1: what the thresholds are compared with.
static void only_what_is_deferrable_is_measured(void **state)
{
    (void)state;
    const deft_rule rules[] = {{deft_view_of("pinned"), false}, {deft_view_of("taken"), true}};
    test_scene      scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "open pinned read_file");
    test_scene_add(&scene, "host", DEFT_SERVER_HOST, "own taken");
    test_scene_add(&scene, "builtin", DEFT_SERVER_BUILTIN, "bash");
    scene.settings.tool_rules      = rules;
    scene.settings.tool_rule_count = array_size(rules);
    test_scene_plan(&scene);

    static const char *const measured[] = {"s::open", "s::pinned", "host::taken"};
    deft_size                sum        = {0, 0};
    for (size_t i = 0; i < array_size(measured); i++) {
        const deft_size size = deft_plan_size(scene.plan, test_scene_tool(&scene, measured[i]));
        sum.characters += size.characters;
        sum.tokens += size.tokens;
    }
    const deft_plan_summary *summary = deft_plan_summary_of(scene.plan);
    assert_int_equal(summary->deferrable_count, array_size(measured));
    assert_int_equal(summary->measured.characters, sum.characters);
    assert_int_equal(summary->measured.tokens, sum.tokens);
    assert_int_equal(summary->total.tokens, deft_sizes_total(scene.sizes).tokens);
    assert_int_equal(summary->total.characters, deft_sizes_total(scene.sizes).characters);
    test_scene_clear(&scene);
}

// How far a threshold lies from what is measured.
typedef enum threshold_distance {
    UNSET,
    ZERO,
    BELOW, // one less than what is measured
    EXACT,
    ABOVE
} threshold_distance;

static deft_threshold at_distance(threshold_distance distance, uint64_t measured)
{
    switch (distance) {
    case UNSET:
        return (deft_threshold){.is_set = false};
    case ZERO:
        return (deft_threshold){.is_set = true, .value = 0};
    case BELOW:
        return (deft_threshold){.is_set = true, .value = measured - 1};
    case EXACT:
        return (deft_threshold){.is_set = true, .value = measured};
    case ABOVE:
        return (deft_threshold){.is_set = true, .value = measured + 1};
    }
    return (deft_threshold){.is_set = false};
}

// Proves A2 and A3.
static const struct {
    const char        *name;
    threshold_distance characters;
    threshold_distance tokens;
    threshold_distance percent;
    deft_cause         cause;
} thresholds[] = {
    {"no threshold is never exceeded", UNSET, UNSET, UNSET, DEFT_CAUSE_BELOW_THRESHOLD},
    {"characters: fewer are not more", ABOVE, UNSET, UNSET, DEFT_CAUSE_BELOW_THRESHOLD},
    {"characters: as many are not more", EXACT, UNSET, UNSET, DEFT_CAUSE_BELOW_THRESHOLD},
    {"characters: one more is more", BELOW, UNSET, UNSET, DEFT_CAUSE_CHARACTERS},
    {"characters: 0 is any tool", ZERO, UNSET, UNSET, DEFT_CAUSE_CHARACTERS},
    {"tokens: fewer are not more", UNSET, ABOVE, UNSET, DEFT_CAUSE_BELOW_THRESHOLD},
    {"tokens: as many are not more", UNSET, EXACT, UNSET, DEFT_CAUSE_BELOW_THRESHOLD},
    {"tokens: one more is more", UNSET, BELOW, UNSET, DEFT_CAUSE_TOKENS},
    {"tokens: 0 is any tool", UNSET, ZERO, UNSET, DEFT_CAUSE_TOKENS},
    {"percent: fewer are not more", UNSET, UNSET, ABOVE, DEFT_CAUSE_BELOW_THRESHOLD},
    {"percent: as many are not more", UNSET, UNSET, EXACT, DEFT_CAUSE_BELOW_THRESHOLD},
    {"percent: one token more is more", UNSET, UNSET, BELOW, DEFT_CAUSE_PERCENT},
    {"percent: 0 is any tool", UNSET, UNSET, ZERO, DEFT_CAUSE_PERCENT},
    {"either is enough: characters", BELOW, ABOVE, ABOVE, DEFT_CAUSE_CHARACTERS},
    {"either is enough: tokens", ABOVE, BELOW, ABOVE, DEFT_CAUSE_TOKENS},
    {"either is enough: percent", EXACT, EXACT, BELOW, DEFT_CAUSE_PERCENT},
    {"all are below", EXACT, EXACT, EXACT, DEFT_CAUSE_BELOW_THRESHOLD},
    {"both at 0", UNSET, ZERO, ZERO, DEFT_CAUSE_TOKENS},
};

static void thresholds_are_strict_and_joined_by_or(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(thresholds); i++) {
        case_name(thresholds[i].name);
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a b c d e f g");
        test_scene_measure(&scene);
        const deft_size measured = deft_sizes_total(scene.sizes);
        scene.settings.threshold_characters =
            at_distance(thresholds[i].characters, measured.characters);
        scene.settings.threshold_tokens = at_distance(thresholds[i].tokens, measured.tokens);
        // In a window of 10,000 tokens a hundredth of a percent is one token.
        scene.settings.context_window_tokens = 10000;
        scene.settings.threshold_permyriad   = at_distance(thresholds[i].percent, measured.tokens);
        test_scene_plan(&scene);

        const deft_plan_summary *summary = deft_plan_summary_of(scene.plan);
        const bool               is_over = thresholds[i].cause != DEFT_CAUSE_BELOW_THRESHOLD;
        assert_string_equal(deft_cause_name(summary->cause), deft_cause_name(thresholds[i].cause));
        assert_int_equal(summary->is_active, is_over);
        assert_int_equal(summary->deferred_count, is_over ? 7 : 0);
        assert_int_equal(summary->deferred.tokens, is_over ? measured.tokens : 0);
        assert_int_equal(test_scene_decision(&scene, "s::a").reason,
                         is_over ? DEFT_REASON_OVER_THRESHOLD : DEFT_REASON_BELOW_THRESHOLD);
        test_scene_clear(&scene);
    }
}

// Proves A2: percent in whole numbers, exact where doubles and wrapping products are not.
static const struct {
    const char *name;
    uint64_t    permyriad;
    uint64_t    window;
    uint64_t    tokens; // the threshold
} percents[] = {
    {"10 % of 200,000", 1000, 200000, 20000},
    {"5 % of 200,000", 500, 200000, 10000},
    {"a fraction of a token is rounded down", 1, 19999, 1},
    {"less than a token", 1, 9999, 0},
    {"all of it", 10000, 123457, 123457},
    {"more than all of it", 15000, 1000, 1500},
    {"nothing of it", 0, 200000, 0},
    {"a third of a large window", 3333, UINT64_C(1) << 62, UINT64_C(1537074949941848388)},
    {"all of the largest window", 10000, UINT64_MAX, UINT64_MAX},
    {"more than there is", 20001, UINT64_MAX, UINT64_MAX},
    {"the most of the most", UINT64_MAX, UINT64_MAX, UINT64_MAX},
    {"a window of unknown size", 1000, 0, 0},
};

static void percent_is_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(percents); i++) {
        case_name(percents[i].name);
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        scene.settings.threshold_permyriad.value = percents[i].permyriad;
        scene.settings.context_window_tokens     = percents[i].window;
        test_scene_plan(&scene);
        assert_true(deft_plan_summary_of(scene.plan)->threshold_percent_tokens ==
                    percents[i].tokens);
        test_scene_clear(&scene);
    }
}

static void an_unknown_window_is_never_full(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a b");
    scene.settings.context_window_tokens = 0;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->cause, DEFT_CAUSE_BELOW_THRESHOLD);

    scene.settings.threshold_permyriad.value = 0;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->cause, DEFT_CAUSE_PERCENT);
    test_scene_clear(&scene);
}

// Proves A3 and A9: nothing to defer, so no search tool, in whatever mode.
static void without_deferrable_tools_it_is_inactive(void **state)
{
    (void)state;
    for (unsigned mode = DEFT_MODE_OFF; mode <= DEFT_MODE_AUTO; mode++) {
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        test_scene_add(&scene, "", DEFT_SERVER_BUILTIN, "bash edit");
        test_scene_add(&scene, "host", DEFT_SERVER_HOST, "own");
        scene.settings.mode                      = (deft_mode)mode;
        scene.settings.threshold_permyriad.value = 0;
        test_scene_plan(&scene);
        const deft_plan_summary *summary = deft_plan_summary_of(scene.plan);
        assert_false(summary->is_active);
        assert_int_equal(summary->deferred_count, 0);
        assert_int_equal(summary->cause, mode == DEFT_MODE_OFF ? DEFT_CAUSE_MODE_OFF
                                                               : DEFT_CAUSE_NOTHING_DEFERRABLE);
        test_scene_clear(&scene);
    }
}

static void rules_alone_can_make_it_active(void **state)
{
    (void)state;
    const deft_rule rule = {deft_view_of("jira"), true};
    test_scene      scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "jira", DEFT_SERVER_MCP, "a b");
    test_scene_add(&scene, "github", DEFT_SERVER_MCP, "a b c");
    scene.settings.server_rules      = &rule;
    scene.settings.server_rule_count = 1;
    test_scene_plan(&scene);
    const deft_plan_summary *summary = deft_plan_summary_of(scene.plan);
    assert_true(summary->is_active);
    assert_int_equal(summary->cause, DEFT_CAUSE_RULE);
    assert_int_equal(summary->deferred_count, 2);
    assert_int_equal(summary->visible_count, 3);
    assert_int_equal(summary->deferred.tokens,
                     deft_sizes_server(scene.sizes, (deft_server_id){0}).tokens);
    test_scene_clear(&scene);
}

static void pins_alone_can_make_it_inactive(void **state)
{
    (void)state;
    const deft_rule rule = {deft_view_of("*"), false};
    for (unsigned mode = DEFT_MODE_ON; mode <= DEFT_MODE_AUTO; mode++) {
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_DEFT);
        test_scene_add(&scene, "github", DEFT_SERVER_MCP, "a b c");
        scene.settings.mode                      = (deft_mode)mode;
        scene.settings.threshold_permyriad.value = 0;
        scene.settings.server_rules              = &rule;
        scene.settings.server_rule_count         = 1;
        test_scene_plan(&scene);
        const deft_plan_summary *summary = deft_plan_summary_of(scene.plan);
        assert_false(summary->is_active);
        assert_int_equal(summary->cause, DEFT_CAUSE_ALL_PINNED);
        assert_int_equal(summary->pinned_count, 3);
        test_scene_clear(&scene);
    }
}

// Used as often as its digit says: s::c3 three times.
static uint64_t count_by_digit(void *context, deft_view tool_id)
{
    (void)context;
    return (uint64_t)(tool_id.data[tool_id.size - 1] - '0');
}

// Which of the scene's tools are visible, as their names.
static void write_visible(const test_scene *scene, deft_buffer *out)
{
    deft_buffer_reset(out);
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        if (deft_plan_decision(scene->plan, (deft_tool_id){i}).place != DEFT_PLACE_DEFERRED) {
            deft_buffer_append_text(out, out->size > 0 ? " " : "");
            deft_buffer_append(out, deft_catalog_tool(scene->catalog, (deft_tool_id){i})->name);
        }
    }
}

// Proves A5. Tools of one scene have the same size but for `long_name`, so room is counted in tools.
static const struct {
    const char *name;
    const char *tools;
    const char *tool_rules; // as for read_rules
    bool        is_used;    // as often as the last digit of the name says
    unsigned    room;       // characters for so many tools of the size of the first
    const char *visible;
} overflows[] = {
    {"all fit: nothing is deferred", "a0 b0 c0", "", false, 3, "a0 b0 c0"},
    {"catalog order without usage", "a0 b0 c0", "", false, 2, "a0 b0"},
    {"the most used first", "a0 b1 c2", "", true, 2, "b1 c2"},
    {"catalog order among equals", "a1 b1 c1", "", true, 2, "a1 b1"},
    {"pinned ones before used ones", "a9 b0 c1", "+b0", true, 2, "a9 b0"},
    {"pinned ones take their room", "a0 b0 c0", "+c0", false, 2, "a0 c0"},
    {"pins alone may be too much", "a0 b0 c0", "+a0 +b0", false, 1, "a0 b0"},
    {"what a rule defers takes no room", "a0 b0 c0", "-a0", false, 2, "b0 c0"},
    {"a large one is passed over, a small one fits",
     "a0 much_longer_name_which_takes_more_than_one_tool_of_the_usual_size_would_have_taken_0 c0",
     "", false, 2, "a0 c0"},
    {"no room at all", "a0 b0", "", false, 0, ""},
};

static void overflow_fills_in_order(void **state)
{
    (void)state;
    deft_buffer visible;
    deft_buffer_init(&visible, NULL);
    for (size_t i = 0; i < array_size(overflows); i++) {
        case_name(overflows[i].name);
        deft_rule  rules[4];
        test_scene scene;
        test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
        test_scene_add(&scene, "s", DEFT_SERVER_MCP, overflows[i].tools);
        test_scene_measure(&scene);
        const deft_size first = deft_sizes_tool(scene.sizes, (deft_tool_id){0});
        scene.settings.mode   = DEFT_MODE_AUTO;
        scene.settings.threshold_characters =
            (deft_threshold){.is_set = true, .value = overflows[i].room * first.characters};
        scene.settings.tool_rules      = rules;
        scene.settings.tool_rule_count = read_rules(overflows[i].tool_rules, rules);
        scene.usage.count              = overflows[i].is_used ? count_by_digit : NULL;
        test_scene_plan(&scene);
        write_visible(&scene, &visible);
        assert_view_equal(deft_buffer_view(&visible), overflows[i].visible);
        test_scene_clear(&scene);
    }
    deft_buffer_clear(&visible);
}

static void overflow_keeps_to_the_tightest_threshold(void **state)
{
    (void)state;
    test_scene scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a b c d e f");
    test_scene_measure(&scene);
    const deft_size one                  = deft_sizes_tool(scene.sizes, (deft_tool_id){0});
    scene.settings.mode                  = DEFT_MODE_AUTO;
    scene.settings.threshold_characters  = (deft_threshold){true, 5 * one.characters};
    scene.settings.threshold_tokens      = (deft_threshold){true, 4 * one.tokens};
    scene.settings.context_window_tokens = 10000;
    scene.settings.threshold_permyriad   = (deft_threshold){true, 3 * one.tokens};
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->visible_count, 3);

    scene.settings.threshold_permyriad.is_set = false;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->visible_count, 4);

    scene.settings.threshold_tokens.is_set = false;
    test_scene_plan(&scene);
    assert_int_equal(deft_plan_summary_of(scene.plan)->visible_count, 5);
    assert_int_equal(test_scene_decision(&scene, "s::e").reason, DEFT_REASON_FITS);
    assert_int_equal(test_scene_decision(&scene, "s::f").reason, DEFT_REASON_OVERFLOWS);
    test_scene_clear(&scene);
}

static void a_plan_outlives_its_makers(void **state)
{
    (void)state;
    char            pattern[] = "s::*";
    const deft_rule rule      = {deft_view_of(pattern), false};
    test_scene      scene;
    test_scene_init(&scene, DEFT_PRESET_DEFT);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a");
    scene.settings.tool_rules      = &rule;
    scene.settings.tool_rule_count = 1;
    test_scene_plan(&scene);
    deft_plan *plan = deft_plan_retain(scene.plan);
    test_scene_clear(&scene);
    memset(pattern, 'x', sizeof pattern);

    assert_view_equal(deft_plan_decision(plan, (deft_tool_id){0}).rule, "s::*");
    assert_view_equal(deft_catalog_tool(deft_plan_catalog(plan), (deft_tool_id){0})->id, "s::a");
    deft_plan_release(plan);
    deft_plan_release(NULL);
}

static bool plan_once(const deft_allocator *allocator, void *context)
{
    const test_scene *scene = context;
    deft_error        error = DEFT_ERROR_INIT;
    deft_plan *plan = deft_plan_new(scene->catalog, scene->sizes, &scene->settings, &scene->usage,
                                    allocator, &error);
    assert_int_equal(error.status, plan != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY);
    deft_plan_release(plan);
    return plan != NULL;
}

static void without_memory(void **state)
{
    (void)state;
    const deft_rule rules[] = {{deft_view_of("a"), false}, {deft_view_of("b*"), true}};
    test_scene      scene;
    test_scene_init(&scene, DEFT_PRESET_CLAUDE_CODE);
    test_scene_add(&scene, "s", DEFT_SERVER_MCP, "a b c");
    scene.settings.mode                      = DEFT_MODE_AUTO;
    scene.settings.threshold_permyriad.value = 0;
    scene.settings.is_core_tools_set         = false;
    scene.settings.tool_rules                = rules;
    scene.settings.tool_rule_count           = array_size(rules);
    scene.settings.server_rules              = rules;
    scene.settings.server_rule_count         = array_size(rules);
    test_scene_measure(&scene);
    assert_true(test_every_allocation_fails(plan_once, &scene) >= 5);
    test_scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_for_one_tool),
        cmocka_unit_test(no_core_tool_is_deferred),
        cmocka_unit_test(only_what_is_deferrable_is_measured),
        cmocka_unit_test(thresholds_are_strict_and_joined_by_or),
        cmocka_unit_test(percent_is_exact),
        cmocka_unit_test(an_unknown_window_is_never_full),
        cmocka_unit_test(without_deferrable_tools_it_is_inactive),
        cmocka_unit_test(rules_alone_can_make_it_active),
        cmocka_unit_test(pins_alone_can_make_it_inactive),
        cmocka_unit_test(overflow_fills_in_order),
        cmocka_unit_test(overflow_keeps_to_the_tightest_threshold),
        cmocka_unit_test(a_plan_outlives_its_makers),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
