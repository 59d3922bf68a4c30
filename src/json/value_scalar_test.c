// The tests of values with the reader of reader_scalar_test.c, which looks at one byte at a time.
#define DEFT_JSON_SCALAR
#include "json/reader.c"
#include "json/value_test.c"
