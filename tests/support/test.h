// test.h - what every test includes: cmocka with the headers it wants first, and our views.
#ifndef DEFT_TESTS_TEST_H
#define DEFT_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "deft/error.h"
#include "deft/view.h"

// A view is exactly this text.
#define assert_view_equal(view, text)                                                              \
    do {                                                                                           \
        const deft_view assert_view_ = (view);                                                     \
        const deft_view assert_text_ = deft_view_of(text);                                         \
        if (!deft_view_equal(assert_view_, assert_text_)) {                                        \
            print_error("got  \"%.*s\"\nwant \"%s\"\n", (int)assert_view_.size,                    \
                        assert_view_.data != NULL ? assert_view_.data : "", (text));               \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

// A call succeeded; otherwise its message is shown.
#define assert_ok(status, error)                                                                   \
    do {                                                                                           \
        if ((status) != DEFT_OK) {                                                                 \
            print_error("%s\n", (error).message);                                                  \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

// Where a case of a table fails, its name is the first thing to know.
#define case_name(name) print_message("  %s\n", (name))

#define array_size(array) (sizeof(array) / sizeof((array)[0]))

#endif
