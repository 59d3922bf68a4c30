// What holds for every plan, tried on 2,000 random scenes. Proves A2, A5, A6 and A7 as properties.
#include "deft/policy.h"

#include "base/glob.h"
#include "support/random_scene.h"
#include "support/test.h"

enum {
    SCENES = 2000
};

static uint64_t count_uses(void *context, deft_view tool_id)
{
    (void)context;
    return (uint64_t)tool_id.data[tool_id.size - 1] % 3;
}

static bool is_over(deft_cause cause)
{
    return cause == DEFT_CAUSE_CHARACTERS || cause == DEFT_CAUSE_TOKENS ||
           cause == DEFT_CAUSE_PERCENT;
}

static void check_counts(const test_scene *scene)
{
    const deft_plan_summary *summary  = deft_plan_summary_of(scene->plan);
    const size_t             count    = deft_catalog_tool_count(scene->catalog);
    size_t                   places[] = {0, 0, 0};
    deft_size                deferred = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const deft_place place = deft_plan_decision(scene->plan, (deft_tool_id){i}).place;
        assert_in_range(place, DEFT_PLACE_PINNED, DEFT_PLACE_DEFERRED);
        places[place]++;
        if (place == DEFT_PLACE_DEFERRED) {
            deferred.characters += deft_sizes_tool(scene->sizes, (deft_tool_id){i}).characters;
            deferred.tokens += deft_sizes_tool(scene->sizes, (deft_tool_id){i}).tokens;
        }
    }
    assert_int_equal(summary->pinned_count, places[DEFT_PLACE_PINNED]);
    assert_int_equal(summary->visible_count, places[DEFT_PLACE_VISIBLE]);
    assert_int_equal(summary->deferred_count, places[DEFT_PLACE_DEFERRED]);
    assert_int_equal(places[0] + places[1] + places[2], count);
    assert_int_equal(summary->deferred.tokens, deferred.tokens);
    assert_int_equal(summary->deferred.characters, deferred.characters);
    assert_int_equal(summary->total.tokens, deft_sizes_total(scene->sizes).tokens);
    assert_int_equal(summary->is_active, summary->deferred_count > 0);
    assert_true(summary->deferred_count <= summary->deferrable_count);
    assert_true(scene->settings.mode != DEFT_MODE_OFF || summary->deferred_count == 0);
}

// The first rule of a list that fits, the plain way.
static const deft_rule *first_rule(const deft_rule *rules, size_t count, deft_view name,
                                   deft_view id)
{
    for (size_t i = 0; i < count; i++) {
        const deft_view pattern = rules[i].pattern;
        const bool      has_id  = pattern.size > 2 && memchr(pattern.data, ':', pattern.size);
        if (deft__glob_match(pattern, has_id ? id : name)) {
            return &rules[i];
        }
    }
    return NULL;
}

// Pins hold and rules are followed.
static void check_rules(const test_scene *scene)
{
    const deft_settings *settings = &scene->settings;
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_tool    *tool     = deft_catalog_tool(scene->catalog, (deft_tool_id){i});
        const deft_server  *server   = deft_catalog_server(scene->catalog, tool->server);
        const deft_decision decision = deft_plan_decision(scene->plan, (deft_tool_id){i});
        const deft_rule    *rule =
            first_rule(settings->tool_rules, settings->tool_rule_count, tool->name, tool->id);
        bool is_core = false;
        for (size_t c = 0; c < settings->core_tool_count && settings->is_core_tools_set; c++) {
            const deft_rule core = {settings->core_tools[c], false};
            is_core              = is_core || first_rule(&core, 1, tool->name, tool->id) != NULL;
        }
        if (rule == NULL && server->name.size > 0) {
            rule = first_rule(settings->server_rules, settings->server_rule_count, server->name,
                              server->name);
        }

        if (settings->mode == DEFT_MODE_OFF) {
            assert_int_equal(decision.place, DEFT_PLACE_VISIBLE);
        } else if (server->kind == DEFT_SERVER_BUILTIN || is_core) {
            assert_int_equal(decision.place, DEFT_PLACE_PINNED);
        } else if (rule != NULL) {
            assert_int_equal(decision.place,
                             rule->is_deferred ? DEFT_PLACE_DEFERRED : DEFT_PLACE_PINNED);
            assert_true(deft_view_equal(decision.rule, rule->pattern));
        } else if (tool->is_always_load) {
            assert_int_not_equal(decision.place, DEFT_PLACE_DEFERRED);
        }
    }
}

static uint64_t room(deft_threshold threshold)
{
    return threshold.is_set ? threshold.value : UINT64_MAX;
}

// The room that a scene's thresholds leave to its open tools, pinned ones taken off.
static deft_size room_of(const test_scene *scene)
{
    const deft_settings *settings = &scene->settings;
    const uint64_t       tokens   = room(settings->threshold_tokens);
    const uint64_t       percent  = room(settings->threshold_permyriad);
    deft_size            left     = {.characters = room(settings->threshold_characters),
                                     .tokens     = tokens < percent ? tokens : percent};

    // Of what is measured, that which is neither open nor deferred by a rule is pinned.
    deft_size pinned = deft_plan_summary_of(scene->plan)->measured;
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_decision decision = deft_plan_decision(scene->plan, (deft_tool_id){i});
        if (decision.reason == DEFT_REASON_FITS || decision.place == DEFT_PLACE_DEFERRED) {
            pinned.characters -= deft_plan_size(scene->plan, (deft_tool_id){i}).characters;
            pinned.tokens -= deft_plan_size(scene->plan, (deft_tool_id){i}).tokens;
        }
    }
    if (pinned.characters > left.characters || pinned.tokens > left.tokens) {
        return (deft_size){0, 0};
    }
    left.characters -= pinned.characters;
    left.tokens -= pinned.tokens;
    return left;
}

// The open tool whose turn it is: the most used, the first of equals. False when none is left.
static bool next_open(const test_scene *scene, const bool *is_done, uint32_t *next)
{
    bool     is_found = false;
    uint64_t most     = 0;
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_reason reason  = deft_plan_decision(scene->plan, (deft_tool_id){i}).reason;
        const deft_view   id      = deft_catalog_tool(scene->catalog, (deft_tool_id){i})->id;
        const uint64_t    uses    = scene->usage.count != NULL ? count_uses(NULL, id) : 0;
        const bool        is_open = reason == DEFT_REASON_FITS || reason == DEFT_REASON_OVERFLOWS;
        if (is_open && !is_done[i] && (!is_found || uses > most)) {
            is_found = true;
            most     = uses;
            *next    = i;
        }
    }
    return is_found;
}

// Fills the room again, the slow way.
static void check_overflow(const test_scene *scene)
{
    bool is_done[100] = {false};
    if (scene->settings.defer != DEFT_DEFER_OVERFLOW ||
        !is_over(deft_plan_summary_of(scene->plan)->cause)) {
        return;
    }
    assert_true(deft_catalog_tool_count(scene->catalog) <= array_size(is_done));
    deft_size left = room_of(scene);
    for (uint32_t i = 0; next_open(scene, is_done, &i);) {
        const deft_size size = deft_plan_size(scene->plan, (deft_tool_id){i});
        const bool      fits = size.characters <= left.characters && size.tokens <= left.tokens;
        assert_int_equal(deft_plan_decision(scene->plan, (deft_tool_id){i}).reason,
                         fits ? DEFT_REASON_FITS : DEFT_REASON_OVERFLOWS);
        left.characters -= fits ? size.characters : 0;
        left.tokens -= fits ? size.tokens : 0;
        is_done[i] = true;
    }
}

static void check_same(const test_scene *scene, const deft_plan *other)
{
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_decision a = deft_plan_decision(scene->plan, (deft_tool_id){i});
        const deft_decision b = deft_plan_decision(other, (deft_tool_id){i});
        assert_int_equal(a.place, b.place);
        assert_int_equal(a.reason, b.reason);
        assert_true(deft_view_equal(a.rule, b.rule));
    }
    assert_int_equal(deft_plan_summary_of(scene->plan)->cause, deft_plan_summary_of(other)->cause);
}

// The same again is the same again; and where all or nothing is deferred, a higher threshold never
// defers a tool that a lower one does not. (Overflow may: one large tool that now fits can take the
// room of several small ones.)
static void check_against_others(test_scene *scene)
{
    deft_plan *first = deft_plan_retain(scene->plan);
    test_scene_plan(scene);
    check_same(scene, first);

    scene->settings.threshold_characters.value += 100;
    scene->settings.threshold_tokens.value += 100;
    scene->settings.threshold_permyriad.value += 100;
    test_scene_plan(scene);
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        if (scene->settings.defer == DEFT_DEFER_ALL &&
            deft_plan_decision(scene->plan, (deft_tool_id){i}).place == DEFT_PLACE_DEFERRED) {
            assert_int_equal(deft_plan_decision(first, (deft_tool_id){i}).place,
                             DEFT_PLACE_DEFERRED);
        }
    }
    deft_plan_release(first);
}

static void check_explanations(const test_scene *scene)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const size_t start = out.size;
        assert_int_equal(deft_plan_explain(scene->plan, (deft_tool_id){i}, &out), DEFT_OK);
        assert_true(out.size > start);
    }
    assert_int_equal(deft_plan_explain_cause(scene->plan, &out), DEFT_OK);
    assert_null(memchr(out.data, '\n', out.size));
    deft_buffer_clear(&out);
}

static void plans_of_random_scenes(void **state)
{
    (void)state;
    test_random random = {.state = 1};
    size_t      causes[DEFT_CAUSE_ALL_PINNED + 1];
    memset(causes, 0, sizeof causes);
    for (int i = 0; i < SCENES; i++) {
        test_random_scene drawn;
        test_random_scene_init(&drawn, &random);
        drawn.scene.usage.count = test_random_once_in(&random, 3) ? NULL : count_uses;
        test_scene_plan(&drawn.scene);
        causes[deft_plan_summary_of(drawn.scene.plan)->cause]++;
        check_counts(&drawn.scene);
        check_rules(&drawn.scene);
        check_overflow(&drawn.scene);
        check_explanations(&drawn.scene);
        check_against_others(&drawn.scene);
        test_random_scene_clear(&drawn);
    }
    for (size_t i = 0; i < array_size(causes); i++) {
        print_message("  %s: %zu\n", deft_cause_name((deft_cause)i), causes[i]);
        assert_true(causes[i] > 0); // the scenes reach everything
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_random_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
