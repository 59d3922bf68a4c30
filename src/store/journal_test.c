// Searches and calls, written down within bounds and read back.
#include "store/journal.h"

#include "store/database.h"
#include "support/store.h"

static void append(const test_store *here, const deft__record *records, size_t count)
{
    deft_error error = DEFT_ERROR_INIT;
    assert_ok(deft__journal_append(here->store, records, count, &error), error);
}

static deft__record call_of(uint64_t at_ms, const char *tool, const char *outcome)
{
    return (deft__record){.at_ms   = at_ms,
                          .kind    = DEFT__RECORD_CALL,
                          .client  = deft_view_of("codex"),
                          .tool    = deft_view_of(tool),
                          .outcome = deft_view_of(outcome)};
}

// --- What is expected. ---------------------------------------------------------------------------

static void append_number(deft_buffer *out, uint64_t number)
{
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_u64(out, number);
}

static void append_text(deft_buffer *out, deft_view text)
{
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append(out, text.size > 0 ? text : deft_view_of("-"));
}

static void describe(void *context, const deft__record *record)
{
    deft_buffer *out = context;
    deft_buffer_append_u64(out, record->at_ms);
    append_text(out, deft_view_of(deft__record_kind_name(record->kind)));
    append_text(out, record->client);
    append_text(out, record->tool);
    append_text(out, record->text);
    append_number(out, record->argument_size);
    append_number(out, record->result_size);
    append_number(out, record->duration_ms);
    append_number(out, record->found_count);
    append_text(out, record->outcome);
    append_text(out, record->reason);
    deft_buffer_append_byte(out, '\n');
}

static void times(void *context, const deft__record *record)
{
    append_number(context, record->at_ms);
}

static void expect_last(const test_store *here, size_t count, unsigned kinds,
                        deft__record_found how, const char *text)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__journal_last(here->store, count, kinds, how, &found, &error), error);
    assert_view_equal(deft_buffer_view(&found), text);
    deft_buffer_clear(&found);
}

static void add_count(void *context, deft_view name, uint64_t count)
{
    append_text(context, name);
    append_number(context, count);
}

static void expect_counts(const test_store *here, deft__count_by by, const char *text)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__journal_count(here->store, by, add_count, &found, &error), error);
    assert_view_equal(deft_buffer_view(&found), text);
    deft_buffer_clear(&found);
}

static void expect_usage(const test_store *here, const char *text)
{
    deft_error  error = DEFT_ERROR_INIT;
    deft_buffer found;
    deft_buffer_init(&found, NULL);
    assert_ok(deft__usage_load(here->store, add_count, &found, &error), error);
    assert_view_equal(deft_buffer_view(&found), text);
    deft_buffer_clear(&found);
}

// --- Tests. --------------------------------------------------------------------------------------

static void what_is_written_can_be_read(void **state)
{
    const test_store  *here      = *state;
    const deft__record records[] = {
        {.at_ms         = 1000,
         .kind          = DEFT__RECORD_SEARCH,
         .client        = deft_view_of("codex"),
         .text          = deft_view_of("open an issue"),
         .argument_size = 25,
         .result_size   = 1800,
         .duration_ms   = 1,
         .found_count   = 5,
         .outcome       = deft_view_of("ok")},
        {.at_ms         = 2000,
         .kind          = DEFT__RECORD_CALL,
         .tool          = deft_view_of("github::create_issue"),
         .argument_size = 40,
         .duration_ms   = 60000,
         .outcome       = deft_view_of("timeout"),
         .reason        = deft_view_of("no answer in 60 s")},
        {.at_ms = 3000, .kind = DEFT__RECORD_DESCRIBE, .outcome = deft_view_of("ok")},
    };
    append(here, records, array_size(records));
    append(here, records, 0);
    expect_last(here, 10, 0, describe,
                "1000 search codex - open an issue 25 1800 1 5 ok -\n"
                "2000 call - github::create_issue - 40 0 60000 0 timeout no answer in 60 s\n"
                "3000 describe - - - 0 0 0 0 ok -\n");
}

static void the_last_ones_and_kinds_can_be_chosen(void **state)
{
    const test_store *here = *state;
    for (uint64_t i = 1; i <= 6; i++) {
        deft__record record = call_of(i, "a::b", "ok");
        record.kind         = i % 2 == 0 ? DEFT__RECORD_CALL : DEFT__RECORD_SEARCH;
        append(here, &record, 1);
    }
    expect_last(here, 2, 0, times, " 5 6");
    expect_last(here, 2, 1u << DEFT__RECORD_CALL, times, " 4 6");
    expect_last(here, 9, 1u << DEFT__RECORD_SEARCH, times, " 1 3 5");
    expect_last(here, 9, 1u << DEFT__RECORD_DESCRIBE, times, "");
    expect_last(here, 0, 0, times, "");
}

static void the_oldest_go_when_there_are_too_many(void **state)
{
    test_store               *here    = *state;
    const deft__store_options options = {.journal_rows_max = 3};
    test_store_reopen(here, &options);
    deft__record records[7];
    for (size_t i = 0; i < array_size(records); i++) {
        records[i] = call_of(i + 1, "a::b", "ok");
    }
    append(here, records, 2);
    expect_last(here, 9, 0, times, " 1 2");
    append(here, records + 2, 2);
    expect_last(here, 9, 0, times, " 2 3 4");
    append(here, records, 7);
    expect_last(here, 9, 0, times, " 5 6 7");
    expect_usage(here, " a::b 11"); // uses are counted all the same
}

static void the_oldest_go_when_they_are_too_large(void **state)
{
    test_store               *here    = *state;
    const deft__store_options options = {.journal_size_max = 1000};
    test_store_reopen(here, &options);
    char text[501];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (uint64_t i = 1; i <= 9; i++) {
        deft__record record = call_of(i, "a::b", "ok");
        append(here, &record, 1);
    }
    expect_last(here, 99, 0, times, " 1 2 3 4 5 6 7 8 9"); // 107 bytes each, as they are counted
    deft__record large = call_of(10, "a::b", "ok");
    large.text         = deft_view_of(text);
    append(here, &large, 1);
    expect_last(here, 99, 0, times, " 6 7 8 9 10");
    append(here, &large, 1);
    expect_last(here, 99, 0, times, " 10 10");
}

static void long_texts_are_cut_on_a_character(void **state)
{
    test_store               *here    = *state;
    const deft__store_options options = {.journal_text_max = 4};
    test_store_reopen(here, &options);
    deft__record record = call_of(1, "a::b", "an outcome that is longer than any of ours");
    record.text         = deft_view_of("abc\xc3\xa9"); // five bytes, four characters
    record.reason       = deft_view_of("sentence");
    append(here, &record, 1);
    expect_last(here, 9, 0, describe,
                "1 call codex a::b abc 0 0 0 0 an outcome that is longer than a sent\n");
}

static void lines_are_counted(void **state)
{
    const test_store  *here      = *state;
    const deft__record records[] = {
        call_of(1000, "a::b", "ok"),
        call_of(2000, "c::d", "ok"),
        call_of(3000, "c::d", "timeout"),
        call_of(4000, "c::d", "tool-error"),
        call_of(5000, "x::y", "not-found"),
        {.at_ms = 6000, .kind = DEFT__RECORD_SEARCH, .outcome = deft_view_of("ok")},
    };
    append(here, records, array_size(records));
    expect_counts(here, DEFT__COUNT_BY_TOOL, " c::d 3 a::b 1 x::y 1");
    expect_counts(here, DEFT__COUNT_BY_OUTCOME, " ok 3 not-found 1 timeout 1 tool-error 1");
    expect_usage(here, " c::d 2 a::b 1"); // what never reached its server is no use
}

static void old_usage_goes(void **state)
{
    const test_store  *here      = *state;
    const deft__record records[] = {call_of(1000, "a::b", "ok"),
                                    call_of(2000 * (uint64_t)DEFT__STORE_KEPT_S, "c::d", "ok")};
    deft_error         error     = DEFT_ERROR_INIT;
    append(here, records, array_size(records));
    assert_ok(deft__store_prune(here->store, 2 * (uint64_t)DEFT__STORE_KEPT_S, &error), error);
    expect_usage(here, " c::d 1");
}

static void a_kind_that_we_do_not_know_is_no_crash(void **state)
{
    const test_store  *here   = *state;
    const deft__record record = call_of(1, "a::b", "ok");
    append(here, &record, 1);
    assert_int_equal(
        deft__sql_run(here->store->database, "UPDATE journal SET kind = 77, client = NULL"),
        SQLITE_CONSTRAINT_NOTNULL);
    assert_int_equal(deft__sql_run(here->store->database, "UPDATE journal SET kind = 77"),
                     SQLITE_OK);
    expect_last(here, 9, 0, times, " 1");
    assert_string_equal(deft__record_kind_name((deft__record_kind)77), "unknown");
}

static void without_a_store_there_is_nothing(void **state)
{
    (void)state;
    const test_store   nowhere = {.store = NULL};
    const deft__record record  = call_of(1, "a::b", "ok");
    append(&nowhere, &record, 1);
    expect_last(&nowhere, 9, 0, times, "");
    expect_counts(&nowhere, DEFT__COUNT_BY_TOOL, "");
    expect_usage(&nowhere, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_store(what_is_written_can_be_read),
        test_with_store(the_last_ones_and_kinds_can_be_chosen),
        test_with_store(the_oldest_go_when_there_are_too_many),
        test_with_store(the_oldest_go_when_they_are_too_large),
        test_with_store(long_texts_are_cut_on_a_character),
        test_with_store(lines_are_counted),
        test_with_store(old_usage_goes),
        test_with_store(a_kind_that_we_do_not_know_is_no_crash),
        cmocka_unit_test(without_a_store_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
