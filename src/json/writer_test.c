// JSON out, with commas and escapes where they belong.
#include "json/writer.h"

#include "support/allocator.h"
#include "support/test.h"
#include "json/reader.h"

#include <float.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_gets_its_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
