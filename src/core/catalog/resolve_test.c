// From a name to the tool that is meant. Proves D4 (a near miss gets the closest names) and the
// catalog's part of C10.
#include "deft/catalog.h"

#include "support/catalog.h"
#include "support/test.h"

static const char text[] = "{\"server\":\"github\",\"name\":\"create_issue\"}\n"
                           "{\"server\":\"github\",\"name\":\"list_issues\"}\n"
                           "{\"server\":\"github\",\"name\":\"CamelCase\"}\n"
                           "{\"server\":\"gitlab\",\"name\":\"create_issue\"}\n"
                           "{\"server\":\"my.files\",\"name\":\"read file\"}\n"
                           "{\"server\":\"my files\",\"name\":\"read.file\"}\n"
                           "{\"server\":\"my files\",\"name\":\"write\"}\n"
                           "{\"server\":\"a__b\",\"name\":\"c\"}\n"
                           "{\"server\":\"a\",\"name\":\"b__c\"}\n"
                           "{\"server\":\"one\",\"name\":\"same\"}\n"
                           "{\"server\":\"two\",\"name\":\"same\"}\n"
                           "{\"server\":\"three\",\"name\":\"same\"}\n"
                           "{\"server\":\"four\",\"name\":\"same\"}\n"
                           "{\"server\":\"case\",\"name\":\"Twice\"}\n"
                           "{\"server\":\"case\",\"name\":\"twicE\"}\n"
                           "{\"name\":\"bash\"}\n"
                           "{\"name\":\"mcp__odd__name\"}\n";

static const struct {
    const char *name;
    const char *meant;
    deft_status status;
    const char *answer; // the id, or the message; NULL: any
} cases[] = {
    {"an id", "github::create_issue", DEFT_OK, "github::create_issue"},
    {"an id without a server", "bash", DEFT_OK, "bash"},
    {"a wire name", "gitlab__create_issue", DEFT_OK, "gitlab::create_issue"},
    {"a bare name", "list_issues", DEFT_OK, "github::list_issues"},
    {"a bare name with a dot", "read.file", DEFT_OK, "my files::read.file"},
    {"as hosts write it", "mcp__github__create_issue", DEFT_OK, "github::create_issue"},
    {"as hosts write a space", "mcp__my_files__write", DEFT_OK, "my files::write"},
    {"an id that looks like it", "mcp__odd__name", DEFT_OK, "mcp__odd__name"},
    {"as hosts write two of them alike", "mcp__my_files__read_file", DEFT_CONFLICT,
     "'mcp__my_files__read_file' may be 'my.files::read file' and 'my files::read.file'; use the "
     "id"},
    {"where the server ends is not clear", "mcp__a__b__c", DEFT_CONFLICT,
     "'mcp__a__b__c' may be 'a__b::c' and 'a::b__c'; use the id"},
    {"a bare name of two servers", "create_issue", DEFT_CONFLICT,
     "'create_issue' may be 'github::create_issue' and 'gitlab::create_issue'; use the id"},
    {"a bare name of more than can be listed", "same", DEFT_CONFLICT,
     "'same' may be 'one::same', 'two::same', 'three::same' and others; use the id"},
    {"an id in other case", "GitHub::Create_Issue", DEFT_OK, "github::create_issue"},
    {"a wire name in other case", "GITHUB__LIST_ISSUES", DEFT_OK, "github::list_issues"},
    {"as hosts write it, in other case", "MCP__GitHub__camelcase", DEFT_OK, "github::CamelCase"},
    {"a bare name in other case", "camelcase", DEFT_OK, "github::CamelCase"},
    {"its own case comes before others", "twicE", DEFT_OK, "case::twicE"},
    {"other case that fits two", "twice", DEFT_CONFLICT,
     "'twice' may be 'case::Twice' and 'case::twicE'; use the id"},
    {"a wire name as if nothing had been replaced", "my_files__write", DEFT_OK, "my files::write"},
    {"a slip", "github::creat_issue", DEFT_NOT_FOUND,
     "no tool is called 'github::creat_issue'; did you mean 'github::create_issue' or "
     "'gitlab::create_issue'?"},
    {"a slip in a bare name", "list_isues", DEFT_NOT_FOUND,
     "no tool is called 'list_isues'; did you mean 'github::list_issues'?"},
    {"a slip as hosts write it", "mcp__github__list_isues", DEFT_NOT_FOUND,
     "no tool is called 'mcp__github__list_isues'; did you mean 'github::list_issues'?"},
    {"the right tool of a wrong server", "atlassian::list_issues", DEFT_NOT_FOUND,
     "no tool is called 'atlassian::list_issues'; did you mean 'github::list_issues'?"},
    {"a part of a name", "issues", DEFT_NOT_FOUND,
     "no tool is called 'issues'; did you mean 'github::list_issues'?"},
    {"a name with something around it", "please_write_now", DEFT_NOT_FOUND,
     "no tool is called 'please_write_now'; did you mean 'my files::write'?"},
    {"nothing like it", "xylophone", DEFT_NOT_FOUND, "no tool is called 'xylophone'"},
    {"nothing", "", DEFT_NOT_FOUND, "no tool is called ''"},
    {"a prefix and nothing else", "mcp__", DEFT_NOT_FOUND, NULL},
    {"a control character", "a\nb", DEFT_NOT_FOUND, "no tool is called 'a?b'"},
};

static void names_and_what_they_mean(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(NULL, text);
    assert_int_equal(deft_catalog_problem_count(catalog), 0);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft_error        error  = DEFT_ERROR_INIT;
        deft_tool_id      tool   = {12345};
        const deft_view   name   = deft_view_of(cases[i].meant);
        const deft_status status = deft_catalog_resolve(catalog, name, &tool, &error);
        if (status != cases[i].status) {
            print_error("%s\n", error.message);
        }
        assert_int_equal(status, cases[i].status);
        assert_int_equal(deft_catalog_resolve(catalog, name, &tool, NULL), cases[i].status);
        if (status == DEFT_OK) {
            assert_view_equal(deft_catalog_tool(catalog, tool)->id, cases[i].answer);
        } else {
            assert_int_equal(tool.index, 12345);
            assert_string_equal(error.message,
                                cases[i].answer != NULL ? cases[i].answer : error.message);
        }
    }
    deft_catalog_release(catalog);
}

static void what_is_exact_is_found_exactly(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(NULL, text);
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog); i++) {
        const deft_tool *tool  = deft_catalog_tool(catalog, (deft_tool_id){i});
        deft_tool_id     found = {0};
        assert_true(deft_catalog_find(catalog, tool->id, &found));
        assert_int_equal(found.index, i);
        assert_true(deft_catalog_find_wire(catalog, tool->wire_name, &found));
        assert_int_equal(found.index, i);
        assert_int_equal(deft_catalog_resolve(catalog, tool->wire_name, &found, NULL), DEFT_OK);
        assert_int_equal(found.index, i);
    }
    deft_tool_id   tool;
    deft_server_id server;
    assert_false(deft_catalog_find(catalog, deft_view_of("create_issue"), &tool));
    assert_false(deft_catalog_find_wire(catalog, deft_view_of("create_issue"), &tool));
    assert_true(deft_catalog_find_server(catalog, deft_view_of("gitlab"), &server));
    assert_view_equal(deft_catalog_server(catalog, server)->name, "gitlab");
    assert_true(deft_catalog_find_server(catalog, deft_view_of(""), &server));
    assert_int_equal(deft_catalog_server(catalog, server)->tool_count, 2);
    assert_false(deft_catalog_find_server(catalog, deft_view_of("git"), &server));
    deft_catalog_release(catalog);
}

static void an_empty_catalog_finds_nothing(void **state)
{
    (void)state;
    deft_catalog  *catalog = test_catalog_of(NULL, "[]");
    deft_tool_id   tool;
    deft_server_id server;
    deft_error     error = DEFT_ERROR_INIT;
    assert_false(deft_catalog_find(catalog, deft_view_of("a"), &tool));
    assert_false(deft_catalog_find_wire(catalog, deft_view_of("a"), &tool));
    assert_false(deft_catalog_find_server(catalog, deft_view_of("a"), &server));
    assert_int_equal(deft_catalog_nearest(catalog, deft_view_of("a"), &tool, 1), 0);
    assert_int_equal(deft_catalog_resolve(catalog, deft_view_of("a"), &tool, &error),
                     DEFT_NOT_FOUND);
    assert_string_equal(error.message, "no tool is called 'a'");
    deft_catalog_release(catalog);
}

static void the_nearest_come_first(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(
        "s",
        "[{\"name\":\"search_filess_now\"},{\"name\":\"serach_files\"},{\"name\":\"search_files\"},"
        "{\"name\":\"search_file\"},{\"name\":\"other\"}]");
    deft_tool_id    tools[DEFT_NEAREST_MAX + 1];
    const deft_view name = deft_view_of("search_filess");
    assert_int_equal(deft_catalog_nearest(catalog, name, tools, 0), 0);
    assert_int_equal(deft_catalog_nearest(catalog, name, tools, 100), 4);
    assert_view_equal(deft_catalog_tool(catalog, tools[0])->name, "search_files");
    assert_view_equal(deft_catalog_tool(catalog, tools[1])->name, "serach_files");
    assert_view_equal(deft_catalog_tool(catalog, tools[2])->name, "search_file");
    assert_view_equal(deft_catalog_tool(catalog, tools[3])->name, "search_filess_now");
    assert_int_equal(deft_catalog_nearest(catalog, name, tools, 1), 1);
    assert_view_equal(deft_catalog_tool(catalog, tools[0])->name, "search_files");
    deft_catalog_release(catalog);
}

static void a_name_of_any_size_is_only_not_found(void **state)
{
    (void)state;
    deft_catalog *catalog = test_catalog_of(NULL, text);
    static char   name[5000];
    deft_error    error = DEFT_ERROR_INIT;
    deft_tool_id  tool;
    memset(name, 'A', sizeof name);
    for (size_t size = 1; size < sizeof name; size += 7) {
        assert_int_equal(deft_catalog_resolve(catalog, deft_view_make(name, size), &tool, &error),
                         DEFT_NOT_FOUND);
    }
    deft_catalog_release(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_what_they_mean),
        cmocka_unit_test(what_is_exact_is_found_exactly),
        cmocka_unit_test(an_empty_catalog_finds_nothing),
        cmocka_unit_test(the_nearest_come_first),
        cmocka_unit_test(a_name_of_any_size_is_only_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
