// Revisions, eras and capabilities, as peers declare them and as we do.
#include "mcp/era.h"

#include "support/allocator.h"
#include "support/test.h"

#include <limits.h>

static void eras_have_names(void **state)
{
    (void)state;
    for (int i = DEFT__MCP_ERA_UNKNOWN; i <= DEFT__MCP_ERA_MODERN; i++) {
        deft__mcp_era era = DEFT__MCP_ERA_UNKNOWN;
        assert_true(
            deft__mcp_era_from_name(deft_view_of(deft__mcp_era_name((deft__mcp_era)i)), &era));
        assert_int_equal(era, i);
    }
    deft__mcp_era era = DEFT__MCP_ERA_LEGACY;
    assert_false(deft__mcp_era_from_name(deft_view_of("Modern"), &era));
    assert_int_equal(era, DEFT__MCP_ERA_LEGACY);
    assert_string_equal(deft__mcp_era_name(DEFT__MCP_ERA_MODERN), "modern");
}

static void revisions_belong_to_one_era(void **state)
{
    (void)state;
    size_t             count    = 0;
    const char *const *versions = deft__mcp_versions(DEFT__MCP_ERA_LEGACY, &count);
    assert_int_equal(count, 4);
    assert_string_equal(versions[0], "2024-11-05");
    assert_string_equal(versions[3], DEFT__MCP_VERSION_LEGACY);
    for (size_t i = 0; i < count; i++) {
        assert_true(deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, deft_view_of(versions[i])));
        assert_false(deft__mcp_speaks(DEFT__MCP_ERA_MODERN, deft_view_of(versions[i])));
        assert_string_equal(deft__mcp_agree(deft_view_of(versions[i])), versions[i]);
        assert_true(i == 0 || strcmp(versions[i - 1], versions[i]) < 0);
    }
    versions = deft__mcp_versions(DEFT__MCP_ERA_MODERN, &count);
    assert_int_equal(count, 1);
    assert_string_equal(versions[0], DEFT__MCP_VERSION_MODERN);
    assert_true(deft__mcp_speaks(DEFT__MCP_ERA_MODERN, deft_view_of("2026-07-28")));
    assert_false(deft__mcp_speaks(DEFT__MCP_ERA_LEGACY, deft_view_of("2026-07-28")));
    assert_false(deft__mcp_speaks(DEFT__MCP_ERA_UNKNOWN, deft_view_of("2026-07-28")));
    assert_non_null(deft__mcp_versions(DEFT__MCP_ERA_UNKNOWN, &count));
    assert_int_equal(count, 0);
}

static void a_handshake_agrees_on_a_legacy_revision(void **state)
{
    (void)state;
    assert_string_equal(deft__mcp_agree(deft_view_of("2026-07-28")), "2025-11-25");
    assert_string_equal(deft__mcp_agree(deft_view_of("1999-01-01")), "2025-11-25");
    assert_string_equal(deft__mcp_agree(deft_view_of("")), "2025-11-25");
}

static const struct {
    const char *name;
    const char *json;
    unsigned    bits;
} clients[] = {
    {"nothing", "{}", 0},
    {"roots", "{\"roots\":{}}", DEFT__MCP_CLIENT_ROOTS},
    {"roots that may change", "{\"roots\":{\"listChanged\":true}}",
     DEFT__MCP_CLIENT_ROOTS | DEFT__MCP_CLIENT_ROOTS_CHANGED},
    {"roots that do not change", "{\"roots\":{\"listChanged\":false}}", DEFT__MCP_CLIENT_ROOTS},
    {"sampling", "{\"sampling\":{\"context\":{}}}", DEFT__MCP_CLIENT_SAMPLING},
    {"sampling with tools", "{\"sampling\":{\"tools\":{}}}",
     DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_SAMPLING_TOOLS},
    {"elicitation without details is forms only", "{\"elicitation\":{}}",
     DEFT__MCP_CLIENT_ELICITATION},
    {"forms by name", "{\"elicitation\":{\"form\":{}}}", DEFT__MCP_CLIENT_ELICITATION},
    {"URLs only", "{\"elicitation\":{\"url\":{}}}", DEFT__MCP_CLIENT_ELICITATION_URL},
    {"forms and URLs", "{\"elicitation\":{\"form\":{},\"url\":{}}}",
     DEFT__MCP_CLIENT_ELICITATION | DEFT__MCP_CLIENT_ELICITATION_URL},
    {"what is no object is not declared", "{\"roots\":true,\"sampling\":null,\"elicitation\":[]}",
     0},
    {"what is unknown is passed over", "{\"tasks\":{},\"experimental\":{\"x\":{}}}", 0},
    {"no object at all", "7", 0},
};

static const struct {
    const char *name;
    const char *json;
    unsigned    bits;
} servers[] = {
    {"nothing", "{}", 0},
    {"tools", "{\"tools\":{}}", DEFT__MCP_SERVER_TOOLS},
    {"tools that change", "{\"tools\":{\"listChanged\":true}}",
     DEFT__MCP_SERVER_TOOLS | DEFT__MCP_SERVER_TOOLS_CHANGED},
    {"everything",
     "{\"tools\":{\"listChanged\":true},\"prompts\":{\"listChanged\":true},"
     "\"resources\":{\"subscribe\":true,\"listChanged\":true},\"completions\":{},\"logging\":{}}",
     (1u << 9) - 1},
    {"details of something else", "{\"tools\":{\"subscribe\":true},\"prompts\":null}",
     DEFT__MCP_SERVER_TOOLS},
    {"no object at all", "[]", 0},
};

static void capabilities_are_read(void **state)
{
    (void)state;
    deft__json document;
    deft__json_init(&document, NULL);
    for (size_t i = 0; i < array_size(clients); i++) {
        case_name(clients[i].name);
        assert_int_equal(deft__json_parse(&document, deft_view_of(clients[i].json), NULL, NULL),
                         DEFT_OK);
        assert_int_equal(deft__mcp_client_capabilities(deft__json_root(&document)),
                         clients[i].bits);
    }
    for (size_t i = 0; i < array_size(servers); i++) {
        case_name(servers[i].name);
        assert_int_equal(deft__json_parse(&document, deft_view_of(servers[i].json), NULL, NULL),
                         DEFT_OK);
        assert_int_equal(deft__mcp_server_capabilities(deft__json_root(&document)),
                         servers[i].bits);
    }
    deft__json_clear(&document);
}

static void expect_client_capabilities(unsigned bits, deft__mcp_era era, const char *json)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__mcp_write_client_capabilities(&out, bits, era);
    assert_view_equal(deft_buffer_view(&out), json);
    deft_buffer_clear(&out);
}

static void capabilities_are_written(void **state)
{
    (void)state;
    const unsigned all = (1u << 6) - 1;
    expect_client_capabilities(0, DEFT__MCP_ERA_LEGACY, "{}");
    expect_client_capabilities(all, DEFT__MCP_ERA_LEGACY,
                               "{\"roots\":{\"listChanged\":true},\"sampling\":{\"tools\":{}},"
                               "\"elicitation\":{\"form\":{},\"url\":{}}}");
    expect_client_capabilities(all, DEFT__MCP_ERA_MODERN,
                               "{\"roots\":{},\"sampling\":{\"tools\":{}},"
                               "\"elicitation\":{\"form\":{},\"url\":{}}}");
    expect_client_capabilities(DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_ELICITATION_URL,
                               DEFT__MCP_ERA_LEGACY,
                               "{\"sampling\":{},\"elicitation\":{\"url\":{}}}");
}

// Every set of bits reads back as it was written, apart from details without their capability.
static void what_is_written_reads_back(void **state)
{
    (void)state;
    deft__json  document;
    deft_buffer out;
    deft__json_init(&document, NULL);
    deft_buffer_init(&out, NULL);
    for (unsigned bits = 0; bits < 1u << 9; bits++) {
        deft_buffer_reset(&out);
        deft__mcp_write_server_capabilities(&out, bits);
        assert_int_equal(deft__json_parse(&document, deft_buffer_view(&out), NULL, NULL), DEFT_OK);
        unsigned lost = 0;
        lost |= (bits & DEFT__MCP_SERVER_TOOLS) == 0 ? DEFT__MCP_SERVER_TOOLS_CHANGED : 0;
        lost |= (bits & DEFT__MCP_SERVER_PROMPTS) == 0 ? DEFT__MCP_SERVER_PROMPTS_CHANGED : 0;
        lost |= (bits & DEFT__MCP_SERVER_RESOURCES) == 0
                    ? DEFT__MCP_SERVER_RESOURCES_CHANGED | DEFT__MCP_SERVER_RESOURCES_SUBSCRIBE
                    : 0;
        assert_int_equal(deft__mcp_server_capabilities(deft__json_root(&document)), bits & ~lost);
    }
    deft_buffer_clear(&out);
    deft__json_clear(&document);
}

static const struct {
    const char *name;
    const char *method;
    const char *params;
    unsigned    bits;
} asks[] = {
    {"a ping needs nothing", "ping", "{}", 0},
    {"roots", "roots/list", "{}", DEFT__MCP_CLIENT_ROOTS},
    {"sampling", "sampling/createMessage", "{\"messages\":[]}", DEFT__MCP_CLIENT_SAMPLING},
    {"sampling with tools", "sampling/createMessage", "{\"tools\":[]}",
     DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_SAMPLING_TOOLS},
    {"sampling with a choice of tools", "sampling/createMessage", "{\"toolChoice\":{}}",
     DEFT__MCP_CLIENT_SAMPLING | DEFT__MCP_CLIENT_SAMPLING_TOOLS},
    {"a form without a mode", "elicitation/create", "{\"message\":\"?\"}",
     DEFT__MCP_CLIENT_ELICITATION},
    {"a form", "elicitation/create", "{\"mode\":\"form\"}", DEFT__MCP_CLIENT_ELICITATION},
    {"a URL", "elicitation/create", "{\"mode\":\"url\"}", DEFT__MCP_CLIENT_ELICITATION_URL},
    {"a mode that no one knows", "elicitation/create", "{\"mode\":\"voice\"}", UINT_MAX},
    {"a mode that is no text", "elicitation/create", "{\"mode\":1}", UINT_MAX},
    {"a method that no client knows", "tools/list", "{}", UINT_MAX},
};

static void what_servers_ask_needs_a_capability(void **state)
{
    (void)state;
    deft__json document;
    deft__json_init(&document, NULL);
    for (size_t i = 0; i < array_size(asks); i++) {
        case_name(asks[i].name);
        assert_int_equal(deft__json_parse(&document, deft_view_of(asks[i].params), NULL, NULL),
                         DEFT_OK);
        assert_int_equal(
            deft__mcp_needed_capability(deft_view_of(asks[i].method), deft__json_root(&document)),
            asks[i].bits);
    }
    deft__json_clear(&document);
}

static bool write_with(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft_buffer out;
    deft_buffer_init(&out, allocator);
    deft__mcp_write_client_capabilities(&out, (1u << 6) - 1, DEFT__MCP_ERA_LEGACY);
    deft__mcp_write_server_capabilities(&out, (1u << 9) - 1);
    const bool is_ok = out.status == DEFT_OK;
    deft_buffer_clear(&out);
    return is_ok;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(test_every_allocation_fails(write_with, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eras_have_names),
        cmocka_unit_test(revisions_belong_to_one_era),
        cmocka_unit_test(a_handshake_agrees_on_a_legacy_revision),
        cmocka_unit_test(capabilities_are_read),
        cmocka_unit_test(capabilities_are_written),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_servers_ask_needs_a_capability),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
