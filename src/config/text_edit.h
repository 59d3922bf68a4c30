// text_edit.h - changes the text of a configuration file in one place and leaves every other byte alone,
// comments included: what it says, where its parts are, and how they are laid out.
#ifndef DEFT_CONFIG_TEXT_EDIT_H
#define DEFT_CONFIG_TEXT_EDIT_H

#include "deft/buffer.h"
#include "json/reader.h"

// A text and what it says. `plain` is the text without comments, byte for byte in the same place.
typedef struct deft__text_edit {
    deft_view             text;
    char                 *plain;
    deft__json            document;
    const deft_allocator *allocator;
    deft_error           *error;
} deft__text_edit;

// How the members of an object are laid out.
typedef struct deft__text_layout {
    bool        is_empty; // not even a comment
    bool        has_members;
    bool        is_multi_line;
    deft_view   base;        // indent of the line where the object starts
    deft_view   indent;      // of its members
    const char *step;        // how much deeper one level is, when `indent` does not tell
    size_t      last_end;    // behind the last member's value
    size_t      content_end; // behind the last byte, comments included, before the }
    size_t      close;       // of the }
} deft__text_layout;

// Parses `text`. `is_blank`: there is nothing in it but white space and comments. Clear it also after
// a failure.
deft_status deft__text_edit_open(deft__text_edit *edit, deft_view text, bool *is_blank);
void        deft__text_edit_clear(deft__text_edit *edit);

size_t            deft__text_edit_end_of(deft__json_value value);
bool              deft__is_line_end(char byte);
deft__text_layout deft__text_layout_find(const deft__text_edit *edit, deft__json_value object);

// A line end and the indent of the members.
void deft__text_layout_indent(const deft__text_layout *layout, deft_buffer *out);

// The text with something else in place of a range.
void deft__text_edit_splice(const deft__text_edit *edit, size_t from, size_t to, deft_view with,
                            deft_buffer *out);

// The text with `member` ("name": value, or an element of an array) at the end of an object.
void deft__text_edit_insert(const deft__text_edit *edit, const deft__text_layout *layout,
                            deft_view member, deft_buffer *out);

#endif
