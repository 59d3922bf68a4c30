// JSON out, with commas and escapes where they belong.
#include "json/writer.h"

#include "base/utf8.h"
#include "support/allocator.h"
#include "support/test.h"
#include "json/reader.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static void structure_gets_its_commas(void **state)
{
    (void)state;
    deft_buffer       out;
    deft__json_writer writer;
    deft_buffer_init(&out, NULL);
    deft__json_writer_init(&writer, &out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "jsonrpc");
    deft__json_write_text(&writer, "2.0");
    deft__json_name_view(&writer, deft_view_of("id"));
    deft__json_write_raw(&writer, deft_view_of("1.0"));
    deft__json_name(&writer, "list");
    deft__json_begin_array(&writer);
    deft__json_write_null(&writer);
    deft__json_write_bool(&writer, true);
    deft__json_write_bool(&writer, false);
    deft__json_begin_array(&writer);
    deft__json_end_array(&writer);
    deft__json_begin_object(&writer);
    deft__json_end_object(&writer);
    deft__json_write_uint64(&writer, UINT64_MAX);
    deft__json_write_int64(&writer, INT64_MIN);
    deft__json_write_int64(&writer, INT64_MAX);
    deft__json_end_array(&writer);
    deft__json_name(&writer, "last");
    deft__json_write_double(&writer, 0.5);
    deft__json_end_object(&writer);
    assert_view_equal(deft_buffer_view(&out),
                      "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"list\":[null,true,false,[],{},"
                      "18446744073709551615,-9223372036854775808,9223372036854775807],"
                      "\"last\":0.5}");
    deft_buffer_clear(&out);
}

#define VIEW(literal) DEFT_VIEW_INIT(literal)

static const struct {
    const char *name;
    deft_view   text;
    const char *written;
} strings[] = {
    {"an empty one", VIEW(""), "\"\""},
    {"a plain one", VIEW("plain"), "\"plain\""},
    {"what must be escaped", VIEW("\"\\"), "\"\\\"\\\\\""},
    {"what has a short escape", VIEW("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
    {"other control characters", VIEW("\0\x01\x1f"), "\"\\u0000\\u0001\\u001f\""},
    {"a slash and DEL stand for themselves", VIEW("/\x7f"), "\"/\x7f\""},
    {"UTF-8 stands for itself", VIEW("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
     "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
    {"ASCII and UTF-8 in turn",
     VIEW("a\xC3\xA9"
          "b\xC3\xA9\n\xC3\xA9"),
     "\"a\xC3\xA9"
     "b\xC3\xA9\\n\xC3\xA9\""},
    {"a byte that is not UTF-8",
     VIEW("a\xFF"
          "b"),
     "\"a\xEF\xBF\xBD"
     "b\""},
    {"a character cut off", VIEW("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"an escape after a whole block", VIEW("0123456789abcdef\n0123456789abcdef"),
     "\"0123456789abcdef\\n0123456789abcdef\""},
};

static void strings_are_escaped(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(strings); i++) {
        case_name(strings[i].name);
        deft_buffer       out;
        deft__json_writer writer;
        deft_buffer_init(&out, NULL);
        deft__json_writer_init(&writer, &out);
        deft__json_write_string(&writer, strings[i].text);
        assert_view_equal(deft_buffer_view(&out), strings[i].written);
        deft_buffer_clear(&out);
    }
}

static const struct {
    double      number;
    const char *written;
} doubles[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {1.0, "1"},
    {-1.5, "-1.5"},
    {0.1, "0.1"},
    {0.30000000000000004, "0.30000000000000004"},
    {100.0, "100"},
    {123456.789, "123456.789"},
    {9007199254740992.0, "9007199254740992"},
    {1e20, "100000000000000000000"},
    {1e21, "1e+21"},
    {1.5e300, "1.5e+300"},
    {0.000001, "0.000001"},
    {0.0000012, "0.0000012"},
    {0.0000001, "1e-7"},
    {1.25e-7, "1.25e-7"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {HUGE_VAL, "null"},
    {-HUGE_VAL, "null"},
    {(double)NAN, "null"},
};

static void doubles_are_short_and_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(doubles); i++) {
        case_name(doubles[i].written);
        deft_buffer       out;
        deft__json_writer writer;
        deft_buffer_init(&out, NULL);
        deft__json_writer_init(&writer, &out);
        deft__json_write_double(&writer, doubles[i].number);
        assert_view_equal(deft_buffer_view(&out), doubles[i].written);
        deft_buffer_clear(&out);
    }
}

static const struct {
    const char *name;
    const char *raw;
    const char *line;
    const char *compact;
} raws[] = {
    {"a number", "1.0", "1.0", "1.0"},
    {"no space at all", "{\"a\":[1,2]}", "{\"a\":[1,2]}", "{\"a\":[1,2]}"},
    {"line ends of every kind", "{\n\"a\"\r\n:\r1\n}", "{\"a\":1}", "{\"a\":1}"},
    {"other space", "{ \"a\" :\t[ 1 , 2 ] }", "{ \"a\" :\t[ 1 , 2 ] }", "{\"a\":[1,2]}"},
    {"space in strings stays", "[ \"a b\\n c\" , \" \" ]", "[ \"a b\\n c\" , \" \" ]",
     "[\"a b\\n c\",\" \"]"},
    {"escaped quotes in strings", "[ \"a\\\" b\" , \"\\\\\" , 1 ]",
     "[ \"a\\\" b\" , \"\\\\\" , 1 ]", "[\"a\\\" b\",\"\\\\\",1]"},
    {"a line end first and last", "\n[1]\n", "[1]", "[1]"},
};

static void raw_json_is_spliced_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(raws); i++) {
        case_name(raws[i].name);
        const deft_view   raw = deft_view_of(raws[i].raw);
        deft_buffer       out;
        deft_buffer       expected;
        deft__json_writer writer;
        deft_buffer_init(&out, NULL);
        deft_buffer_init(&expected, NULL);
        deft__json_writer_init(&writer, &out);
        deft__json_begin_array(&writer);
        deft__json_write_raw(&writer, raw);
        deft__json_write_raw_line(&writer, raw);
        deft__json_write_raw_compact(&writer, raw);
        deft__json_end_array(&writer);
        deft_buffer_append_byte(&expected, '[');
        deft_buffer_append(&expected, raw);
        deft_buffer_append_byte(&expected, ',');
        deft_buffer_append_text(&expected, raws[i].line);
        deft_buffer_append_byte(&expected, ',');
        deft_buffer_append_text(&expected, raws[i].compact);
        deft_buffer_append_byte(&expected, ']');
        assert_true(deft_view_equal(deft_buffer_view(&out), deft_buffer_view(&expected)));
        deft_buffer_clear(&expected);
        deft_buffer_clear(&out);
    }
}

static void it_writes_after_what_is_there(void **state)
{
    (void)state;
    deft_buffer       out;
    deft__json_writer writer;
    deft_buffer_init(&out, NULL);
    deft_buffer_append_text(&out, "data: ");
    deft__json_writer_init(&writer, &out);
    deft__json_write_null(&writer);
    assert_view_equal(deft_buffer_view(&out), "data: null");
    deft_buffer_clear(&out);
}

// A random value, decided by a seed alone: with a writer it is written; without one, the same
// seed decides the same value again and what was read is compared with it.
typedef struct random_value {
    uint64_t           state;
    deft__json_writer *writer; // NULL: compare
    deft_buffer        text;   // of the string in hand
} random_value;

// splitmix64 by Vigna
static uint64_t random_next(random_value *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z          = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// Characters of every size, and those that need escapes.
static deft_view random_text(random_value *random)
{
    static const uint32_t starts[] = {0, 0, ' ', 'a', 'a', '"', '\\', 0x80, 0x7FF, 0xD7F0, 0x10000};
    const uint64_t        size     = random_next(random) % 40;
    deft_buffer_reset(&random->text);
    for (uint64_t i = 0; i < size; i++) {
        char           bytes[4];
        const uint32_t start = starts[random_next(random) % array_size(starts)];
        const size_t count = deft__utf8_encode(start + (uint32_t)(random_next(random) % 16), bytes);
        deft_buffer_append(&random->text, deft_view_make(bytes, count));
    }
    return deft_view_make(random->text.data != NULL ? random->text.data : "", random->text.size);
}

static double random_double(random_value *random)
{
    const uint64_t bits   = random_next(random);
    double         number = 0;
    if (bits % 2 == 0) {
        return (double)(int64_t)random_next(random) / 1024;
    }
    memcpy(&number, &bits, sizeof number); // any double at all
    return isfinite(number) ? number : 0;
}

static void random_scalar(random_value *random, deft__json_value value)
{
    deft__json_writer *writer = random->writer;
    switch (random_next(random) % 5) {
    case 0: {
        const int64_t number = (int64_t)(random_next(random) >> random_next(random) % 64);
        int64_t       read   = 0;
        if (writer != NULL) {
            deft__json_write_int64(writer, number);
        } else {
            assert_int_equal(deft__json_int64(value, &read), DEFT_OK);
            assert_true(read == number);
        }
        break;
    }
    case 1: {
        const uint64_t number = random_next(random);
        uint64_t       read   = 0;
        if (writer != NULL) {
            deft__json_write_uint64(writer, number);
        } else {
            assert_int_equal(deft__json_uint64(value, &read), DEFT_OK);
            assert_true(read == number);
        }
        break;
    }
    case 2: {
        const double number = random_double(random);
        double       read   = 0;
        if (writer != NULL) {
            deft__json_write_double(writer, number);
        } else {
            assert_int_equal(deft__json_double(value, &read), DEFT_OK);
            assert_memory_equal(&read, &number, sizeof read);
        }
        break;
    }
    case 3: {
        const deft_view text = random_text(random);
        if (writer != NULL) {
            deft__json_write_string(writer, text);
        } else {
            assert_true(deft__json_string_equals(value, text));
        }
        break;
    }
    default: {
        const bool is_true = random_next(random) % 2 == 0;
        if (writer != NULL) {
            deft__json_write_bool(writer, is_true);
        } else {
            assert_true(deft__json_is(value, is_true ? DEFT__JSON_TRUE : DEFT__JSON_FALSE));
        }
        break;
    }
    }
}

static void random_any(random_value *random, deft__json_value value, int depth)
{
    const uint64_t choice    = random_next(random) % 4;
    const bool     is_object = choice == 0;
    if (depth == 6 || choice > 1) {
        random_scalar(random, value);
        return;
    }

    const size_t        count = random_next(random) % 6;
    deft__json_iterator i     = deft__json_iterate(value);
    if (random->writer == NULL) {
        assert_true(deft__json_is(value, is_object ? DEFT__JSON_OBJECT : DEFT__JSON_ARRAY));
        assert_int_equal(deft__json_count(value), count);
    } else if (is_object) {
        deft__json_begin_object(random->writer);
    } else {
        deft__json_begin_array(random->writer);
    }
    for (size_t item = 0; item < count; item++) {
        if (random->writer == NULL) {
            assert_true(deft__json_next(&i));
        }
        if (is_object) {
            const deft_view name = random_text(random);
            if (random->writer != NULL) {
                deft__json_name_view(random->writer, name);
            } else {
                assert_true(deft__json_string_equals(i.name, name));
            }
        }
        random_any(random, i.value, depth + 1);
    }
    if (random->writer != NULL && is_object) {
        deft__json_end_object(random->writer);
    } else if (random->writer != NULL) {
        deft__json_end_array(random->writer);
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        deft_error        error = DEFT_ERROR_INIT;
        deft_buffer       out;
        deft__json        document;
        deft__json_writer writer;
        deft_buffer_init(&out, NULL);
        deft__json_init(&document, NULL);
        deft__json_writer_init(&writer, &out);

        random_value writing = {.state = seed, .writer = &writer};
        random_any(&writing, (deft__json_value){0}, 0);
        assert_ok(deft__json_parse(&document, deft_buffer_view(&out), NULL, &error), error);
        random_value comparing = {.state = seed, .writer = NULL};
        random_any(&comparing, deft__json_root(&document), 0);

        deft_buffer_clear(&writing.text);
        deft_buffer_clear(&comparing.text);
        deft__json_clear(&document);
        deft_buffer_clear(&out);
    }
}

static void doubles_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
    size_t                   i         = 0;
    while (setlocale(LC_NUMERIC, locales[i]) == NULL) {
        i++; // the last one is always there
    }
    deft_buffer       out;
    deft__json_writer writer;
    deft_buffer_init(&out, NULL);
    deft__json_writer_init(&writer, &out);
    deft__json_write_double(&writer, 1234.5);
    assert_view_equal(deft_buffer_view(&out), "1234.5");
    deft_buffer_clear(&out);
    setlocale(LC_NUMERIC, "C");
}

static bool attempt_write(const deft_allocator *allocator, void *context)
{
    deft_buffer       out;
    deft__json_writer writer;
    (void)context;
    deft_buffer_init(&out, allocator);
    deft__json_writer_init(&writer, &out);
    deft__json_begin_object(&writer);
    for (int i = 0; i < 50; i++) {
        deft__json_name(&writer, "a \"name\"");
        deft__json_write_text(&writer, "a text that makes the buffer grow from time to time");
        deft__json_name(&writer, "raw");
        deft__json_write_raw_compact(&writer, deft_view_of("{ \"a\" : 1 }"));
        deft__json_name(&writer, "number");
        deft__json_write_double(&writer, 0.25);
    }
    deft__json_end_object(&writer);
    const bool is_done = out.status == DEFT_OK;
    deft_buffer_clear(&out);
    return is_done;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(test_every_allocation_fails(attempt_write, NULL), 5, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_gets_its_commas),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(doubles_are_short_and_read_back),
        cmocka_unit_test(raw_json_is_spliced_in),
        cmocka_unit_test(it_writes_after_what_is_there),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(doubles_do_not_depend_on_the_locale),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
