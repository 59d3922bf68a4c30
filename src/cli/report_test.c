// What a gateway answers, for people.
#include "cli/report.h"

#include "support/test.h"

typedef struct scene {
    deft__output output;
    deft__json   document;
} scene;

static deft__json_value set_up(scene *here, const char *json)
{
    deft_error error = DEFT_ERROR_INIT;
    here->output     = (deft__output){.width = 0};
    deft_buffer_init(&here->output.text, NULL);
    deft__json_init(&here->document, NULL);
    assert_ok(deft__json_parse(&here->document, deft_view_of(json), NULL, &error), error);
    return deft__json_root(&here->document);
}

static void tear_down(scene *here, const char *text)
{
    assert_view_equal(deft_buffer_view(&here->output.text), text);
    deft_buffer_clear(&here->output.text);
    deft__json_clear(&here->document);
}

static void servers_are_a_table(void **state)
{
    (void)state;
    scene                  here;
    const deft__json_value servers = set_up(
        &here,
        "[{\"name\":\"github\",\"state\":\"ready\",\"era\":\"legacy\",\"version\":\"2025-11-25\","
        "\"tools\":40,\"tokens\":9312,\"checkedAt\":2800,\"open\":1},"
        "{\"name\":\"bad\\u001b[31m\",\"state\":\"failed\",\"era\":\"unknown\","
        "\"reason\":\"exited with status 1: no API key\",\"retryInMs\":4200,\"open\":0},"
        "{\"name\":\"worse\",\"state\":\"failed\",\"reason\":\"silent\",\"retryInMs\":0},"
        "{\"name\":\"off\",\"state\":\"disabled\"}]");
    assert_true(deft__report_servers(&here.output, servers, 10000));
    deft__report_server_states(&here.output, servers);
    tear_down(&here, "SERVER       STATE     PROTOCOL    TOOLS  TOKENS  AGE  LAST ERROR\n"
                     "github       ready     2025-11-25     40   9,312  2 h\n"
                     "bad\\x1b[31m  failed    -                               "
                     "exited with status 1: no API key; tried again in 5 s\n"
                     "worse        failed    -                               "
                     "silent; tried again with the next call\n"
                     "off          disabled  -\n"
                     "4 servers: 1 ready, 2 failed, 1 disabled\n");
}

static void searches_go_by_words_or_by_meaning(void **state)
{
    (void)state;
    scene here;
    (void)set_up(&here, "{}");
    deft__report_search(&here.output, deft_view_of("hybrid"), deft_view_of("tools\n2"));
    deft__report_search(&here.output, deft_view_of("hybrid"), deft_view_of(NULL));
    deft__report_search(&here.output, deft_view_of("bm25"), deft_view_of(NULL));
    tear_down(&here, "Search: hybrid, by words and by what they mean (model tools 2)\n"
                     "Search: hybrid, by words and synonyms, without a model of what they mean; "
                     "'deft help model' says how to get one\n"
                     "Search: bm25, by words alone; what they mean counts in hybrid\n");
}

static void no_servers_are_nothing(void **state)
{
    (void)state;
    scene                  here;
    const deft__json_value servers = set_up(&here, "[]");
    assert_false(deft__report_servers(&here.output, servers, 10000));
    deft__report_server_states(&here.output, servers);
    tear_down(&here, "0 servers\n");
}

static const struct {
    const char *name;
    const char *result;
    const char *text;
} calls[] = {
    {"a text", "{\"content\":[{\"type\":\"text\",\"text\":\"42\"}]}", "42\n"},
    {"texts end in one line end",
     "{\"content\":[{\"type\":\"text\",\"text\":\"a\\n\"},{\"type\":\"text\",\"text\":\"b\"}]}",
     "a\nb\n"},
    {"a text cannot act on the terminal",
     "{\"content\":[{\"type\":\"text\",\"text\":\"\\u001b[2J\"}]}", "\\x1b[2J\n"},
    {"an image",
     "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAAAAAA\"}]}",
     "[image image/png, 6 bytes]\n"},
    {"a link", "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]}",
     "[resource_link a file:///a]\n"},
    {"a resource with text",
     "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:y\",\"text\":\"hello\"}}]}",
     "hello\n"},
    {"something that we do not know", "{\"content\":[{}]}", "[content]\n"},
    {"only structured content", "{\"structuredContent\":{\"sum\":3}}", "{\"sum\":3}\n"},
    {"nothing", "{\"content\":[]}", ""},
    {"a failure", "{\"content\":[{\"type\":\"text\",\"text\":\"no such file\"}],\"isError\":true}",
     "no such file\n"},
};

static void results_are_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(calls); i++) {
        case_name(calls[i].name);
        scene                  here;
        const deft__json_value result = set_up(&here, calls[i].result);
        deft__report_call(&here.output, result);
        tear_down(&here, calls[i].text);
    }
}

static const struct {
    const char *name;
    const char *answer;
    const char *failure; // NULL: none
} failures[] = {
    {"a result", "{\"result\":{\"content\":[]}}", NULL},
    {"a tool's own error", "{\"result\":{\"isError\":true}}", "says that it failed"},
    {"a refusal", "{\"result\":{\"isError\":true},\"failure\":\"refused\"}", "was not called"},
    {"no answer in time", "{\"result\":{\"isError\":true},\"failure\":\"timeout\"}",
     "gave no answer"},
    {"a tool cannot say that it was not called",
     "{\"result\":{\"isError\":true,\"failure\":\"refused\"}}", "says that it failed"},
};

static void who_says_that_a_call_failed(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(failures); i++) {
        case_name(failures[i].name);
        scene       here;
        const char *failure = deft__call_failure(set_up(&here, failures[i].answer));
        assert_string_equal(failure != NULL ? failure : "-",
                            failures[i].failure != NULL ? failures[i].failure : "-");
        tear_down(&here, "");
    }
}

static const struct {
    uint64_t    seconds;
    const char *text;
} ages[] = {
    {0, "0 s"},    {59, "59 s"},    {60, "1 min"},  {3599, "59 min"},
    {3600, "1 h"}, {86399, "23 h"}, {86400, "1 d"}, {8640000, "100 d"},
};

static void ages_have_one_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(ages); i++) {
        deft_buffer out;
        deft_buffer_init(&out, NULL);
        deft__append_age(&out, ages[i].seconds);
        assert_view_equal(deft_buffer_view(&out), ages[i].text);
        deft_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_are_a_table),
        cmocka_unit_test(no_servers_are_nothing),
        cmocka_unit_test(searches_go_by_words_or_by_meaning),
        cmocka_unit_test(results_are_shown),
        cmocka_unit_test(who_says_that_a_call_failed),
        cmocka_unit_test(ages_have_one_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
