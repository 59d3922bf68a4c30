#include "http/response.h"

#include "http/syntax.h"

#include <assert.h>

static const struct {
    int         status;
    const char *reason;
} reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {202, "Accepted"},
    {204, "No Content"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

const char *deft__http_reason(int status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}

// --- The date. ------------------------------------------------------------------------------------

static void write_digits(char *out, int64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

void deft__http_date(int64_t seconds, char date[DEFT__HTTP_DATE_SIZE])
{
    static const char weekdays[] = "ThuFriSatSunMonTueWed"; // 1970 began on a Thursday
    static const char months[]   = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    assert(seconds >= 0 && seconds < INT64_C(253402300800));

    // Days to a date, as Howard Hinnant derives it ("chrono-compatible low-level date algorithms"):
    // years begin in March, so that the leap day is the last one, and eras have 400 years.
    const int64_t days       = seconds / 86400;
    const int64_t second     = seconds % 86400;
    const int64_t shifted    = days + 719468;
    const int64_t era        = shifted / 146097;
    const int64_t day_of_era = shifted % 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month = (5 * day_of_year + 2) / 153; // 0 is March
    const int64_t day   = day_of_year - (153 * month + 2) / 5 + 1;
    const int64_t year  = year_of_era + era * 400 + (month >= 10 ? 1 : 0);

    memcpy(date, "Thu, 01 Jan 1970 00:00:00 GMT", DEFT__HTTP_DATE_SIZE);
    memcpy(date, weekdays + 3 * (days % 7), 3);
    write_digits(date + 5, day, 2);
    memcpy(date + 8, months + 3 * month, 3);
    write_digits(date + 12, year, 4);
    write_digits(date + 17, second / 3600, 2);
    write_digits(date + 20, second / 60 % 60, 2);
    write_digits(date + 23, second % 60, 2);
}

// --- Heads. ---------------------------------------------------------------------------------------

void deft__http_start(deft_buffer *out, int status, deft_view date)
{
    assert(status >= 100 && status <= 599);
    deft_buffer_append_text(out, "HTTP/1.1 ");
    deft_buffer_append_u64(out, (uint64_t)status);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, deft__http_reason(status));
    deft_buffer_append_text(out, "\r\n");
    if (date.size > 0) {
        deft__http_header_text(out, "Date", date);
    }
}

void deft__http_header_text(deft_buffer *out, const char *name, deft_view value)
{
    if (out->status != DEFT_OK) {
        return;
    }
    if (!deft__http_all(deft_view_of(name), DEFT__HTTP_TOKEN) || !deft__http_is_value(value)) {
        out->status = DEFT_INVALID;
        return;
    }
    deft_buffer_append_text(out, name);
    deft_buffer_append_text(out, ": ");
    deft_buffer_append(out, value);
    deft_buffer_append_text(out, "\r\n");
}

void deft__http_connection(deft_buffer *out, const deft__http_head *head, bool is_closing)
{
    if (is_closing || !head->is_kept_alive) {
        deft_buffer_append_text(out, "Connection: close\r\n");
    } else if (head->minor == 0) {
        deft_buffer_append_text(out, "Connection: keep-alive\r\n");
    }
}

static void write_type(deft_buffer *out, const char *type)
{
    if (type != NULL) {
        deft__http_header_text(out, "Content-Type", deft_view_of(type));
    }
}

void deft__http_body(deft_buffer *out, const char *type, deft_view body, bool is_head)
{
    write_type(out, type);
    deft_buffer_append_text(out, "Content-Length: ");
    deft_buffer_append_u64(out, body.size);
    deft_buffer_append_text(out, "\r\n\r\n");
    if (!is_head) {
        deft_buffer_append(out, body);
    }
}

void deft__http_no_body(deft_buffer *out)
{
    deft_buffer_append_text(out, "\r\n");
}

void deft__http_chunked(deft_buffer *out, const char *type, int minor)
{
    write_type(out, type);
    deft_buffer_append_text(out, minor > 0 ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
}

void deft__http_events(deft_buffer *out, int minor)
{
    deft_buffer_append_text(out, "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n");
    deft__http_chunked(out, "text/event-stream", minor);
}

// --- Bodies. --------------------------------------------------------------------------------------

static void write_hex(deft_buffer *out, size_t value)
{
    char   digits[2 * sizeof value];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % 16];
        value /= 16;
    } while (value > 0);
    deft_buffer_append(out, deft_view_make(digits + at, sizeof digits - at));
}

void deft__http_chunk(deft_buffer *out, deft_view bytes, int minor)
{
    if (minor == 0) {
        deft_buffer_append(out, bytes);
    } else if (bytes.size > 0) {
        write_hex(out, bytes.size);
        deft_buffer_append_text(out, "\r\n");
        deft_buffer_append(out, bytes);
        deft_buffer_append_text(out, "\r\n");
    }
}

void deft__http_last_chunk(deft_buffer *out, int minor)
{
    if (minor > 0) {
        deft_buffer_append_text(out, "0\r\n\r\n");
    }
}

void deft__http_continue(deft_buffer *out)
{
    deft_buffer_append_text(out, "HTTP/1.1 100 Continue\r\n\r\n");
}

void deft__http_refuse(deft_buffer *out, const deft__http_refusal *refusal, deft_view date)
{
    deft__http_start(out, refusal->status, date);
    deft_buffer_append_text(out, "Connection: close\r\n");
    write_type(out, "text/plain; charset=utf-8");
    deft_buffer_append_text(out, "Content-Length: ");
    deft_buffer_append_u64(out, strlen(refusal->reason) + 1);
    deft_buffer_append_text(out, "\r\n\r\n");
    deft_buffer_append_text(out, refusal->reason);
    deft_buffer_append_byte(out, '\n');
}
