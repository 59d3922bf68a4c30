#include "support/guard.h"

#include "support/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

deft_view test_guard_copy(test_guard *guard, deft_view text)
{
    const size_t page  = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (text.size + page - 1) / page + 1;

    // /dev/zero rather than an anonymous mapping: that is POSIX everywhere.
    const int zero = open("/dev/zero", O_RDWR);
    assert_true(zero >= 0);
    guard->mapping_size = pages * page;
    guard->mapping = mmap(NULL, guard->mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    close(zero);
    assert_true(guard->mapping != MAP_FAILED);

    char *end = (char *)guard->mapping + guard->mapping_size - page;
    if (text.size > 0) {
        memcpy(end - text.size, text.data, text.size);
    }
    assert_int_equal(mprotect(end, page, PROT_NONE), 0);
    return deft_view_make(end - text.size, text.size);
}

void test_guard_clear(test_guard *guard)
{
    munmap(guard->mapping, guard->mapping_size);
    *guard = (test_guard){0};
}
