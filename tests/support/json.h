// json.h - a JSON text laid against a forbidden page: whoever reads past its end is stopped there.
#ifndef DEFT_TESTS_JSON_H
#define DEFT_TESTS_JSON_H

#include "support/guard.h"
#include "support/test.h"
#include "json/reader.h"

#define VIEW(literal) DEFT_VIEW_INIT(literal)

typedef struct test_json {
    test_guard guard;
    deft__json document;
} test_json;

// Parses a copy of `text` and expects success; free with test_json_done().
static inline deft__json_value test_json_parse(test_json *parsed, deft_view text)
{
    deft_error error = DEFT_ERROR_INIT;
    deft__json_init(&parsed->document, NULL);
    const deft_view guarded = test_guard_copy(&parsed->guard, text);
    assert_ok(deft__json_parse(&parsed->document, guarded, NULL, &error), error);
    return deft__json_root(&parsed->document);
}

static inline void test_json_done(test_json *parsed)
{
    deft__json_clear(&parsed->document);
    test_guard_clear(&parsed->guard);
}

// A text of `count` times `piece` between `open` and `close`.
static inline void test_json_repeat(deft_buffer *text, const char *open, const char *piece,
                                    size_t count, const char *close)
{
    deft_buffer_init(text, NULL);
    assert_true(deft_buffer_reserve(text, strlen(open) + strlen(piece) * count + strlen(close)));
    deft_buffer_append_text(text, open);
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(text, piece);
    }
    deft_buffer_append_text(text, close);
    assert_int_equal(text->status, DEFT_OK);
}

#endif
