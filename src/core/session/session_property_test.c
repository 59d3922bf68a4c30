// What must always hold, tried with random operations against a model of a session that is as
// simple as can be. Proves A10, B6, D1, D5.
#include "deft/session.h"

#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

#define ENTRIES_MAX 200
#define SCENES_MAX  400

// The model: what is seen, in order.
typedef struct seen_entry {
    char     id[32];
    bool     is_loaded;
    bool     is_gone;
    uint32_t search;
} seen_entry;

typedef struct seen_model {
    seen_entry entries[ENTRIES_MAX];
    size_t     count;
    uint32_t   search_count;
} seen_model;

typedef struct test_world {
    test_random   random;
    deft_session *session;
    seen_model    model;
    test_scene    scenes[SCENES_MAX]; // all that ever were: nothing may depend on their release
    size_t        scene_count;
    deft_rule     rules[4];
    bool          is_loaded_kept;
} test_world;

static test_scene *current(test_world *world)
{
    return &world->scenes[world->scene_count - 1];
}

// One of four servers, with some of six tools, in one of two versions.
static void add_server(test_world *world, test_scene *scene, size_t number)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    deft_buffer              text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[");
    for (uint64_t tool = 0; tool < 6; tool++) {
        if (test_random_once_in(&world->random, 4)) {
            continue;
        }
        deft_buffer_append_text(&text, text.size > 1 ? ",{\"name\":\"t" : "{\"name\":\"t");
        deft_buffer_append_u64(&text, tool);
        deft_buffer_append_text(&text, "\",\"description\":\"version ");
        deft_buffer_append_u64(&text, test_random_below(&world->random, 2));
        deft_buffer_append_text(&text, "\",\"inputSchema\":{}}");
    }
    deft_buffer_append_text(&text, "]");
    deft_buffer_append_byte(&text, '\0');
    test_scene_add_json(scene, names[number], DEFT_SERVER_MCP, text.data);
    deft_buffer_clear(&text);
}

static void add_scene(test_world *world)
{
    static const char *const patterns[] = {"a", "b", "c", "d"};
    assert_true(world->scene_count < SCENES_MAX);
    test_scene *scene = &world->scenes[world->scene_count++];
    test_scene_init(scene, DEFT_PRESET_DEFT);
    size_t rule_count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (!test_random_once_in(&world->random, 3)) {
            add_server(world, scene, i);
        }
        if (test_random_once_in(&world->random, 2)) {
            world->rules[rule_count++] = (deft_rule){deft_view_of(patterns[i]), false};
        }
    }
    scene->settings.mode = test_random_once_in(&world->random, 5) ? DEFT_MODE_OFF : DEFT_MODE_ON;
    scene->settings.is_loaded_kept    = world->is_loaded_kept;
    scene->settings.server_rules      = world->rules;
    scene->settings.server_rule_count = rule_count;
    test_scene_plan(scene);
}

static bool is_deferred(const test_scene *scene, deft_tool_id tool)
{
    return deft_plan_decision(scene->plan, tool).place == DEFT_PLACE_DEFERRED;
}

static bool model_has(const seen_model *model, deft_view id)
{
    for (size_t i = 0; i < model->count; i++) {
        if (deft_view_equals(id, model->entries[i].id)) {
            return true;
        }
    }
    return false;
}

static void model_append(seen_model *model, deft_view id, bool is_loaded, uint32_t search)
{
    assert_true(model->count < ENTRIES_MAX);
    seen_entry *entry = &model->entries[model->count++];
    memcpy(entry->id, id.data, id.size);
    entry->id[id.size] = '\0';
    entry->is_loaded   = is_loaded;
    entry->is_gone     = false;
    entry->search      = search;
}

static void model_append_upfront(seen_model *model, const test_scene *scene)
{
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_view id = deft_catalog_tool(scene->catalog, (deft_tool_id){i})->id;
        if (!is_deferred(scene, (deft_tool_id){i}) && !model_has(model, id)) {
            model_append(model, id, false, 0);
        }
    }
}

static void model_update(seen_model *model, const test_scene *scene)
{
    for (size_t i = 0; i < model->count; i++) {
        seen_entry  *entry = &model->entries[i];
        deft_tool_id tool;
        entry->is_gone = !deft_catalog_find(scene->catalog, deft_view_of(entry->id), &tool);
        if (!entry->is_gone && (!entry->is_loaded || !is_deferred(scene, tool))) {
            entry->is_loaded = false;
            entry->search    = 0;
        }
    }
    model_append_upfront(model, scene);
}

// Drops loaded entries: all, or those with this id or bare name.
static size_t model_drop(seen_model *model, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->count; i++) {
        const seen_entry entry    = model->entries[i];
        const bool       is_meant = name == NULL || strcmp(entry.id, name) == 0 ||
                              strcmp(strstr(entry.id, "::") + 2, name) == 0;
        if (!(entry.is_loaded && is_meant)) {
            model->entries[kept++] = entry;
        }
    }
    const size_t dropped = model->count - kept;
    model->count         = kept;
    return dropped;
}

// The session is what the model says; every tool of the catalog is in exactly one place.
static void check(test_world *world)
{
    const seen_model     *model = &world->model;
    const test_scene     *scene = current(world);
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(world->session, &count);
    assert_int_equal(count, model->count);
    for (size_t i = 0; i < count; i++) {
        const seen_entry *entry = &model->entries[i];
        assert_view_equal(deft_catalog_tool(seen[i].catalog, seen[i].tool)->id, entry->id);
        assert_int_equal(seen[i].state, entry->is_gone     ? DEFT_SEEN_GONE
                                        : entry->is_loaded ? DEFT_SEEN_LOADED
                                                           : DEFT_SEEN_UPFRONT);
        assert_int_equal(seen[i].search, entry->search);
    }
    for (uint32_t i = 0; i < deft_catalog_tool_count(scene->catalog); i++) {
        const deft_tool_id tool      = {i};
        const deft_view    id        = deft_catalog_tool(scene->catalog, tool)->id;
        size_t             times     = 0;
        bool               is_loaded = false;
        for (size_t n = 0; n < model->count; n++) {
            if (deft_view_equals(id, model->entries[n].id)) {
                is_loaded = model->entries[n].is_loaded;
                times++;
            }
        }
        assert_true(times <= 1);
        assert_int_equal(deft_session_is_visible(world->session, tool), times == 1);
        assert_int_equal(deft_session_is_loaded(world->session, tool), is_loaded);
        assert_true(times == 1 || is_deferred(scene, tool));
    }
}

static void load(test_world *world)
{
    const size_t tools = deft_catalog_tool_count(current(world)->catalog);
    if (tools == 0) {
        return;
    }
    const deft_tool_id tool = {(uint32_t)test_random_below(&world->random, tools)};
    const uint32_t     search =
        (uint32_t)test_random_below(&world->random, world->model.search_count + (size_t)1);
    const deft_view id     = deft_catalog_tool(current(world)->catalog, tool)->id;
    bool            is_new = false;
    deft_error      error  = DEFT_ERROR_INIT;
    assert_ok(deft_session_load(world->session, tool, search, &is_new, &error), error);
    assert_int_equal(is_new, !model_has(&world->model, id));
    if (is_new) {
        model_append(&world->model, id, true, search);
    }
}

static void compact(test_world *world)
{
    static const char *const names[] = {"a::t0", "b::t1", "c::t2", "d::t3", "t4", "t5", "nobody"};
    const char              *name    = names[test_random_below(&world->random, array_size(names))];
    const deft_view          view    = deft_view_of(name);
    assert_int_equal(deft_session_report_compaction(world->session, &view, 1),
                     model_drop(&world->model, name));
}

// Saved and restored it is the same, but for what is gone.
static void save_and_restore(test_world *world)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer saved;
    deft_buffer again;
    deft_buffer_init(&saved, NULL);
    deft_buffer_init(&again, NULL);
    assert_int_equal(deft_session_save(world->session, &saved), DEFT_OK);
    deft_session *restored = deft_session_restore(current(world)->plan, &current(world)->settings,
                                                  deft_buffer_view(&saved), NULL, NULL, &error);
    assert_ok(error.status, error);
    seen_model *model = &world->model;
    size_t      kept  = 0;
    for (size_t i = 0; i < model->count; i++) {
        if (!model->entries[i].is_gone) {
            model->entries[kept++] = model->entries[i];
        }
    }
    const bool is_whole = kept == model->count;
    model->count        = kept;
    deft_session_free(world->session);
    world->session = restored;
    assert_int_equal(deft_session_save(restored, &again), DEFT_OK);
    if (is_whole) {
        assert_true(deft_view_equal(deft_buffer_view(&saved), deft_buffer_view(&again)));
    }
    deft_buffer_clear(&again);
    deft_buffer_clear(&saved);
}

typedef enum operation_kind {
    SEARCH,
    LOAD,
    LOAD_TOO,
    LOAD_AS_WELL,
    UPDATE,
    END_TURN,
    COMPACT,
    RESET,
    RESTORE,
    OPERATIONS
} operation_kind;

static void operate(test_world *world, operation_kind operation)
{
    deft_error error = DEFT_ERROR_INIT;
    switch (operation) {
    case SEARCH:
        assert_int_equal(deft_session_record_search(world->session, deft_view_of("q")),
                         ++world->model.search_count);
        break;
    case LOAD:
    case LOAD_TOO:
    case LOAD_AS_WELL:
        load(world);
        break;
    case UPDATE:
        add_scene(world);
        assert_ok(deft_session_update(world->session, current(world)->plan, &error), error);
        model_update(&world->model, current(world));
        break;
    case END_TURN: {
        const size_t dropped = deft_session_end_turn(world->session);
        assert_int_equal(dropped, world->is_loaded_kept ? 0 : model_drop(&world->model, NULL));
        break;
    }
    case COMPACT:
        compact(world);
        break;
    case RESET:
        assert_ok(deft_session_reset(world->session, current(world)->plan, &error), error);
        world->model.count        = 0;
        world->model.search_count = 0;
        model_append_upfront(&world->model, current(world));
        break;
    case RESTORE:
        save_and_restore(world);
        break;
    case OPERATIONS:
        break;
    }
}

// What was sent before an operation is sent after it too, byte for byte, unless something was
// asked to be forgotten.
static void operate_and_check(test_world *world)
{
    const operation_kind operation = (operation_kind)test_random_below(&world->random, OPERATIONS);
    const deft_form      form      = (deft_form)test_random_below(&world->random, 3);
    size_t               sent      = 0;
    deft_buffer          before;
    deft_buffer          after;
    deft_buffer_init(&before, NULL);
    deft_buffer_init(&after, NULL);
    deft_session_visible(world->session, &sent);
    const uint64_t hash = deft_session_prefix_hash(world->session, sent);
    deft_session_write_tools(world->session, form, DEFT_NAMING_WIRE, &before);

    operate(world, operation);

    deft_session_write_tools(world->session, form, DEFT_NAMING_WIRE, &after);
    if (operation <= UPDATE) {
        assert_int_equal(deft_session_prefix_hash(world->session, sent), hash);
        assert_true(deft_view_starts_with(deft_buffer_view(&after),
                                          deft_view_make(before.data, before.size - 1)));
    } else if (deft_session_prefix_hash(world->session, sent) == hash) {
        assert_true(deft_view_starts_with(deft_buffer_view(&after),
                                          deft_view_make(before.data, before.size - 1)));
    }
    deft_buffer_clear(&after);
    deft_buffer_clear(&before);
}

static void random_operations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static test_world world;
        deft_error        error = DEFT_ERROR_INIT;
        memset(&world, 0, sizeof world);
        world.random.state   = seed;
        world.is_loaded_kept = seed % 2 == 0;
        add_scene(&world);
        world.session =
            deft_session_new(current(&world)->plan, &current(&world)->settings, NULL, &error);
        assert_non_null(world.session);
        model_append_upfront(&world.model, current(&world));
        check(&world);
        for (int step = 0; step < 250; step++) {
            operate_and_check(&world);
            check(&world);
        }
        deft_session_free(world.session);
        for (size_t i = 0; i < world.scene_count; i++) {
            test_scene_clear(&world.scenes[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
