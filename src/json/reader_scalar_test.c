// All tests of the reader once more, with a reader that looks at one byte at a time, as it is
// built where there is no SSE2. The linker takes the reader from here instead of the library's.
#define DEFT_JSON_SCALAR
#include "json/reader.c"
#include "json/reader_test.c"
