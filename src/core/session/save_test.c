// Saving and restoring. Proves parts of B6, D5 and D6.
#include "support/allocator.h"
#include "support/meeting.h"
#include "support/test.h"

#define EMPTY "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"visible\":[],"
#define FULL                                                                                       \
    "{\"deftSession\":1,\"turns\":3,\"searchCount\":7,\"searches\":["                              \
    "{\"number\":6,\"query\":\"create issue\"},{\"number\":7,\"query\":\"say \\\"hi\\\"\"}],"      \
    "\"visible\":[\"files::read_file\",\"files::write_file\","                                     \
    "{\"id\":\"github::create_issue\",\"search\":6},{\"id\":\"slack::search\",\"search\":2},"      \
    "{\"id\":\"slack::send_message\",\"search\":0}],\"restrictions\":[]}"

static void save(const test_meeting *meeting, deft_buffer *out)
{
    deft_buffer_init(out, NULL);
    assert_int_equal(deft_session_save(meeting->session, out), DEFT_OK);
}

static void what_was_saved_comes_back(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  saved;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_restore(&meeting, deft_view_of(FULL), NULL);
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file "
                                          "*github::create_issue *slack::search "
                                          "*slack::send_message");
    save(&meeting, &saved);
    assert_view_equal(deft_buffer_view(&saved), FULL);
    deft_buffer_clear(&saved);

    // Numbers go on where they were.
    assert_int_equal(deft_session_record_search(meeting.session, deft_view_of("x")), 8);
    test_meeting_clear(&meeting);
}

static void only_the_last_searches_are_kept(void **state)
{
    (void)state;
    test_meeting meeting;
    deft_buffer  saved;
    deft_buffer  again;
    char         query[2000];
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (uint32_t i = 1; i <= 700; i++) {
        assert_int_equal(deft_session_record_search(meeting.session, deft_view_of("a\nb")), i);
    }
    memset(query, 'x', sizeof query);
    assert_int_equal(
        deft_session_record_search(meeting.session, deft_view_make(query, sizeof query)), 701);
    save(&meeting, &saved);
    assert_true(saved.size < 256 * 40 + DEFT_SESSION_QUERY_SIZE_MAX);
    test_meeting_restore(&meeting, deft_buffer_view(&saved), NULL);
    save(&meeting, &again);
    assert_true(deft_view_equal(deft_buffer_view(&saved), deft_buffer_view(&again)));
    deft_buffer_clear(&again);
    deft_buffer_clear(&saved);
    test_meeting_clear(&meeting);
}

static void what_is_no_longer_there_is_left_out(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_restore(
        &meeting,
        deft_view_of("{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],"
                     "\"visible\":[\"slack::search\",\"gone::tool\",\"files::write_file\","
                     "{\"id\":\"files::read_file\",\"search\":0}],\"restrictions\":[],"
                     "\"future\":{\"a\":[1,2]}}"),
        NULL);
    // What was seen from the start stays, in its place; what the plan shows is upfront now.
    test_meeting_expect_visible(&meeting, "slack::search files::write_file files::read_file");
    test_meeting_restore(&meeting, deft_view_of(EMPTY "\"restrictions\":[]}"), NULL);
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file");
    test_meeting_clear(&meeting);
}

static void restrictions_add_up_and_stay(void **state)
{
    (void)state;
    const deft_view        files[]    = {DEFT_VIEW_INIT("files"), DEFT_VIEW_INIT("sl*")};
    const deft_view        searches[] = {DEFT_VIEW_INIT("*search*")};
    const deft_view        sending[]  = {DEFT_VIEW_INIT("slack::send_*")};
    const deft_restriction outer      = {.servers = files, .server_count = array_size(files)};
    const deft_restriction inner      = {.tools        = searches,
                                         .tool_count   = array_size(searches),
                                         .denied       = sending,
                                         .denied_count = array_size(sending)};
    const deft_restriction none       = {.servers = NULL};
    test_meeting           meeting;
    deft_buffer            saved;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    test_meeting_restore(&meeting, deft_view_of(FULL), &outer);
    test_meeting_expect_visible(&meeting, "files::read_file files::write_file *slack::search "
                                          "*slack::send_message");
    save(&meeting, &saved);
    test_meeting_restore(&meeting, deft_buffer_view(&saved), &inner);
    test_meeting_expect_visible(&meeting, "*slack::search");
    deft_buffer_clear(&saved);

    // No restriction given: its own hold all the same, also over an update and a reset.
    save(&meeting, &saved);
    test_meeting_restore(&meeting, deft_buffer_view(&saved), &none);
    test_meeting_expect_visible(&meeting, "*slack::search");
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft_session_update(meeting.session, meeting.scene.plan, &error), error);
    test_meeting_expect_visible(&meeting, "*slack::search");
    assert_ok(deft_session_reset(meeting.session, meeting.scene.plan, &error), error);
    test_meeting_expect_visible(&meeting, "");
    assert_false(deft_session_is_allowed(meeting.session,
                                         test_scene_tool(&meeting.scene, "files::read_file")));
    assert_false(deft_session_is_allowed(meeting.session,
                                         test_scene_tool(&meeting.scene, "github::search")));
    assert_true(
        deft_session_is_allowed(meeting.session, test_scene_tool(&meeting.scene, "slack::search")));
    deft_buffer_clear(&saved);
    test_meeting_clear(&meeting);
}

static void restrictions_have_limits(void **state)
{
    (void)state;
    static deft_view       patterns[5000];
    const deft_restriction many = {patterns, 3000, patterns, 1000, patterns, 1000};
    const deft_restriction one  = {.servers = patterns, .server_count = 1};
    test_meeting           meeting;
    deft_error             error = DEFT_ERROR_INIT;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_null(deft_session_restore(meeting.scene.plan, &meeting.scene.settings,
                                     deft_view_of(FULL), &many, NULL, &error));
    assert_int_equal(error.status, DEFT_LIMIT);
    assert_string_equal(error.message,
                        "the restriction has 5000 patterns; at most 4096 are accepted");
    for (int i = 0; i < 16; i++) {
        deft_buffer saved;
        save(&meeting, &saved);
        test_meeting_restore(&meeting, deft_buffer_view(&saved), &one);
        deft_buffer_clear(&saved);
    }
    deft_buffer saved;
    save(&meeting, &saved);
    assert_null(deft_session_restore(meeting.scene.plan, &meeting.scene.settings,
                                     deft_buffer_view(&saved), &one, NULL, &error));
    assert_int_equal(error.status, DEFT_LIMIT);
    deft_buffer_clear(&saved);
    test_meeting_clear(&meeting);
}

static const struct {
    const char *name;
    const char *text;
    const char *place; // what stands where the error is
    const char *message;
} damaged[] = {
    {"nothing", "", "", ""},
    {"cut off", "{\"deftSession\":1", "", ""},
    {"something behind", EMPTY "\"restrictions\":[]} x", "x", ""},
    {"no object", "[]", "[", "saved session: it is not a JSON object"},
    {"no version", "{}", "{}", "saved session: it has no version number 'deftSession'"},
    {"a version of words", "{\"deftSession\":\"1\"}", "{", "it has no version number"},
    {"a version before all", "{\"deftSession\":0}", "{", "it has no version number"},
    {"a later version", " {\"deftSession\":2}", "2}",
     "saved session: its version is 2, this deft reads up to 1"},
    {"no turns", "{\"deftSession\":1}", "{\"deft",
     "saved session: 'turns' is not a whole number below 2^32"},
    {"negative turns", "{\"deftSession\":1,\"turns\":-1}", "-1}", "'turns' is not a whole number"},
    {"too many turns", "{\"deftSession\":1,\"turns\":4294967296}", "4294",
     "'turns' is not a whole"},
    {"no count of searches", "{\"deftSession\":1,\"turns\":0}", "{\"deft", "'searchCount' is not"},
    {"no searches", "{\"deftSession\":1,\"turns\":0,\"searchCount\":0}", "{\"deft",
     "saved session: 'searches' is not an array"},
    {"more searches than were made",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[{\"number\":1,"
     "\"query\":\"x\"}]}",
     "[{\"number", "'searches' holds more than were made or are kept"},
    {"a search without a number",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":1,\"searches\":[{\"query\":\"x\"}]}",
     "{\"query", "'number' is not a whole number"},
    {"a gap in the searches",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":3,\"searches\":[{\"number\":2,\"query\":\"x\"}"
     "]}",
     "{\"number", "the numbers of 'searches' do not end with 'searchCount'"},
    {"a search without a query",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":1,\"searches\":[{\"number\":1}]}", "{\"number",
     "a search has no 'query'"},
    {"no restrictions", "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[]}",
     "{\"deft", "'restrictions' is not an array"},
    {"a restriction without servers", EMPTY "\"restrictions\":[{\"tools\":[]}]}", "{\"tools",
     "a restriction needs a list of 'servers'"},
    {"a restriction without tools", EMPTY "\"restrictions\":[{\"servers\":[]}]}", "{\"servers",
     "a restriction needs a list of 'tools'"},
    {"a pattern that is no text", EMPTY "\"restrictions\":[{\"servers\":[5],\"tools\":[]}]}", "5]",
     "a pattern of a restriction is not a string"},
    {"no visible tools",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[]}",
     "{\"deft", "'visible' is not an array"},
    {"a tool that is a number",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[],"
     "\"visible\":[5]}",
     "5]}", "an entry of 'visible' is no id and has none"},
    {"a tool without an id",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[],"
     "\"visible\":[{}]}",
     "{}]", "an entry of 'visible' is no id and has none"},
    {"a tool without a search",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[],"
     "\"visible\":[{\"id\":\"x\"}]}",
     "{\"id", "'search' is not a whole number"},
    {"a tool of a search that was never made",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[],"
     "\"visible\":[{\"id\":\"x\",\"search\":1}]}",
     "{\"id", "a tool was loaded by a search that was never made"},
    {"a tool twice",
     "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,\"searches\":[],\"restrictions\":[],"
     "\"visible\":[\"slack::search\",\"slack::search\"]}",
     "\"slack::search\"]", "a tool is in 'visible' twice"},
};

static void damaged_text_is_refused_with_its_place(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    for (size_t i = 0; i < array_size(damaged); i++) {
        case_name(damaged[i].name);
        deft_error error = DEFT_ERROR_INIT;
        assert_null(deft_session_restore(meeting.scene.plan, &meeting.scene.settings,
                                         deft_view_of(damaged[i].text), NULL, NULL, &error));
        assert_int_equal(error.status, DEFT_INVALID);
        assert_non_null(strstr(error.message, damaged[i].message));
        assert_true(error.offset <= strlen(damaged[i].text));
        assert_true(deft_view_starts_with(deft_view_of(damaged[i].text + error.offset),
                                          deft_view_of(damaged[i].place)));
    }
    test_meeting_clear(&meeting);
}

// A text cut anywhere is refused, and never read past its end.
static void every_cut_is_refused(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    const deft_view whole = deft_view_of(FULL);
    for (size_t size = 0; size < whole.size; size++) {
        deft_error error = DEFT_ERROR_INIT;
        assert_null(deft_session_restore(meeting.scene.plan, &meeting.scene.settings,
                                         deft_view_slice(whole, 0, size), NULL, NULL, &error));
        assert_int_equal(error.status, DEFT_INVALID);
    }
    test_meeting_clear(&meeting);
}

static bool try_restore(const deft_allocator *allocator, void *context)
{
    const deft_view        servers[]   = {DEFT_VIEW_INIT("f*"), DEFT_VIEW_INIT("slack")};
    const deft_restriction restriction = {servers, array_size(servers), servers, 1, servers, 1};
    static const char      text[] =
        "{\"deftSession\":1,\"turns\":3,\"searchCount\":1,\"searches\":[{\"number\":1,"
        "\"query\":\"cre\\u0061te\"}],\"visible\":[\"files::read_file\","
        "{\"id\":\"slack::se\\u0061rch\",\"search\":1}],"
        "\"restrictions\":[{\"servers\":[\"f\\u002a\"],\"tools\":[\"x\"],\"denied\":[\"y\"]}]}";
    const test_meeting *meeting = context;
    deft_error          error   = DEFT_ERROR_INIT;
    deft_buffer         out;
    deft_buffer_init(&out, allocator);
    deft_session *session =
        deft_session_restore(meeting->scene.plan, &meeting->scene.settings, deft_view_of(text),
                             &restriction, allocator, &error);
    deft_status status = session != NULL ? DEFT_OK : error.status;
    if (status == DEFT_OK) {
        status = deft_session_save(session, &out);
        assert_true(status == DEFT_OK || out.size == 0);
    }
    assert_true(status == DEFT_OK || status == DEFT_OUT_OF_MEMORY);
    deft_buffer_clear(&out);
    deft_session_free(session);
    return status == DEFT_OK;
}

static void allocations_fail_cleanly(void **state)
{
    (void)state;
    test_meeting meeting;
    test_meeting_init(&meeting, DEFT_PRESET_DEFT);
    test_meeting_start(&meeting);
    assert_true(test_every_allocation_fails(try_restore, &meeting) > 10);
    test_meeting_clear(&meeting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_comes_back),
        cmocka_unit_test(only_the_last_searches_are_kept),
        cmocka_unit_test(what_is_no_longer_there_is_left_out),
        cmocka_unit_test(restrictions_add_up_and_stay),
        cmocka_unit_test(restrictions_have_limits),
        cmocka_unit_test(damaged_text_is_refused_with_its_place),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(allocations_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
