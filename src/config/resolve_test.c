// Properties of the whole: what is shown can be set, and says the same; no failed allocation leaks
// or half-changes anything. Proves E2 and E3.
#include "config/keys.h"
#include "deft/config.h"
#include "json/writer.h"

#include "support/allocator.h"
#include "support/test.h"

// A small generator with a fixed seed (xorshift).
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t pick(uint32_t *state, uint32_t count)
{
    return next_random(state) % count;
}

// A value that a key takes, at random.
static void write_random_value(uint32_t *state, const deft__key_info *info, deft_buffer *out)
{
    static const char *const items[] = {"read", "a,b", " edge ",   "none",      "x*",
                                        "s::t", "[",   "\xC3\xA9", "tab\there", "q=r"};
    const uint64_t           span    = info->max - info->min + 1;
    switch (info->kind) {
    case DEFT__KIND_MODE: {
        static const char *const words[] = {"true", "false", "on", "off", "auto", "auto:12.25"};
        deft_buffer_append_text(out, words[pick(state, 6)]);
        break;
    }
    case DEFT__KIND_BOOL:
        deft_buffer_append_text(out, pick(state, 2) == 0 ? "true" : "no");
        break;
    case DEFT__KIND_COUNT:
        if (info->field == DEFT__FIELD_THRESHOLD && pick(state, 3) == 0) {
            break; // unset
        }
        deft_buffer_append_u64(out, info->min + next_random(state) % span);
        break;
    case DEFT__KIND_PERCENT:
    case DEFT__KIND_DECIMAL:
        deft_buffer_append_u64(out, pick(state, 100));
        deft_buffer_append_byte(out, '.');
        deft_buffer_append_u64(out, pick(state, 100));
        break;
    case DEFT__KIND_ENUM:
        deft_buffer_append_text(out, info->word(pick(state, info->word_count)));
        break;
    case DEFT__KIND_FLAGS:
        deft_buffer_append_text(out, pick(state, 2) == 0 ? "limit,query" : "query,tool_id");
        break;
    case DEFT__KIND_NAME:
        deft_buffer_append_text(out, "name_");
        deft_buffer_append_u64(out, next_random(state));
        break;
    case DEFT__KIND_TEXT: {
        static const char *const texts[] = {"", "null", "none", " say \"so\"\nor not ",
                                            "\xC3\xA9,"};
        deft_buffer_append_text(out, texts[pick(state, 5)]);
        break;
    }
    case DEFT__KIND_LIST:
    case DEFT__KIND_RULES: {
        deft__json_writer writer;
        const uint32_t    count = pick(state, 4);
        deft__json_writer_init(&writer, out);
        deft__json_begin_array(&writer);
        for (uint32_t i = 0; i < count; i++) {
            deft_buffer item;
            deft_buffer_init(&item, NULL);
            deft_buffer_append_text(&item, items[pick(state, array_size(items))]);
            if (info->kind == DEFT__KIND_RULES) {
                deft_buffer_append_text(&item, pick(state, 2) == 0 ? "=pinned" : "=deferred");
            }
            deft__json_write_string(&writer, deft_buffer_view(&item));
            deft_buffer_clear(&item);
        }
        deft__json_end_array(&writer);
        break;
    }
    }
}

static void assert_rules_equal(const deft_rule *a, size_t a_count, const deft_rule *b,
                               size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; i++) {
        assert_true(deft_view_equal(a[i].pattern, b[i].pattern));
        assert_int_equal(a[i].is_deferred, b[i].is_deferred);
    }
}

static void assert_lists_equal(const deft_view *a, size_t a_count, const deft_view *b,
                               size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; i++) {
        assert_true(deft_view_equal(a[i], b[i]));
    }
}

static void assert_thresholds_equal(deft_threshold a, deft_threshold b)
{
    assert_int_equal(a.is_set, b.is_set);
    assert_true(!a.is_set || a.value == b.value);
}

// Every field, by name: a field that the table of keys forgot shows here.
static void assert_settings_equal(const deft_settings *a, const deft_settings *b)
{
    assert_int_equal(a->preset, b->preset);
    assert_int_equal(a->mode, b->mode);
    assert_thresholds_equal(a->threshold_characters, b->threshold_characters);
    assert_thresholds_equal(a->threshold_tokens, b->threshold_tokens);
    assert_thresholds_equal(a->threshold_permyriad, b->threshold_permyriad);
    assert_int_equal(a->context_window_tokens, b->context_window_tokens);
    assert_int_equal(a->token_family, b->token_family);
    assert_int_equal(a->measured_form, b->measured_form);
    assert_int_equal(a->defer, b->defer);
    assert_int_equal(a->is_core_tools_set, b->is_core_tools_set);
    assert_lists_equal(a->core_tools, a->core_tool_count, b->core_tools, b->core_tool_count);
    assert_rules_equal(a->server_rules, a->server_rule_count, b->server_rules,
                       b->server_rule_count);
    assert_rules_equal(a->tool_rules, a->tool_rule_count, b->tool_rules, b->tool_rule_count);
    assert_int_equal(a->is_mcp_disabled, b->is_mcp_disabled);
    assert_true(deft_view_equal(a->search_name, b->search_name));
    assert_true(deft_view_equal(a->describe_name, b->describe_name));
    assert_true(deft_view_equal(a->call_name, b->call_name));
    assert_int_equal(a->search_parameters, b->search_parameters);
    assert_int_equal(a->listing, b->listing);
    assert_int_equal(a->listing_budget_tokens, b->listing_budget_tokens);
    assert_int_equal(a->listing_description_size_max, b->listing_description_size_max);
    assert_int_equal(a->listing_instructions_size_max, b->listing_instructions_size_max);
    assert_int_equal(a->ranking, b->ranking);
    assert_int_equal(a->results_default, b->results_default);
    assert_int_equal(a->results_max, b->results_max);
    assert_int_equal(a->matching_threshold_milli, b->matching_threshold_milli);
    assert_int_equal(a->is_fallback_listed, b->is_fallback_listed);
    assert_int_equal(a->result_budget_tokens, b->result_budget_tokens);
    assert_int_equal(a->style, b->style);
    assert_int_equal(a->is_loaded_kept, b->is_loaded_kept);
}

// The same for what a gateway needs.
static void assert_gateway_settings_equal(const deft_settings *a, const deft_settings *b)
{
    assert_true(deft_view_equal(a->search_description, b->search_description));
    assert_true(deft_view_equal(a->describe_description, b->describe_description));
    assert_true(deft_view_equal(a->call_description, b->call_description));
    assert_int_equal(a->call_tools, b->call_tools);
    assert_true(deft_view_equal(a->call_read_only_name, b->call_read_only_name));
    assert_int_equal(a->is_argument_checked, b->is_argument_checked);
    assert_int_equal(a->is_argument_repaired, b->is_argument_repaired);
    assert_lists_equal(a->allowed_tools, a->allowed_tool_count, b->allowed_tools,
                       b->allowed_tool_count);
    assert_lists_equal(a->denied_tools, a->denied_tool_count, b->denied_tools,
                       b->denied_tool_count);
    assert_true(deft_view_equal(a->hook_before_call, b->hook_before_call));
    assert_true(deft_view_equal(a->hook_after_call, b->hook_after_call));
    assert_int_equal(a->hook_timeout_ms, b->hook_timeout_ms);
    assert_int_equal(a->is_journal_kept, b->is_journal_kept);
    assert_int_equal(a->has_journal_arguments, b->has_journal_arguments);
    assert_int_equal(a->journal_rows_max, b->journal_rows_max);
    assert_int_equal(a->call_timeout_ms, b->call_timeout_ms);
    assert_int_equal(a->start_timeout_ms, b->start_timeout_ms);
    assert_int_equal(a->probe_timeout_ms, b->probe_timeout_ms);
    assert_int_equal(a->idle_stop_ms, b->idle_stop_ms);
    assert_int_equal(a->restart_min_ms, b->restart_min_ms);
    assert_int_equal(a->restart_max_ms, b->restart_max_ms);
    assert_int_equal(a->refresh_age_ms, b->refresh_age_ms);
    assert_int_equal(a->first_wait_ms, b->first_wait_ms);
    assert_int_equal(a->calls_max, b->calls_max);
    assert_int_equal(a->queue_max, b->queue_max);
    assert_int_equal(a->message_size_max, b->message_size_max);
    assert_int_equal(a->stderr_size_max, b->stderr_size_max);
    assert_true(deft_view_equal(a->remote_ca, b->remote_ca));
    assert_true(deft_view_equal(a->http_tls_certificate, b->http_tls_certificate));
    assert_true(deft_view_equal(a->http_tls_key, b->http_tls_key));
    assert_true(deft_view_equal(a->http_tls_client_ca, b->http_tls_client_ca));
    assert_int_equal(a->discoveries_max, b->discoveries_max);
    assert_true(deft_view_equal(a->http_listen, b->http_listen));
    assert_int_equal(a->http_host_count, b->http_host_count);
    assert_int_equal(a->http_origin_count, b->http_origin_count);
    assert_int_equal(a->is_http_cors_on, b->is_http_cors_on);
    assert_int_equal(a->http_head_size_max, b->http_head_size_max);
    assert_int_equal(a->http_body_size_max, b->http_body_size_max);
    assert_int_equal(a->http_requests_max, b->http_requests_max);
    assert_int_equal(a->http_connections_max, b->http_connections_max);
    assert_int_equal(a->http_request_idle_ms, b->http_request_idle_ms);
    assert_int_equal(a->http_request_ms, b->http_request_ms);
    assert_int_equal(a->http_write_idle_ms, b->http_write_idle_ms);
    assert_int_equal(a->http_keep_alive_ms, b->http_keep_alive_ms);
    assert_int_equal(a->http_sessions_max, b->http_sessions_max);
    assert_int_equal(a->http_session_idle_ms, b->http_session_idle_ms);
    assert_int_equal(a->http_failures_per_second, b->http_failures_per_second);
    assert_int_equal(a->http_grace_ms, b->http_grace_ms);
}

// Sets some keys of some layers at random. False when they contradict one another.
static bool fill_at_random(deft_config *config, uint32_t *state)
{
    for (unsigned i = 0; i < DEFT__KEY_COUNT; i++) {
        const deft__key_info *info  = deft__key_info_of((deft__key)i);
        const deft_layer      layer = (deft_layer)(DEFT_LAYER_USER_FILE + pick(state, 4));
        deft_error            error = DEFT_ERROR_INIT;
        deft_buffer           value;
        deft_buffer_init(&value, NULL);
        write_random_value(state, info, &value);
        if (pick(state, 3) > 0) {
            assert_ok(deft_config_set(config, layer, deft_view_of(info->name),
                                      deft_buffer_view(&value), deft_view_of("here"), &error),
                      error);
        }
        deft_buffer_clear(&value);
    }
    const deft_status status = deft_config_resolve(config, NULL);
    assert_true(status == DEFT_OK || status == DEFT_CONFLICT);
    return status == DEFT_OK;
}

static void what_is_shown_can_be_set(void **state)
{
    (void)state;
    uint32_t random  = 20250701;
    size_t   checked = 0;
    for (size_t i = 0; i < 400; i++) {
        deft_config *config = deft_config_new(NULL, NULL);
        deft_config *again  = deft_config_new(NULL, NULL);
        deft_error   error  = DEFT_ERROR_INIT;
        if (fill_at_random(config, &random)) {
            for (size_t j = 0; j < deft_config_entry_count(config); j++) {
                const deft_config_entry entry = deft_config_entry_at(config, j);
                assert_ok(deft_config_set(again, DEFT_LAYER_COMMAND_LINE, deft_view_of(entry.key),
                                          entry.value, deft_view_of("again"), &error),
                          error);
            }
            assert_ok(deft_config_resolve(again, &error), error);
            assert_settings_equal(deft_config_settings(config), deft_config_settings(again));
            assert_gateway_settings_equal(deft_config_settings(config),
                                          deft_config_settings(again));
            checked++;
        }
        deft_config_free(config);
        deft_config_free(again);
    }
    assert_true(checked > 100);
}

// The same written into a file, key by key.
static void what_is_shown_can_be_written(void **state)
{
    (void)state;
    uint32_t random = 77;
    for (size_t i = 0; i < 60; i++) {
        deft_config *config = deft_config_new(NULL, NULL);
        deft_config *again  = deft_config_new(NULL, NULL);
        deft_error   error  = DEFT_ERROR_INIT;
        deft_buffer  texts[2];
        size_t       turn = 0;
        deft_buffer_init(&texts[0], NULL);
        deft_buffer_init(&texts[1], NULL);
        if (fill_at_random(config, &random)) {
            for (size_t j = 0; j < deft_config_entry_count(config); j++) {
                const deft_config_entry entry = deft_config_entry_at(config, j);
                deft_buffer_reset(&texts[1 - turn]);
                assert_ok(deft_config_edit(deft_buffer_view(&texts[turn]), deft_view_of(entry.key),
                                           entry.value, &texts[1 - turn], &error),
                          error);
                turn = 1 - turn;
            }
            assert_ok(deft_config_add_file(again, DEFT_LAYER_USER_FILE, deft_view_of("f.json"),
                                           deft_buffer_view(&texts[turn]), &error),
                      error);
            assert_ok(deft_config_resolve(again, &error), error);
            assert_settings_equal(deft_config_settings(config), deft_config_settings(again));
            assert_gateway_settings_equal(deft_config_settings(config),
                                          deft_config_settings(again));
            assert_int_equal(deft_config_warning_count(again) > 1, false);
        }
        deft_config_free(config);
        deft_config_free(again);
        deft_buffer_clear(&texts[0]);
        deft_buffer_clear(&texts[1]);
    }
}

// Everything that a config does, for the allocator that fails.
static const char json_file[] =
    "{ // all of it\n"
    "  \"preset\": \"kiro\", \"env\": {\"ENABLE_TOOL_SEARCH\": \"auto:5\", \"DEFT_STYLE\": "
    "\"load\"},\n"
    "  \"toolSearch\": {\"maxResults\": 8, \"coreTools\": [\"a\", \"b\\u0041\"], \"typo\": 1,\n"
    "    \"searchName\": \"x\", \"tools\": {\"a*\": true, \"b\": {\"alwaysLoad\": true, \"z\": "
    "1}}},\n"
    "  \"mcpServers\": {\n"
    "    \"one\": {\"command\": [\"x\", \"y\"], \"args\": [\"a\\tb\", 1], \"env\": {\"A\": "
    "\"b\"},\n"
    "      \"cwd\": \"/\", \"deferLoading\": true, \"tools\": {\"t*\": false}, \"envFile\": "
    "\"e\"},\n"
    "    \"two\": {\"url\": \"u\", \"headers\": {\"H\": \"v\"}, \"nope\": 1}},\n"
    "  \"mystery\": 0, \"mystery\": 1}\n";

static const char toml_file[] =
    "a = [1, { b = 'c' }]\n[mcp_servers.three]\nurl = \"u\"\nhttp_headers = { A = \"b\" }\n"
    "env_http_headers = { C = \"D\" }\nbearer_token_env_var = \"T\"\n"
    "[mcp_servers.four]\ncommand = \"\"\"\nx\\ty\"\"\"\nn = 0x10\n[[list]]\nx.y = 1\n";

static bool use_config(const deft_allocator *allocator, void *context)
{
    deft_config *config = deft_config_new(allocator, NULL);
    deft_buffer  origin;
    (void)context;
    deft_buffer_init(&origin, allocator);
    deft_status status = config != NULL ? DEFT_OK : DEFT_OUT_OF_MEMORY;
    if (status == DEFT_OK) {
        status = deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f.json"),
                                      deft_view_of(json_file), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_add_file(config, DEFT_LAYER_USER_FILE, deft_view_of("f.toml"),
                                      deft_view_of(toml_file), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_add_value(config, DEFT_LAYER_PROJECT_FILE, deft_view_of("host"),
                                       deft_view_of("{\"minPct\": 3}"), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_add_variable(config, deft_view_of("DEFT_CORE_TOOLS"),
                                          deft_view_of("[\"x\", \"y,\\u00e9\"]"), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_add_variable(config, deft_view_of("DEFT_STILE"), deft_view_of("load"),
                                          NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_set(config, DEFT_LAYER_COMMAND_LINE, deft_view_of("tools"),
                                 deft_view_of("q=pinned"), deft_view_of("--set"), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_set(config, DEFT_LAYER_USER_FILE, deft_view_of("minPct"),
                                 deft_view_of("none"), deft_view_of("--set"), NULL);
    }
    if (status == DEFT_OK) {
        status = deft_config_resolve(config, NULL);
    }
    if (status == DEFT_OK) {
        const deft_config_entry entry = deft_config_entry_at(config, DEFT__KEY_PRESET);
        assert_int_equal(deft_config_server_count(config), 4);
        status = deft_config_write_origin(&entry, &origin);
    }
    deft_buffer_clear(&origin);
    deft_config_free(config);
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    return status == DEFT_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(use_config, NULL) > 50);
}

// A config that could not take a file is as good as before, and a later resolve works.
static void a_failed_add_changes_nothing(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at < 200; fail_at++) {
        test_allocator allocator;
        test_allocator_init(&allocator);
        deft_config *config = deft_config_new(&allocator.allocator, NULL);
        assert_int_equal(deft_config_set(config, DEFT_LAYER_USER_FILE, deft_view_of("minPct"),
                                         deft_view_of("1"), deft_view_of("x"), NULL),
                         DEFT_OK);
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        allocator.fail_at       = allocator.requests + fail_at;
        const deft_status added = deft_config_add_file(
            config, DEFT_LAYER_PROJECT_FILE, deft_view_of("f.json"), deft_view_of(json_file), NULL);
        const deft_status resolved = deft_config_resolve(config, NULL);
        allocator.fail_at          = 0;
        if (added != DEFT_OK || resolved != DEFT_OK) {
            assert_int_equal(deft_config_settings(config)->threshold_permyriad.value, 100);
            assert_int_equal(deft_config_server_count(config), 0);
        }
        assert_int_equal(deft_config_resolve(config, NULL), DEFT_OK);
        assert_int_equal(deft_config_server_count(config), added == DEFT_OK ? 2 : 0);
        deft_config_free(config);
        assert_int_equal(allocator.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_can_be_set),
        cmocka_unit_test(what_is_shown_can_be_written),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failed_add_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
