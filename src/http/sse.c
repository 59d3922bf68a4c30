#include "http/sse.h"

#include <assert.h>

// --- Writing. -------------------------------------------------------------------------------------

// The bytes before the first CR or LF; text.size when there is none. Eight bytes at a time: data is
// mostly one long line.
static size_t line_size(deft_view text)
{
    const uint64_t ones  = 0x0101010101010101u;
    const uint64_t highs = 0x8080808080808080u;
    size_t         at    = 0;
    while (text.size - at >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, text.data + at, sizeof word);
        const uint64_t lf = word ^ (ones * '\n');
        const uint64_t cr = word ^ (ones * '\r');
        if ((((lf - ones) & ~lf) | ((cr - ones) & ~cr)) & highs) {
            break;
        }
        at += sizeof word;
    }
    while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r') {
        at++;
    }
    return at;
}

static bool is_one_line(deft_view text)
{
    return line_size(text) == text.size &&
           (text.size == 0 || memchr(text.data, '\0', text.size) == NULL);
}

static void write_field(deft_buffer *out, const char *name, deft_view value)
{
    deft_buffer_append_text(out, name);
    deft_buffer_append_text(out, ": ");
    deft_buffer_append(out, value);
    deft_buffer_append_byte(out, '\n');
}

// A field that must stay one line.
static void write_name(deft_buffer *out, const char *name, deft_view value)
{
    if (value.size == 0 || out->status != DEFT_OK) {
        return;
    }
    if (is_one_line(value)) {
        write_field(out, name, value);
    } else {
        out->status = DEFT_INVALID;
    }
}

void deft__sse_write(deft_buffer *out, const deft__sse_event *event)
{
    write_name(out, "event", event->type);
    write_name(out, "id", event->id);
    deft_view rest = event->data;
    for (;;) {
        const size_t size = line_size(rest);
        write_field(out, "data", deft_view_slice(rest, 0, size));
        if (size == rest.size) {
            break;
        }
        const bool is_crlf =
            rest.data[size] == '\r' && size + 1 < rest.size && rest.data[size + 1] == '\n';
        rest = deft_view_slice(rest, size + (is_crlf ? 2 : 1), rest.size);
    }
    deft_buffer_append_byte(out, '\n');
}

void deft__sse_write_priming(deft_buffer *out, deft_view id, uint32_t retry_ms)
{
    write_name(out, "id", id);
    if (retry_ms > 0) {
        deft_buffer_append_text(out, "retry: ");
        deft_buffer_append_u64(out, retry_ms);
        deft_buffer_append_byte(out, '\n');
    }
    // Some clients take an id only from an event that has data, if empty.
    deft_buffer_append_text(out, "data: \n\n");
}

void deft__sse_write_comment(deft_buffer *out, const char *text)
{
    if (out->status != DEFT_OK) {
        return;
    }
    if (!is_one_line(deft_view_of(text))) {
        out->status = DEFT_INVALID;
        return;
    }
    deft_buffer_append_byte(out, ':');
    if (text[0] != '\0') {
        deft_buffer_append_byte(out, ' ');
        deft_buffer_append_text(out, text);
    }
    deft_buffer_append_text(out, "\n\n");
}

// --- Reading. A line is a name, a colon, at most one space that is dropped, and a value that goes
// --- straight to where it belongs. A line that begins with the colon is a comment.

enum {
    FIELD_OTHER,
    FIELD_DATA,
    FIELD_TYPE,
    FIELD_ID,
    FIELD_RETRY
};

// Of the value of a `retry:` so far.
enum {
    DIGITS_NONE,
    DIGITS_SOME,
    DIGITS_WRONG
};

static const char bom[] = "\xEF\xBB\xBF";

// What is kept for the next event; more is given back.
#define DATA_KEPT_MAX (64u * 1024)

void deft__sse_reader_init(deft__sse_reader *reader, size_t data_size_max,
                           const deft_allocator *allocator)
{
    *reader = (deft__sse_reader){.data_size_max = data_size_max};
    deft_buffer_init(&reader->type, allocator);
    deft_buffer_init(&reader->data, allocator);
    deft_buffer_init(&reader->id, allocator);
    deft_buffer_init(&reader->id_next, allocator);
}

void deft__sse_reader_clear(deft__sse_reader *reader)
{
    deft_buffer_clear(&reader->id_next);
    deft_buffer_clear(&reader->id);
    deft_buffer_clear(&reader->data);
    deft_buffer_clear(&reader->type);
    deft__sse_reader_init(reader, reader->data_size_max, reader->data.allocator);
}

void deft__sse_reader_feed(deft__sse_reader *reader, deft_view bytes)
{
    assert(reader->input.size == 0); // what was fed before is used up
    reader->input = bytes;
}

deft_view deft__sse_reader_last_id(const deft__sse_reader *reader)
{
    return deft_buffer_view(&reader->id);
}

static void give_up(deft__sse_reader *reader, deft_status status)
{
    if (reader->failure == DEFT_OK) {
        reader->failure = status;
    }
}

static void append(deft__sse_reader *reader, deft_buffer *out, deft_view bytes, size_t size_max)
{
    if (reader->failure != DEFT_OK) {
        return;
    } else if (bytes.size > size_max - out->size) {
        give_up(reader, DEFT_LIMIT);
        return;
    }
    deft_buffer_append(out, bytes);
    if (out->status != DEFT_OK) {
        give_up(reader, out->status);
    }
}

// An id may have any size up to the limit, also in an event that is given up for its data: otherwise
// the server would send the same event again and again.
static void append_id(deft__sse_reader *reader, deft_view bytes)
{
    const size_t size_max = reader->id_kept + DEFT__SSE_NAME_SIZE_MAX + 1; // one more: too long
    const size_t room     = size_max - reader->id_next.size;
    deft_buffer_append(&reader->id_next, deft_view_slice(bytes, 0, room));
    if (reader->id_next.status != DEFT_OK) {
        give_up(reader, reader->id_next.status);
    }
}

// Puts the id that has just ended in the place of the one before, if it is one.
static void end_id(deft__sse_reader *reader)
{
    deft_buffer *ids  = &reader->id_next;
    const size_t size = ids->size - reader->id_kept;
    if (size > DEFT__SSE_NAME_SIZE_MAX ||
        (size > 0 && memchr(ids->data + reader->id_kept, '\0', size) != NULL)) {
        deft_buffer_truncate(ids, reader->id_kept);
        return;
    }
    if (size > 0) {
        memmove(ids->data, ids->data + reader->id_kept, size);
    }
    deft_buffer_truncate(ids, size);
    reader->id_kept = size;
    reader->has_id  = true;
}

// The digits of a pause. One that is no number, or would be weeks, is as if it were not there.
static void read_number(deft__sse_reader *reader, deft_view bytes)
{
    for (size_t i = 0; i < bytes.size && reader->digits != DIGITS_WRONG; i++) {
        const char byte = bytes.data[i];
        reader->digits  = byte >= '0' && byte <= '9' ? DIGITS_SOME : DIGITS_WRONG;
        reader->number  = reader->number * 10 + (unsigned char)(byte - '0');
        if (reader->number > UINT32_MAX) {
            reader->digits = DIGITS_WRONG;
        }
    }
}

// The name is known: the value begins. The first line of data follows nothing, the others an LF.
static void begin_value(deft__sse_reader *reader)
{
    static const char *const names[] = {"", "data", "event", "id", "retry"};
    const deft_view          name    = deft_view_make(reader->name, reader->name_size);
    reader->is_in_value              = true;
    reader->is_value_begun           = false;
    reader->field                    = FIELD_OTHER;
    for (size_t i = FIELD_DATA; i <= FIELD_RETRY; i++) {
        if (deft_view_equals(name, names[i])) {
            reader->field = (uint8_t)i;
        }
    }
    if (reader->field == FIELD_DATA) {
        if (reader->has_data) {
            append(reader, &reader->data, deft_view_of("\n"), reader->data_size_max);
        }
        reader->has_data = true;
    } else if (reader->field == FIELD_TYPE) {
        deft_buffer_reset(&reader->type);
    } else if (reader->field == FIELD_RETRY) {
        reader->number = 0;
        reader->digits = DIGITS_NONE;
    }
}

static void read_value(deft__sse_reader *reader, deft_view bytes)
{
    if (!reader->is_value_begun && bytes.size > 0) {
        reader->is_value_begun = true;
        if (bytes.data[0] == ' ') {
            bytes = deft_view_slice(bytes, 1, bytes.size);
        }
    }
    if (bytes.size == 0) {
        return;
    }
    if (reader->field == FIELD_DATA) {
        append(reader, &reader->data, bytes, reader->data_size_max);
    } else if (reader->field == FIELD_TYPE) {
        append(reader, &reader->type, bytes, DEFT__SSE_NAME_SIZE_MAX);
    } else if (reader->field == FIELD_ID) {
        append_id(reader, bytes);
    } else if (reader->field == FIELD_RETRY) {
        read_number(reader, bytes);
    }
}

// Bytes of one line, without its end.
static void read_line_bytes(deft__sse_reader *reader, deft_view bytes)
{
    while (!reader->is_in_value && bytes.size > 0) {
        const char byte = bytes.data[0];
        bytes           = deft_view_slice(bytes, 1, bytes.size);
        if (byte == ':') {
            begin_value(reader);
        } else if (reader->name_size < sizeof reader->name) {
            reader->name[reader->name_size++] = byte;
        }
    }
    if (reader->is_in_value) {
        read_value(reader, bytes);
    }
}

// The end of a line that is not empty.
static void end_line(deft__sse_reader *reader)
{
    if (!reader->is_in_value) {
        begin_value(reader); // a name alone is a field with nothing in it
    }
    if (reader->field == FIELD_ID) {
        end_id(reader);
    } else if (reader->field == FIELD_RETRY && reader->digits == DIGITS_SOME) {
        reader->retry_ms = (uint32_t)reader->number;
    }
    reader->name_size   = 0;
    reader->is_in_value = false;
}

static void forget_event(deft__sse_reader *reader)
{
    if (reader->data.capacity > DATA_KEPT_MAX) {
        deft_buffer_clear(&reader->data);
    } else {
        deft_buffer_reset(&reader->data);
    }
    deft_buffer_reset(&reader->type);
    deft_buffer_reset(&reader->id_next);
    reader->id_kept  = 0;
    reader->has_id   = false;
    reader->has_data = false;
    reader->is_out   = false;
    reader->failure  = DEFT_OK;
}

// The end of an event. DEFT_NOT_FOUND: it had no data.
static deft_status end_event(deft__sse_reader *reader, deft__sse_event *event)
{
    const deft_status failure = reader->failure;
    if (reader->has_id && failure != DEFT_OUT_OF_MEMORY) {
        const deft_buffer id = reader->id;
        reader->id           = reader->id_next;
        reader->id_next      = id;
    }
    if (failure != DEFT_OK) {
        forget_event(reader);
        return failure;
    }
    if (reader->data.size == 0) {
        forget_event(reader);
        return DEFT_NOT_FOUND;
    }
    *event = (deft__sse_event){deft_buffer_view(&reader->type), deft_buffer_view(&reader->id),
                               deft_buffer_view(&reader->data)};
    reader->is_out = true;
    return DEFT_OK;
}

// A byte order mark at the very start is dropped. Returns false while it is not known whether there
// is one; what turns out to be none is read as text.
static bool skip_bom(deft__sse_reader *reader)
{
    while (reader->bom_size < 3 && reader->input.size > 0) {
        if (reader->input.data[0] != bom[reader->bom_size]) {
            read_line_bytes(reader, deft_view_make(bom, reader->bom_size));
            reader->bom_size = 3;
        } else {
            reader->input = deft_view_slice(reader->input, 1, reader->input.size);
            reader->bom_size++;
        }
    }
    return reader->bom_size == 3;
}

deft_status deft__sse_reader_next(deft__sse_reader *reader, deft__sse_event *event)
{
    if (reader->is_out) {
        forget_event(reader);
    }
    if (!skip_bom(reader)) {
        return DEFT_NOT_FOUND;
    }
    while (reader->input.size > 0) {
        if (reader->is_after_cr) {
            reader->is_after_cr = false;
            if (reader->input.data[0] == '\n') {
                reader->input = deft_view_slice(reader->input, 1, reader->input.size);
                continue;
            }
        }
        const size_t size = line_size(reader->input);
        read_line_bytes(reader, deft_view_slice(reader->input, 0, size));
        if (size == reader->input.size) {
            reader->input = deft_view_make(NULL, 0);
            break;
        }
        reader->is_after_cr = reader->input.data[size] == '\r';
        reader->input       = deft_view_slice(reader->input, size + 1, reader->input.size);
        if (reader->is_in_value || reader->name_size > 0) {
            end_line(reader);
        } else {
            const deft_status status = end_event(reader, event);
            if (status != DEFT_NOT_FOUND) {
                return status;
            }
        }
    }
    return DEFT_NOT_FOUND;
}
