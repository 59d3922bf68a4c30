// catalog.h - a catalog from a text, in one call. Fails the test when something goes wrong.
#ifndef DEFT_TESTS_CATALOG_H
#define DEFT_TESTS_CATALOG_H

#include "deft/catalog.h"

// A catalog of one source, whatever deft_catalog_builder_add understands; `server` may be NULL.
// Release it with deft_catalog_release().
deft_catalog *test_catalog_of(const char *server, const char *text);
deft_catalog *test_catalog_of_view(const deft_catalog_options *options, const deft_source *source,
                                   deft_view text);

// The tool with this id; fails the test when there is none.
const deft_tool *test_catalog_tool(const deft_catalog *catalog, const char *id);

#endif
