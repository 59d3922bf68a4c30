// What is to happen when: a heap of timers, held against a list that is searched from end to end.
#include "gateway/timers.h"

#include "support/allocator.h"
#include "support/random.h"
#include "support/test.h"

#define TIMERS_MAX 40

typedef struct bell {
    deft__timers *timers;
    deft__timer   timer;
    size_t        rings;
    uint64_t      rang_at_ms;
    size_t        rang_as; // which one it was among all
    size_t       *count;   // of all rings
    uint64_t      again_ms;
    bool          is_again; // it sets itself again when it rings
    struct bell  *silences; // and stops this one
} bell;

static void ring(void *context)
{
    bell *self       = context;
    self->rings      = self->rings + 1;
    self->rang_at_ms = self->timers->now_ms;
    self->rang_as    = (*self->count)++;
    if (self->is_again) {
        deft__timer_set(self->timers, &self->timer, self->again_ms);
    }
    if (self->silences != NULL) {
        deft__timer_stop(self->timers, &self->silences->timer);
    }
}

static void bells_init(bell *bells, size_t bell_count, bell first)
{
    for (size_t i = 0; i < bell_count; i++) {
        bells[i] = first;
        deft__timer_init(&bells[i].timer, ring, &bells[i]);
    }
}

static void timers_ring_in_order(void **state)
{
    (void)state;
    deft__timers timers;
    bell         bells[4];
    size_t       count = 0;
    deft__timers_init(&timers, 1000, NULL);
    assert_true(deft__timers_reserve(&timers, 4));
    bells_init(bells, 4, (bell){.timers = &timers, .count = &count});
    assert_true(deft__timers_next(&timers) == UINT64_MAX);

    deft__timer_set(&timers, &bells[0].timer, 20);
    deft__timer_set(&timers, &bells[1].timer, 10);
    deft__timer_set(&timers, &bells[2].timer, 10);
    deft__timer_set(&timers, &bells[3].timer, 10);
    deft__timer_stop(&timers, &bells[3].timer);
    deft__timer_stop(&timers, &bells[3].timer);
    assert_false(deft__timer_is_set(&bells[3].timer));
    assert_int_equal(deft__timers_next(&timers), 1010);

    deft__timers_advance(&timers, 1009);
    assert_int_equal(count, 0);
    deft__timers_advance(&timers, 1020);
    assert_int_equal(count, 3);
    assert_int_equal(bells[1].rang_as, 0); // set before the other with its time
    assert_int_equal(bells[2].rang_as, 1);
    assert_int_equal(bells[0].rang_as, 2);
    assert_int_equal(bells[3].rings, 0);
    deft__timers_clear(&timers);
}

static void time_does_not_go_back(void **state)
{
    (void)state;
    deft__timers timers;
    bell         bells[1];
    size_t       count = 0;
    deft__timers_init(&timers, 50, NULL);
    assert_true(deft__timers_reserve(&timers, 1));
    bells_init(bells, 1, (bell){.timers = &timers, .count = &count});
    deft__timers_advance(&timers, 10);
    assert_int_equal(timers.now_ms, 50);
    deft__timer_set(&timers, &bells[0].timer, UINT64_MAX); // as late as can be, and no wrap
    assert_true(deft__timers_next(&timers) == UINT64_MAX - 1);
    deft__timers_advance(&timers, UINT64_MAX - 2);
    assert_int_equal(count, 0);
    deft__timers_clear(&timers);
    assert_false(deft__timer_is_set(&bells[0].timer));
}

static void what_a_ring_sets_for_now_waits_for_the_next_call(void **state)
{
    (void)state;
    deft__timers timers;
    bell         bells[3];
    size_t       count = 0;
    deft__timers_init(&timers, 0, NULL);
    assert_true(deft__timers_reserve(&timers, 3));
    bells_init(bells, 3, (bell){.timers = &timers, .count = &count});
    bells[0].is_again = true; // a bell that sets itself for now would ring for ever
    bells[0].silences = &bells[1];
    deft__timer_set(&timers, &bells[0].timer, 0);
    deft__timer_set(&timers, &bells[1].timer, 0);
    deft__timer_set(&timers, &bells[2].timer, 0);

    deft__timers_advance(&timers, 0);
    assert_int_equal(bells[0].rings, 1);
    assert_int_equal(bells[1].rings, 0); // the first one stopped it
    assert_int_equal(bells[2].rings, 1);
    assert_int_equal(deft__timers_next(&timers), 0); // due at once
    deft__timers_advance(&timers, 0);
    assert_int_equal(bells[0].rings, 2);
    deft__timers_clear(&timers);
}

// Each step sets, moves or stops a timer or lets time pass; what rings must be exactly what a search
// through all of them finds due.
static void a_heap_agrees_with_a_list(void **state)
{
    (void)state;
    test_random  random = {7};
    deft__timers timers;
    bell         bells[TIMERS_MAX];
    size_t       count              = 0;
    uint64_t     due[TIMERS_MAX]    = {0};
    bool         is_set[TIMERS_MAX] = {false};
    size_t       rings[TIMERS_MAX]  = {0};
    uint64_t     now                = 5;
    deft__timers_init(&timers, now, NULL);
    assert_true(deft__timers_reserve(&timers, TIMERS_MAX));
    bells_init(bells, TIMERS_MAX, (bell){.timers = &timers, .count = &count});

    for (size_t step = 0; step < 20000; step++) {
        const size_t i = test_random_below(&random, TIMERS_MAX);
        switch (test_random_below(&random, 4)) {
        case 0:
        case 1: {
            const uint64_t delay = test_random_below(&random, 30);
            deft__timer_set(&timers, &bells[i].timer, delay);
            due[i]    = now + delay;
            is_set[i] = true;
            break;
        }
        case 2:
            deft__timer_stop(&timers, &bells[i].timer);
            is_set[i] = false;
            break;
        default:
            now += test_random_below(&random, 8);
            deft__timers_advance(&timers, now);
            for (size_t j = 0; j < TIMERS_MAX; j++) {
                if (is_set[j] && due[j] <= now) {
                    is_set[j] = false;
                    rings[j]++;
                }
            }
            break;
        }
        uint64_t next = UINT64_MAX;
        for (size_t j = 0; j < TIMERS_MAX; j++) {
            assert_int_equal(rings[j], bells[j].rings);
            assert_int_equal(is_set[j], deft__timer_is_set(&bells[j].timer));
            next = is_set[j] && due[j] < next ? due[j] : next;
        }
        assert_true(deft__timers_next(&timers) == next);
    }
    deft__timers_clear(&timers);
}

static void rings_never_go_back_in_time(void **state)
{
    (void)state;
    test_random  random = {11};
    deft__timers timers;
    bell         bells[TIMERS_MAX];
    for (size_t round = 0; round < 200; round++) {
        size_t count = 0;
        deft__timers_init(&timers, 0, NULL);
        assert_true(deft__timers_reserve(&timers, TIMERS_MAX));
        bells_init(bells, TIMERS_MAX, (bell){.timers = &timers, .count = &count});
        for (size_t i = 0; i < 3 * TIMERS_MAX; i++) {
            deft__timer_set(&timers, &bells[test_random_below(&random, TIMERS_MAX)].timer,
                            test_random_below(&random, 10));
        }
        deft__timers_advance(&timers, 10);
        for (size_t i = 0; i < TIMERS_MAX; i++) {
            for (size_t j = 0; j < TIMERS_MAX; j++) {
                if (bells[i].rings > 0 && bells[j].rings > 0 &&
                    bells[i].timer.at_ms < bells[j].timer.at_ms) {
                    assert_true(bells[i].rang_as < bells[j].rang_as);
                }
            }
        }
        deft__timers_clear(&timers);
    }
}

static bool reserve_some(const deft_allocator *allocator, void *context)
{
    (void)context;
    deft__timers timers;
    deft__timers_init(&timers, 0, allocator);
    bool is_reserved = true;
    for (size_t i = 0; i < 10 && is_reserved; i++) {
        is_reserved = deft__timers_reserve(&timers, 9);
        assert_true(timers.reserved <= timers.capacity);
    }
    deft__timers_clear(&timers);
    return is_reserved;
}

static void room_is_promised_and_given_back(void **state)
{
    (void)state;
    deft__timers timers;
    deft__timers_init(&timers, 0, NULL);
    assert_true(deft__timers_reserve(&timers, 16));
    assert_true(deft__timers_reserve(&timers, 1));
    assert_true(timers.capacity >= 17);
    const size_t capacity = timers.capacity;
    deft__timers_release(&timers, 17);
    assert_true(deft__timers_reserve(&timers, capacity));
    assert_int_equal(timers.capacity, capacity);
    assert_false(deft__timers_reserve(&timers, SIZE_MAX));
    assert_false(deft__timers_reserve(&timers, SIZE_MAX / 2));
    deft__timers_clear(&timers);
    assert_true(test_every_allocation_fails(reserve_some, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_ring_in_order),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(what_a_ring_sets_for_now_waits_for_the_next_call),
        cmocka_unit_test(a_heap_agrees_with_a_list),
        cmocka_unit_test(rings_never_go_back_in_time),
        cmocka_unit_test(room_is_promised_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
