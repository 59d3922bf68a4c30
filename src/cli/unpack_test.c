// Packed files, whole, in parts, damaged, and made to burst.
#include "cli/unpack.h"

#include "support/test.h"

#include <stdlib.h>
#include <zlib.h>

#define PACKED_MAX 4096u

// Packs `text`, which compresses well.
static size_t pack(deft_view text, unsigned char *packed, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text.data, .avail_in = (uInt)text.size};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_out  = packed;
    stream.avail_out = (uInt)size;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return size - stream.avail_out;
}

static deft_status unpack(const unsigned char *packed, size_t size, size_t size_max,
                          deft_buffer *out, deft_error *error)
{
    deft_buffer_init(out, NULL);
    return deft__unpack(deft_view_make((const char *)packed, size), size_max, out, error);
}

static void what_was_packed_comes_out(void **state)
{
    (void)state;
    unsigned char packed[PACKED_MAX];
    deft_buffer   out;
    deft_error    error = DEFT_ERROR_INIT;
    size_t        size  = pack(deft_view_of("hello"), packed, sizeof packed);
    assert_true(deft__is_packed(deft_view_make((const char *)packed, size)));
    assert_false(deft__is_packed(deft_view_of("{}")));
    // Two parts, as `cat a.gz b.gz` makes them.
    size += pack(deft_view_of(" world"), packed + size, sizeof packed - size);
    assert_ok(unpack(packed, size, 1000, &out, &error), error);
    assert_view_equal(deft_buffer_view(&out), "hello world");
    deft_buffer_clear(&out);
}

static void a_cut_file_is_an_error_wherever_it_is_cut(void **state)
{
    (void)state;
    unsigned char packed[PACKED_MAX];
    const size_t  size = pack(deft_view_of("hello hello hello"), packed, sizeof packed);
    for (size_t cut = 2; cut < size; cut++) {
        deft_buffer out;
        deft_error  error = DEFT_ERROR_INIT;
        assert_int_equal(unpack(packed, cut, 1000, &out, &error), DEFT_INVALID);
        assert_string_equal(error.message, "it ends before its time");
        deft_buffer_clear(&out);
    }
}

static void a_damaged_file_is_an_error(void **state)
{
    (void)state;
    unsigned char packed[PACKED_MAX];
    const size_t  size = pack(deft_view_of("hello hello hello"), packed, sizeof packed);
    deft_buffer   out;
    deft_error    error = DEFT_ERROR_INIT;
    packed[size - 5] ^= 1; // in the checksum
    assert_int_equal(unpack(packed, size, 1000, &out, &error), DEFT_INVALID);
    assert_string_equal(error.message, "it is damaged");
    deft_buffer_clear(&out);
}

static void a_bomb_stops_at_the_limit(void **state)
{
    (void)state;
    const size_t  bomb_size = 3u * 1024 * 1024;
    char         *bomb      = calloc(1, bomb_size);
    unsigned char packed[PACKED_MAX];
    deft_buffer   out;
    deft_error    error = DEFT_ERROR_INIT;
    assert_non_null(bomb);
    const size_t size = pack(deft_view_make(bomb, bomb_size), packed, sizeof packed);
    assert_int_equal(unpack(packed, size, 1024 * 1024, &out, &error), DEFT_LIMIT);
    assert_string_equal(error.message, "it holds more than 1 MiB");
    assert_true(out.size < 2 * 1024 * 1024);
    deft_buffer_clear(&out);
    free(bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_comes_out),
        cmocka_unit_test(a_cut_file_is_an_error_wherever_it_is_cut),
        cmocka_unit_test(a_damaged_file_is_an_error),
        cmocka_unit_test(a_bomb_stops_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
