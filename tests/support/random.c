#include "support/random.h"

uint64_t test_random_next(test_random *random)
{
    random->state += 0x9E3779B97F4A7C15u;
    uint64_t value = random->state;
    value          = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value          = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

size_t test_random_below(test_random *random, size_t limit)
{
    return (size_t)(test_random_next(random) % limit);
}

bool test_random_once_in(test_random *random, size_t times)
{
    return test_random_below(random, times) == 0;
}
