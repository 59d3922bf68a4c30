// toml.h - TOML 1.0, read-only, for Codex' config.toml. One table of the document is rewritten as
// JSON, so that everything behind reads one format; a list says which line each part came from.
#ifndef DEFT_CONFIG_TOML_H
#define DEFT_CONFIG_TOML_H

#include "deft/buffer.h"
#include "deft/error.h"
#include "deft/view.h"

#include <stdbool.h>

// From this byte of the JSON on, what stands there came from this line of the TOML.
typedef struct deft__toml_line {
    size_t offset;
    size_t line;
} deft__toml_line;

typedef struct deft__toml_lines {
    deft__toml_line      *items; // by offset
    size_t                count;
    size_t                capacity;
    const deft_allocator *allocator;
} deft__toml_lines;

// Writes {"NAME": ...} for the top-level table `name` of `text` into `json`; {} when there is
// none. The whole document must be TOML all the same. Dates become strings. Failures carry the
// offset in `text`. `lines` starts zeroed but for its allocator; free it with clear, also after a
// failure.
deft_status deft__toml_to_json(deft_view text, const char *name, deft_buffer *json,
                               deft__toml_lines *lines, deft_error *error);
void        deft__toml_lines_clear(deft__toml_lines *lines);

// Whether a text is more likely TOML than JSON.
bool deft__toml_is_likely(deft_view text);

// Tables, arrays and dotted keys inside one another.
#define DEFT__TOML_DEPTH_MAX 60u

// Keys and values in one document: what a JSON file may hold too.
#define DEFT__TOML_NODES_MAX 1000000u

#endif
