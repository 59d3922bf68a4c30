// What asks for nothing finds nothing; what asks for something is not lost, however it is said. Proves a
// part of C9.
#include "deft/index.h"

#include "support/test.h"

#include <stdio.h>

static const char tools[] =
    "[{\"name\":\"create_issue\",\"description\":\"Opens a ticket in a project of the tracker.\"},"
    "{\"name\":\"get_forecast\",\"description\":\"Weather of the next days, with sunrise and "
    "moon.\"},"
    "{\"name\":\"send_message\",\"description\":\"Posts a message to a channel, loud or quiet.\"},"
    "{\"name\":\"resize_picture\",\"description\":\"Makes a picture of a cat or a dog smaller.\"},"
    "{\"name\":\"query_table\",\"description\":\"Runs SQL over the rows of a table.\"}]";

static const struct {
    const char *query;
    bool        is_found;
} cases[] = {
    {"forecast", true},
    {"weather tomorrow", true},
    {"forceast", true},
    {"make the picture smaller", true},
    {"post something to the channel", true},
    {"I would like to file a bug for the web team", true},
    {"grandmother bakes the very best plum cake", false},
    {"why are you so quiet tonight my darling", false},
    {"asdf jkl qwertz uiop", false},
    {"bananas are yellow and so is my raincoat", false},
};

// An index by words alone, and what it finds.
typedef struct fixture {
    deft_catalog  *catalog;
    deft_index    *index;
    deft_searcher *searcher;
} fixture;

static fixture open_fixture(const char *text)
{
    deft_error            error   = DEFT_ERROR_INIT;
    const deft_source     source  = {.label = deft_view_of("test")};
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, &error);
    fixture               f       = {0};
    assert_ok(deft_catalog_builder_add(builder, &source, deft_view_of(text), &error), error);
    f.catalog  = deft_catalog_builder_finish(builder, &error);
    f.index    = deft_index_new(f.catalog, NULL, &error);
    f.searcher = deft_searcher_new(f.index, NULL, &error);
    assert_non_null(f.searcher);
    deft_catalog_builder_free(builder);
    return f;
}

static void close_fixture(fixture *f)
{
    deft_searcher_free(f->searcher);
    deft_index_free(f->index);
    deft_catalog_release(f->catalog);
}

// The name of the first hit; "" where there is none.
static deft_view first_hit(fixture *f, const char *text)
{
    const deft_query query = {
        .text = deft_view_of(text), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
    deft_error error = DEFT_ERROR_INIT;
    size_t     count = 0;
    assert_ok(deft_searcher_run(f->searcher, &query, &error), error);
    const deft_hit *hits = deft_searcher_hits(f->searcher, &count);
    return count > 0 ? deft_catalog_tool(f->catalog, hits[0].tool)->name : deft_view_of("");
}

static void what_asks_for_nothing_finds_nothing(void **state)
{
    (void)state;
    fixture f = open_fixture(tools);
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].query);
        assert_int_equal(first_hit(&f, cases[i].query).size > 0, cases[i].is_found);
    }
    close_fixture(&f);
}

// No tool here has the word that is asked for, only what it stands for.
static void short_forms_and_families_are_found(void **state)
{
    (void)state;
    static const char office[] =
        "[{\"name\":\"open_repository\",\"description\":\"Opens a repository.\"},"
        "{\"name\":\"send_message\",\"description\":\"Posts a message.\"},"
        "{\"name\":\"connect_database\",\"description\":\"Connects to a database.\"},"
        "{\"name\":\"check_authorization\",\"description\":\"Checks an authorization.\"},"
        "{\"name\":\"read_configuration\",\"description\":\"Reads the configuration.\"},"
        "{\"name\":\"set_environment\",\"description\":\"Sets the environment.\"},"
        "{\"name\":\"merge_pull_request\",\"description\":\"Merges a pull request.\"},"
        "{\"name\":\"pay_invoice\",\"description\":\"Pays an invoice.\"},"
        "{\"name\":\"create_invoice\",\"description\":\"Creates an invoice.\"},"
        "{\"name\":\"delete_invoice\",\"description\":\"Deletes an invoice.\"},"
        "{\"name\":\"list_invoices\",\"description\":\"Lists invoices.\"},"
        "{\"name\":\"update_invoice\",\"description\":\"Updates an invoice.\"}]";
    static const struct {
        const char *query;
        const char *tool;
    } forms[] = {
        {"repo", "open_repository"},
        {"repos", "open_repository"},
        {"msg", "send_message"},
        {"please show the msg", "send_message"},
        {"db", "connect_database"},
        {"auth", "check_authorization"},
        {"config", "read_configuration"},
        {"env", "set_environment"},
        {"PR", "merge_pull_request"},
        {"add invoice", "create_invoice"},
        {"new invoice", "create_invoice"},
        {"remove invoice", "delete_invoice"},
        {"erase invoice", "delete_invoice"},
        {"show invoices", "list_invoices"},
        {"get all invoices", "list_invoices"},
        {"edit invoice", "update_invoice"},
        {"change an invoice", "update_invoice"},
        {"rain", ""}, // it stands for weather, which no tool has
    };
    fixture f = open_fixture(office);
    for (size_t i = 0; i < array_size(forms); i++) {
        case_name(forms[i].query);
        assert_view_equal(first_hit(&f, forms[i].query), forms[i].tool);
    }
    close_fixture(&f);
}

static void only_words_that_no_tool_has_are_taken_for_slips(void **state)
{
    (void)state;
    fixture f = open_fixture(
        "[{\"name\":\"form_fill\",\"description\":\"Fills in a form.\"},"
        "{\"name\":\"farm_report\",\"description\":\"Reports the harvest of a farm.\"}]");
    size_t           count = 0;
    deft_error       error = DEFT_ERROR_INIT;
    const deft_query query = {
        .text = deft_view_of("farm"), .ranking = DEFT_RANKING_HYBRID, .hits_max = 5};
    assert_ok(deft_searcher_run(f.searcher, &query, &error), error);
    const deft_hit *hits = deft_searcher_hits(f.searcher, &count);
    assert_int_equal(count, 1); // and not what has a form
    assert_view_equal(deft_catalog_tool(f.catalog, hits[0].tool)->name, "farm_report");
    assert_view_equal(first_hit(&f, "harvset"), "farm_report"); // letters that changed places
    assert_view_equal(first_hit(&f, "reprots"), "farm_report");
    close_fixture(&f);
}

// A server may write a word as often as it likes.
static void stuffed_text_does_not_win(void **state)
{
    (void)state;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[{\"name\":\"best_tool\",\"description\":\"");
    for (int i = 0; i < 500; i++) {
        deft_buffer_append_text(&text, "send email send mail weather forecast ");
    }
    deft_buffer_append_text(
        &text, "\"},{\"name\":\"send_email\",\"description\":\"Sends an email.\"},"
               "{\"name\":\"get_weather\",\"description\":\"The forecast for a place.\"}]");
    deft_buffer_append_byte(&text, '\0');
    fixture f = open_fixture(text.data);
    assert_view_equal(first_hit(&f, "send an email to the team"), "send_email");
    assert_view_equal(first_hit(&f, "weather"), "get_weather");
    assert_view_equal(first_hit(&f, "forecast of the weather"), "get_weather");
    close_fixture(&f);
    deft_buffer_clear(&text);
}

// Whether a tool is among the first five.
static bool is_found(fixture *f, const char *text, const char *name)
{
    size_t count    = 0;
    bool   is_among = false;
    (void)first_hit(f, text);
    for (const deft_hit *hit = deft_searcher_hits(f->searcher, &count); count > 0; hit++, count--) {
        is_among |= deft_view_equals(deft_catalog_tool(f->catalog, hit->tool)->name, name);
    }
    return is_among;
}

// A complaint of others' users: at 4,027 tools the most usual ones were not found.
static void the_most_usual_tools_are_found_among_thousands(void **state)
{
    (void)state;
    static const char *const services[] = {"Asana",   "Jira",    "Notion",   "Dropbox", "Stripe",
                                           "Zendesk", "HubSpot", "Linear",   "Outlook", "Teams",
                                           "Discord", "Zoom",    "Calendar", "Drive",   "Docs",
                                           "Sheets",  "GitHub",  "GitLab",   "Figma",   "Airtable"};
    static const char *const verbs[]    = {"List",   "Get",  "Create", "Update", "Delete",
                                           "Search", "Send", "Move",   "Share",  "Archive"};
    static const char *const nouns[]    = {"Invite",  "Contact", "Thread",   "Draft",  "Comment",
                                           "Meeting", "Team",    "Reminder", "Report", "Label",
                                           "File",    "Folder",  "Customer", "Order",  "Invoice",
                                           "Project", "Note",    "Template", "User",   "Channel"};
    deft_buffer              text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "[");
    for (size_t i = 0; i < 4000; i++) {
        const char *parts[] = {services[i % 20], verbs[i / 20 % 10], nouns[i / 200]};
        char        tool[256];
        (void)snprintf(tool, sizeof tool,
                       "{\"name\":\"%s_%s%s\",\"description\":\"%s a %s with the %s API%s.\"},",
                       parts[0], parts[1], parts[2], parts[1], parts[2], parts[0],
                       i % 7 == 0 ? ", by email or message" : "");
        deft_buffer_append_text(&text, tool);
    }
    deft_buffer_append_text(
        &text, "{\"name\":\"Gmail_SendEmail\",\"description\":\"Send an email using the Gmail "
               "API.\"},{\"name\":\"Slack_SendMessage\",\"description\":\"Send a message to a "
               "channel, a direct message or a conversation of several people.\"}]");
    deft_buffer_append_byte(&text, '\0');
    fixture f = open_fixture(text.data);
    assert_true(is_found(&f, "Send an email to my colleague", "Gmail_SendEmail"));
    assert_true(is_found(&f, "send email", "Gmail_SendEmail"));
    assert_true(is_found(&f, "Post a message to the team's channel on Slack", "Slack_SendMessage"));
    assert_true(is_found(&f, "slack message", "Slack_SendMessage"));
    close_fixture(&f);
    deft_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(what_asks_for_nothing_finds_nothing),
        cmocka_unit_test(short_forms_and_families_are_found),
        cmocka_unit_test(only_words_that_no_tool_has_are_taken_for_slips),
        cmocka_unit_test(stuffed_text_does_not_win),
        cmocka_unit_test(the_most_usual_tools_are_found_among_thousands),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
