// cut.h - copies JSON text but for some members of its objects, and with others put in. What is not
// cut keeps its bytes, white space included; where nothing is cut and nothing put in, the copy is
// the text. Objects are walked in the order of the text, inner ones while their member is current:
//
//     deft__cut cut;
//     deft__cut_init(&cut, out, raw);
//     deft__cut_object object = deft__cut_enter(&cut, value);
//     while (deft__cut_next(&cut, &object)) {
//         deft__cut_member(&cut, &object);             // or not
//     }
//     deft__json_writer writer = deft__cut_leave(&cut, &object);
//     deft__json_name(&writer, "added");               // or nothing
//     deft__cut_finish(&cut);
#ifndef DEFT_MCP_CUT_H
#define DEFT_MCP_CUT_H

#include "deft/buffer.h"
#include "json/reader.h"
#include "json/writer.h"

typedef struct deft__cut {
    deft_buffer *out;
    const char  *done; // what lies before it is copied, or cut
    const char  *end;
} deft__cut;

typedef struct deft__cut_object {
    deft__json_iterator i;        // i.name and i.value: the current member
    const char         *close;    // its closing brace
    const char         *kept_end; // behind the last member that stays; NULL: there is none so far
    bool                is_cut;   // the current member
} deft__cut_object;

// `raw` is the text of one value; it stays in place until the end.
void deft__cut_init(deft__cut *cut, deft_buffer *out, deft_view raw);

deft__cut_object deft__cut_enter(const deft__cut *cut, deft__json_value object);
bool             deft__cut_next(deft__cut *cut, deft__cut_object *object);
void             deft__cut_member(deft__cut *cut, deft__cut_object *object);

// After the last member: what the writer writes now becomes the object's last members.
deft__json_writer deft__cut_leave(deft__cut *cut, const deft__cut_object *object);

// Copies what is left.
void deft__cut_finish(deft__cut *cut);

#endif
