// demo.h - the catalog that comes with the program, for `deft demo`. The files of demo/ are turned
// into C at build time by cmake/embed.cmake.
#ifndef DEFT_CLI_DEMO_H
#define DEFT_CLI_DEMO_H

#include "deft/view.h"

typedef struct deft__demo_source {
    const char          *name; // of the file, without its ending
    const unsigned char *data;
    size_t               size;
} deft__demo_source;

extern const deft__demo_source deft__demo_sources[];
extern const size_t            deft__demo_source_count;

#endif
