// The reader looks for whole lines and whole pieces of body, in what was fed or, when something is
// incomplete, in a copy of it. A head is read line by line as lines complete, so that a mistake is
// answered when it is there and not when the head ends; but what the lines say is kept nowhere. Once
// the last line of a head that came in pieces is there, it is read again as a whole: each byte is
// looked at no more than three times, and a connection needs no room for parsed headers.
//
// However the bytes are cut, the same events come out. For that, every check depends only on bytes
// that are before the first line end behind it, and limits count bytes, never pieces.
#include "http/request.h"

#include "http/syntax.h"

#include <assert.h>

enum {
    STATE_HEAD,       // before or in a head
    STATE_BODY,       // in a body of known size
    STATE_CHUNK_LINE, // before a chunk's size
    STATE_CHUNK,      // in a chunk
    STATE_CHUNK_END,  // before the line end behind a chunk
    STATE_TRAILERS,   // behind the last chunk
    STATE_END,        // the request is complete; END has not been said
    STATE_CLOSED      // what follows is not looked at
};

void deft__http_reader_init(deft__http_reader *reader, uint64_t body_size_max,
                            const deft_allocator *allocator)
{
    *reader = (deft__http_reader){.body_size_max = body_size_max,
                                  .head_size_max = DEFT__HTTP_HEAD_SIZE_MAX};
    deft_buffer_init(&reader->waiting, allocator);
}

void deft__http_reader_clear(deft__http_reader *reader)
{
    const uint32_t head_size_max = reader->head_size_max;
    deft_buffer_clear(&reader->waiting);
    deft__http_reader_init(reader, reader->body_size_max, reader->waiting.allocator);
    reader->head_size_max = head_size_max;
}

// --- The bytes. -----------------------------------------------------------------------------------

static deft_view unused(const deft__http_reader *reader)
{
    return reader->waiting.size > reader->used ? deft_view_slice(deft_buffer_view(&reader->waiting),
                                                                 reader->used, reader->waiting.size)
                                               : reader->input;
}

static void use(deft__http_reader *reader, size_t size)
{
    if (reader->waiting.size > reader->used) {
        assert(size <= reader->waiting.size - reader->used);
        reader->used += size;
    } else {
        reader->input = deft_view_slice(reader->input, size, reader->input.size);
    }
    reader->scanned = 0;
}

// Moves what is unused of `waiting` to its start; gives the memory back when that is nothing.
static void compact(deft__http_reader *reader)
{
    const deft_view rest = unused(reader);
    if (reader->waiting.size == reader->used) {
        if (reader->waiting.status == DEFT_OK) {
            deft_buffer_clear(&reader->waiting);
        }
        reader->used = 0;
    } else if (reader->used > 0) {
        memmove(reader->waiting.data, rest.data, rest.size);
        deft_buffer_truncate(&reader->waiting, rest.size);
        reader->used = 0;
    }
}

void deft__http_reader_hold(deft__http_reader *reader)
{
    compact(reader);
    deft_buffer_append(&reader->waiting, reader->input); // empty where something waits already
    reader->input = deft_view_make(NULL, 0);
}

void deft__http_reader_feed(deft__http_reader *reader, deft_view bytes)
{
    assert(reader->input.size == 0); // what was fed before is used up or held
    if (reader->state == STATE_CLOSED) {
        return;
    }
    compact(reader);
    if (reader->waiting.size > 0) {
        deft_buffer_append(&reader->waiting, bytes);
    } else {
        reader->input = bytes;
    }
}

size_t deft__http_reader_held(const deft__http_reader *reader)
{
    return unused(reader).size;
}

bool deft__http_reader_is_idle(const deft__http_reader *reader)
{
    return reader->state == STATE_CLOSED ||
           (reader->state == STATE_HEAD && unused(reader).size == 0);
}

// --- Events. --------------------------------------------------------------------------------------

static deft__http_event_kind refused(deft__http_reader *reader)
{
    deft_buffer_clear(&reader->waiting);
    reader->used  = 0;
    reader->input = deft_view_make(NULL, 0);
    reader->state = STATE_CLOSED;
    return DEFT__HTTP_REFUSED;
}

static deft__http_event_kind refuse(deft__http_reader *reader, deft__http_event *event, int status,
                                    const char *reason)
{
    event->refusal = (deft__http_refusal){status, reason};
    return refused(reader);
}

static deft__http_event_kind more(deft__http_reader *reader, deft__http_event *event)
{
    deft__http_reader_hold(reader);
    if (reader->waiting.status != DEFT_OK) {
        return refuse(reader, event, 503, "out of memory");
    }
    return DEFT__HTTP_MORE;
}

// --- Lines. ---------------------------------------------------------------------------------------

typedef enum line_result {
    LINE_WHOLE,
    LINE_PART, // its end is not here yet
    LINE_LONG,
    LINE_BARE // ends in LF without CR
} line_result;

// The line at `from` of the unused bytes, without its end. `size_max` counts the end too. `line` is
// also set to what is there of a line that is not whole.
static line_result find_line(deft__http_reader *reader, size_t from, size_t size_max,
                             deft_view *line)
{
    const deft_view all   = deft_view_slice(unused(reader), from, SIZE_MAX);
    const size_t    start = reader->scanned > from ? reader->scanned - from : 0;
    const char  *end  = all.size > start ? memchr(all.data + start, '\n', all.size - start) : NULL;
    const size_t size = end != NULL ? (size_t)(end - all.data) : all.size;
    *line             = deft_view_slice(all, 0, size);
    if (size >= size_max) {
        return LINE_LONG;
    } else if (end == NULL) {
        reader->scanned = (uint32_t)(from + size);
        return LINE_PART;
    } else if (size == 0 || line->data[size - 1] != '\r') {
        return LINE_BARE;
    } else {
        line->size--;
        return LINE_WHOLE;
    }
}

static const char bare_line_end[] = "a line ends in LF without CR";

// --- The head. ------------------------------------------------------------------------------------

// Drops empty lines before a request. False: refused, or there is too little to tell.
static bool skip_empty_lines(deft__http_reader *reader, deft__http_event *event,
                             deft__http_event_kind *kind)
{
    deft_view bytes = unused(reader);
    while (bytes.size > 0 && (bytes.data[0] == '\r' || bytes.data[0] == '\n')) {
        if (bytes.data[0] == '\n' || (bytes.size > 1 && bytes.data[1] != '\n')) {
            *kind = refuse(reader, event, 400, "a line does not end in CR LF");
            return false;
        } else if (bytes.size == 1) {
            *kind = more(reader, event);
            return false;
        } else if (++reader->empty_lines > DEFT__HTTP_EMPTY_LINES_MAX) {
            *kind = refuse(reader, event, 400, "too many empty lines before a request");
            return false;
        }
        use(reader, 2);
        bytes = unused(reader);
    }
    if (bytes.size == 0) {
        *kind = more(reader, event);
    }
    return bytes.size > 0;
}

typedef enum head_result {
    HEAD_WHOLE,
    HEAD_PART,
    HEAD_REFUSED
} head_result;

// A line of the head that is not whole, or not right at its end.
static head_result judge_line(line_result result, bool is_first, deft__http_refusal *refusal)
{
    switch (result) {
    case LINE_LONG:
        *refusal = is_first
                       ? (deft__http_refusal){414, "the request line is too long"}
                       : (deft__http_refusal){431, "the headers are larger than 32 KiB together"};
        return HEAD_REFUSED;
    case LINE_BARE:
        *refusal = (deft__http_refusal){400, bare_line_end};
        return HEAD_REFUSED;
    case LINE_PART:
        return HEAD_PART;
    case LINE_WHOLE:
    default:
        return HEAD_WHOLE;
    }
}

// Method, two spaces, version and line end around the longest target.
#define REQUEST_LINE_SIZE_MAX (DEFT__HTTP_TARGET_SIZE_MAX + DEFT__HTTP_METHOD_SIZE_MAX + 12)

static head_result read_request_line(deft__http_reader *reader, deft__http_event *event)
{
    deft_view         line;
    const line_result result = find_line(reader, 0, REQUEST_LINE_SIZE_MAX, &line);
    // Something that is no HTTP at all, TLS for example, may never come to a line end.
    if (!deft__http_check_method(line, &event->refusal)) {
        return HEAD_REFUSED;
    }
    head_result judged = judge_line(result, true, &event->refusal);
    if (judged == HEAD_WHOLE) {
        if (!deft__http_read_request_line(line, &event->head, &event->refusal)) {
            judged = HEAD_REFUSED;
        }
        reader->line_at = (uint32_t)line.size + 2;
    }
    return judged;
}

// Reads lines from where the last call ended. At the end `line_at` is the size of the whole head.
static head_result read_lines(deft__http_reader *reader, deft__http_event *event)
{
    head_result judged = HEAD_WHOLE;
    if (reader->line_at == 0) {
        judged = read_request_line(reader, event);
    }
    while (judged == HEAD_WHOLE) {
        deft_view         line;
        const line_result result =
            find_line(reader, reader->line_at, reader->head_size_max - reader->line_at, &line);
        judged = judge_line(result, false, &event->refusal);
        if (judged != HEAD_WHOLE) {
            break;
        }
        reader->line_at += (uint32_t)line.size + 2;
        if (line.size == 0) {
            break;
        } else if (reader->header_count == DEFT__HTTP_HEADERS_MAX) {
            event->refusal = (deft__http_refusal){431, "there are more than 100 headers"};
            judged         = HEAD_REFUSED;
        } else if (!deft__http_read_header(line, &event->headers[reader->header_count],
                                           &event->refusal)) {
            judged = HEAD_REFUSED;
        } else {
            reader->header_count++;
        }
    }
    return judged;
}

static void start_body(deft__http_reader *reader, const deft__http_head *head)
{
    reader->is_last    = !head->is_kept_alive;
    reader->body_left  = head->body_size;
    reader->body_size  = 0;
    reader->extra_size = 0;
    if (head->is_chunked) {
        reader->state = STATE_CHUNK_LINE;
    } else {
        reader->state = head->body_size > 0 ? STATE_BODY : STATE_END;
    }
}

static deft__http_event_kind read_head(deft__http_reader *reader, deft__http_event *event)
{
    deft__http_event_kind kind = DEFT__HTTP_MORE;
    if (reader->line_at == 0 && !skip_empty_lines(reader, event, &kind)) {
        return kind;
    }
    const bool  is_one_piece = reader->line_at == 0;
    head_result result       = read_lines(reader, event);
    if (result == HEAD_WHOLE && !is_one_piece) {
        reader->line_at      = 0;
        reader->scanned      = 0;
        reader->header_count = 0;
        result               = read_lines(reader, event);
    }
    if (result == HEAD_REFUSED) {
        return refused(reader);
    } else if (result == HEAD_PART) {
        return more(reader, event);
    }

    event->head.headers      = event->headers;
    event->head.header_count = reader->header_count;
    if (!deft__http_finish_head(&event->head, &event->refusal)) {
        return refused(reader);
    } else if (event->head.body_size > reader->body_size_max) {
        return refuse(reader, event, 413, "the body is larger than is allowed here");
    }
    use(reader, reader->line_at);
    reader->line_at      = 0;
    reader->header_count = 0;
    reader->empty_lines  = 0;
    start_body(reader, &event->head);
    return DEFT__HTTP_HEAD;
}

// --- The body. ------------------------------------------------------------------------------------

// As much of a body or chunk as is here; `next` is the state behind it.
static deft__http_event_kind read_piece(deft__http_reader *reader, deft__http_event *event,
                                        uint8_t next)
{
    const deft_view bytes = unused(reader);
    const size_t    size  = bytes.size < reader->body_left ? bytes.size : (size_t)reader->body_left;
    if (size == 0) {
        return more(reader, event);
    }
    event->body = deft_view_slice(bytes, 0, size);
    use(reader, size);
    reader->body_left -= size;
    if (reader->body_left == 0) {
        reader->state = next;
    }
    return DEFT__HTTP_BODY;
}

// The size in hex; false when it is not one, or has more digits than any size we allow.
static bool read_chunk_size(deft_view digits, uint64_t *size)
{
    if (digits.size == 0 || digits.size > 15) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        value = value * 16 + (uint64_t)deft__http_hex_value(digits.data[i]);
    }
    *size = value;
    return true;
}

// `5` or `5;name=value`. Extensions are passed over, but not at any length.
static bool read_chunk_line(deft__http_reader *reader, deft_view line, deft__http_refusal *refusal)
{
    const size_t    digits     = deft__http_span(line, DEFT__HTTP_HEX);
    const deft_view extensions = deft_view_slice(line, digits, line.size);
    uint64_t        size       = 0;
    if (!read_chunk_size(deft_view_slice(line, 0, digits), &size) ||
        (extensions.size > 0 && extensions.data[0] != ';') || !deft__http_is_value(extensions)) {
        *refusal = (deft__http_refusal){400, "a chunk does not begin with its size in hex"};
        return false;
    }
    reader->extra_size += (uint32_t)extensions.size;
    if (reader->extra_size > DEFT__HTTP_EXTENSIONS_SIZE_MAX) {
        *refusal = (deft__http_refusal){400, "the chunks have too many extensions"};
        return false;
    } else if (size > reader->body_size_max - reader->body_size) {
        *refusal = (deft__http_refusal){413, "the body is larger than is allowed here"};
        return false;
    }
    reader->body_left = size;
    reader->body_size += size;
    return true;
}

static deft__http_event_kind read_chunk_start(deft__http_reader *reader, deft__http_event *event)
{
    deft_view line;
    switch (find_line(reader, 0, DEFT__HTTP_CHUNK_LINE_SIZE_MAX, &line)) {
    case LINE_PART:
        return more(reader, event);
    case LINE_LONG:
        return refuse(reader, event, 400, "the line before a chunk is too long");
    case LINE_BARE:
        return refuse(reader, event, 400, bare_line_end);
    case LINE_WHOLE:
    default:
        break;
    }
    if (!read_chunk_line(reader, line, &event->refusal)) {
        return refused(reader);
    }
    use(reader, line.size + 2);
    if (reader->body_left > 0) {
        reader->state = STATE_CHUNK;
    } else {
        reader->state        = STATE_TRAILERS;
        reader->extra_size   = 0;
        reader->header_count = 0;
    }
    return deft__http_reader_next(reader, event);
}

static deft__http_event_kind read_chunk_end(deft__http_reader *reader, deft__http_event *event)
{
    const deft_view bytes = unused(reader);
    if ((bytes.size > 0 && bytes.data[0] != '\r') || (bytes.size > 1 && bytes.data[1] != '\n')) {
        return refuse(reader, event, 400, "a chunk is longer than its size says");
    } else if (bytes.size < 2) {
        return more(reader, event);
    }
    use(reader, 2);
    reader->state = STATE_CHUNK_LINE;
    return deft__http_reader_next(reader, event);
}

static deft__http_event_kind read_trailers(deft__http_reader *reader, deft__http_event *event)
{
    deft_view line;
    do {
        deft__http_header header;
        switch (find_line(reader, 0, DEFT__HTTP_TRAILERS_SIZE_MAX - reader->extra_size, &line)) {
        case LINE_PART:
            return more(reader, event);
        case LINE_LONG:
            return refuse(reader, event, 431, "the trailers are larger than 8 KiB together");
        case LINE_BARE:
            return refuse(reader, event, 400, bare_line_end);
        case LINE_WHOLE:
        default:
            break;
        }
        if (line.size > 0 && reader->header_count++ == DEFT__HTTP_HEADERS_MAX) {
            return refuse(reader, event, 431, "there are more than 100 trailers");
        } else if (line.size > 0 && !deft__http_read_header(line, &header, &event->refusal)) {
            return refused(reader);
        }
        use(reader, line.size + 2);
        reader->extra_size += (uint32_t)line.size + 2;
    } while (line.size > 0);
    reader->header_count = 0;
    reader->state        = STATE_END;
    return deft__http_reader_next(reader, event);
}

deft__http_event_kind deft__http_reader_next(deft__http_reader *reader, deft__http_event *event)
{
    if (reader->waiting.status != DEFT_OK) {
        return refuse(reader, event, 503, "out of memory");
    }
    switch (reader->state) {
    case STATE_HEAD:
        return read_head(reader, event);
    case STATE_BODY:
        return read_piece(reader, event, STATE_END);
    case STATE_CHUNK_LINE:
        return read_chunk_start(reader, event);
    case STATE_CHUNK:
        return read_piece(reader, event, STATE_CHUNK_END);
    case STATE_CHUNK_END:
        return read_chunk_end(reader, event);
    case STATE_TRAILERS:
        return read_trailers(reader, event);
    case STATE_END:
        reader->state = reader->is_last ? STATE_CLOSED : STATE_HEAD;
        return DEFT__HTTP_END;
    default:
        deft_buffer_clear(&reader->waiting);
        reader->used  = 0;
        reader->input = deft_view_make(NULL, 0);
        return DEFT__HTTP_MORE;
    }
}
