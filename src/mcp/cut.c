// A member goes together with one comma: the one before it, or, where nothing before it stays, the
// one behind it.
#include "mcp/cut.h"

// Copies up to `to`, where that is not done already.
static void copy_up_to(deft__cut *cut, const char *to)
{
    if (to > cut->done) {
        deft_buffer_append(cut->out, deft_view_make(cut->done, (size_t)(to - cut->done)));
        cut->done = to;
    }
}

static const char *end_of(deft__json_value value)
{
    const deft_view raw = deft__json_raw(value);
    return raw.data + raw.size;
}

void deft__cut_init(deft__cut *cut, deft_buffer *out, deft_view raw)
{
    *cut = (deft__cut){.out = out, .done = raw.data, .end = raw.data + raw.size};
}

deft__cut_object deft__cut_enter(const deft__cut *cut, deft__json_value object)
{
    // Without a value of its own the object is the text itself: "{}".
    const bool is_object = deft__json_is(object, DEFT__JSON_OBJECT);
    return (deft__cut_object){.i     = deft__json_iterate(object),
                              .close = (is_object ? end_of(object) : cut->end) - 1};
}

bool deft__cut_next(deft__cut *cut, deft__cut_object *object)
{
    const bool is_after_member = deft__json_is(object->i.name, DEFT__JSON_STRING);
    const bool was_cut         = object->is_cut;
    if (is_after_member && !was_cut) {
        object->kept_end = end_of(object->i.value);
    }
    object->is_cut = false;
    if (!deft__json_next(&object->i)) {
        return false;
    }
    if (was_cut && object->kept_end == NULL) {
        cut->done = deft__json_raw(object->i.name).data; // the comma goes too
    }
    return true;
}

void deft__cut_member(deft__cut *cut, deft__cut_object *object)
{
    const bool has_kept = object->kept_end != NULL;
    copy_up_to(cut, has_kept ? object->kept_end : deft__json_raw(object->i.name).data);
    cut->done      = end_of(object->i.value);
    object->is_cut = true;
}

deft__json_writer deft__cut_leave(deft__cut *cut, const deft__cut_object *object)
{
    deft__json_writer writer;
    copy_up_to(cut, object->close);
    deft__json_writer_init(&writer, cut->out);
    writer.needs_comma = object->kept_end != NULL;
    return writer;
}

void deft__cut_finish(deft__cut *cut)
{
    copy_up_to(cut, cut->end);
}
