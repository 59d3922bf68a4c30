// The last words of a server.
#include "transport/ring.h"

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

static void expect(const deft__ring *ring, const char *all, const char *last_line)
{
    deft_buffer out;
    deft_buffer_init(&out, NULL);
    deft__ring_copy(ring, &out);
    assert_view_equal(deft_buffer_view(&out), all);
    deft_buffer_reset(&out);
    deft__ring_last_line(ring, 0, &out);
    assert_view_equal(deft_buffer_view(&out), last_line);
    deft_buffer_clear(&out);
}

static const struct {
    const char *name;
    const char *pieces[4];
    const char *all;
    const char *last_line;
} cases[] = {
    {"nothing", {NULL}, "", ""},
    {"one line", {"no key\n"}, "no key\n", "no key"},
    {"a line in pieces", {"no", " k", "ey"}, "no key", "no key"},
    {"blank lines are passed over", {"a\r\nb\r\n \t\r\n\n"}, "a\r\nb\r\n \t\r\n\n", "b"},
    {"blanks at the start of the last line", {"a\n   b\n"}, "a\n   b\n", "b"},
    {"only blanks", {"\n \n"}, "\n \n", ""},
    {"exactly full", {"0123456\n", "01234567"}, "0123456\n01234567", "01234567"},
    {"the oldest line goes", {"aaaaaa\n", "bbbbbb\n", "cccc\n"}, "bbbbbb\ncccc\n", "cccc"},
    {"one long line keeps its end",
     {"0123456789", "0123456789"},
     "4567890123456789",
     "4567890123456789"},
    {"one piece larger than all",
     {"aaaaaaaaaaaaaaaa\nbbbbbb\ncccccc\n"},
     "bbbbbb\ncccccc\n",
     "cccccc"},
};

static void what_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        deft__ring ring;
        deft__ring_init(&ring, 16, NULL);
        for (size_t p = 0; p < 4 && cases[i].pieces[p] != NULL; p++) {
            deft__ring_append(&ring, deft_view_of(cases[i].pieces[p]));
        }
        expect(&ring, cases[i].all, cases[i].last_line);
        deft__ring_clear(&ring);
        expect(&ring, "", "");
    }
}

static void what_was_said_before_is_not_the_last_line(void **state)
{
    (void)state;
    deft__ring ring;
    deft__ring_init(&ring, 0, NULL);
    assert_int_equal(ring.size_max, DEFT__RING_SIZE_MAX);
    deft__ring_append(&ring, deft_view_of("of the first life"));
    const uint64_t since = ring.total;
    deft_buffer    out;
    deft_buffer_init(&out, NULL);
    deft__ring_last_line(&ring, since, &out);
    assert_view_equal(deft_buffer_view(&out), "");
    deft__ring_append(&ring, deft_view_of("of the second"));
    deft__ring_last_line(&ring, since, &out);
    assert_view_equal(deft_buffer_view(&out), "of the second");
    deft_buffer_clear(&out);
    deft__ring_clear(&ring);
}

static void random_pieces_end_as_one(void **state)
{
    (void)state;
    test_random random = {7};
    for (int round = 0; round < 200; round++) {
        deft__ring  ring;
        deft_buffer whole;
        deft_buffer_init(&whole, NULL);
        deft__ring_init(&ring, 1 + test_random_below(&random, 40), NULL);
        for (int i = 0; i < 20; i++) {
            char         piece[60];
            const size_t size = test_random_below(&random, sizeof piece);
            memset(piece, 'a' + i, sizeof piece);
            deft__ring_append(&ring, deft_view_make(piece, size));
            deft_buffer_append(&whole, deft_view_make(piece, size));
        }
        const size_t kept = whole.size < ring.size_max ? whole.size : ring.size_max;
        deft_buffer  out;
        deft_buffer_init(&out, NULL);
        deft__ring_copy(&ring, &out);
        assert_int_equal(out.size, kept);
        assert_memory_equal(out.data, whole.data + whole.size - kept, kept);
        deft_buffer_clear(&out);
        deft_buffer_clear(&whole);
        deft__ring_clear(&ring);
    }
}

static void without_memory_nothing_is_kept(void **state)
{
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator);
    allocator.fail_at = 1;
    deft__ring ring;
    deft__ring_init(&ring, 16, &allocator.allocator);
    deft__ring_append(&ring, deft_view_of("x"));
    expect(&ring, "", "");
    deft__ring_clear(&ring);
    assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept),
        cmocka_unit_test(what_was_said_before_is_not_the_last_line),
        cmocka_unit_test(random_pieces_end_as_one),
        cmocka_unit_test(without_memory_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
