// fault.c - an MCP server over stdio that behaves as badly as it is told to. What it does wrong from
// the start is chosen by its arguments, what it does wrong in a call by the name of the tool.
//
//   fault [WORD...]
//     modern        answers server/discover and speaks 2026-07-28; else it is a legacy server
//     tools=N       lists N tools more, tool_0 to tool_N-1; each answers like echo
//     list=FILE     lists what is in the file, a JSON array of definitions, in place of its own
//     long          has definitions of the size that is usual, some 1,300 bytes
//     loud          has a tool `tell`: it logs, and from then on lists one tool more, and says so
//     noise         prints text on stdout before its first answer
//     garbage       prints lines that are no answers before each answer
//     silent=STEP   never answers STEP
//     exit=STEP     ends when STEP arrives
//     holder        a child of it keeps its pipes open
//     escape        the same, in a session of its own, where no signal to the group reaches it
//     deaf          goes on after the end of its input and after SIGTERM
//
//   STEP is one of discover, initialize, initialized, list, call.
//
//   tool     answers
//     echo     with its arguments, as text
//     die      not: the process ends
//     hang     not at all
//     late     when it is cancelled, and then all the same
//     twice    two times
//     wrong    under ids that nobody used first
//     half     in two parts, the second one when the next message has come
//     huge     with a line of 100 MB
//     stop     not: it stops itself with SIGSTOP
//
// It never sleeps: whatever waits, waits for input. So who plays with it decides what comes when.
#define _GNU_SOURCE
#include "json/lines.h"
#include "json/reader.h"
#include "json/writer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HUGE_SIZE  (100u * 1000 * 1000) // bytes; a message of a peer may have 64 MiB
#define TOOLS_MAX  1000000
#define CHUNK_SIZE 65536

enum {
    STEP_DISCOVER,
    STEP_INITIALIZE,
    STEP_INITIALIZED,
    STEP_LIST,
    STEP_CALL,
    STEP_COUNT
};

static const char *const step_words[STEP_COUNT] = {"discover", "initialize", "initialized", "list",
                                                   "call"};
static const char *const step_methods[STEP_COUNT] = {
    "server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"};

static const char *const tools[] = {"echo",  "die",  "hang", "late", "twice",
                                    "wrong", "half", "huge", "stop"};

typedef struct fault {
    bool        is_modern;
    bool        is_long;
    bool        is_loud;
    bool        is_noisy;
    bool        is_garbling;
    bool        is_deaf;
    bool        is_silent_at[STEP_COUNT];
    bool        is_ending_at[STEP_COUNT];
    long        tools_extra;
    deft_buffer tools_more; // definitions from a file, with a comma before each
    deft__json  document;   // the message being answered
    deft_buffer out;        // answers, until the input at hand is used up
    deft_buffer held;       // the second half of an answer
    deft_buffer late;       // the id of a call that is answered once it is cancelled
} fault;

// Nobody reads any more: there is nothing left to do.
static void write_all(const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(STDOUT_FILENO, data, size);
        if (written <= 0) {
            _exit(0);
        }
        data += written;
        size -= (size_t)written;
    }
}

static void flush(fault *self)
{
    write_all(self->out.data, self->out.size);
    deft_buffer_reset(&self->out);
}

// --- Answers. -----------------------------------------------------------------------------------

static void begin_answer(fault *self, deft__json_writer *writer, deft_view id, const char *member)
{
    static const char *const garbage[] = {
        "Listening for requests ...\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\n",
        "{\"level\":\"info\",\"msg\":\"a log line that is JSON\"}\n",
        "[]\n",
        "null\n",
        "\xFF\xFE not UTF-8\n",
        "\r\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/made_up\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"nobody asked\",\"result\":{}}\n",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"?\"},\"id\":null}\n",
    };
    if (self->is_noisy) {
        deft_buffer_append_text(&self->out, "fault server v1.0\n\nReady {not JSON}\n");
        self->is_noisy = false;
    }
    for (size_t i = 0; self->is_garbling && i < sizeof garbage / sizeof garbage[0]; i++) {
        deft_buffer_append_text(&self->out, garbage[i]);
    }
    deft__json_writer_init(writer, &self->out);
    deft__json_begin_object(writer);
    deft__json_name(writer, "jsonrpc");
    deft__json_write_text(writer, "2.0");
    deft__json_name(writer, "id");
    deft__json_write_raw(writer, id);
    deft__json_name(writer, member);
    deft__json_begin_object(writer);
    if (self->is_modern && strcmp(member, "result") == 0) {
        deft__json_name(writer, "resultType");
        deft__json_write_text(writer, "complete");
    }
}

static void end_answer(fault *self, deft__json_writer *writer)
{
    deft__json_end_object(writer);
    deft__json_end_object(writer);
    deft_buffer_append_byte(&self->out, '\n');
}

static void write_cache_hints(fault *self, deft__json_writer *writer)
{
    if (self->is_modern) {
        deft__json_name(writer, "ttlMs");
        deft__json_write_int64(writer, 60000);
        deft__json_name(writer, "cacheScope");
        deft__json_write_text(writer, "private");
    }
}

static void answer_error(fault *self, deft_view id, int code, const char *message)
{
    deft__json_writer writer;
    begin_answer(self, &writer, id, "error");
    deft__json_name(&writer, "code");
    deft__json_write_int64(&writer, code);
    deft__json_name(&writer, "message");
    deft__json_write_text(&writer, message);
    end_answer(self, &writer);
}

static void write_capabilities(const fault *self, deft__json_writer *writer)
{
    deft__json_name(writer, "capabilities");
    deft__json_write_raw(writer, deft_view_of(self->is_loud ? "{\"tools\":{\"listChanged\":true},"
                                                              "\"logging\":{}}"
                                                            : "{\"tools\":{}}"));
}

static void answer_discover(fault *self, deft_view id)
{
    deft__json_writer writer;
    if (!self->is_modern) {
        answer_error(self, id, -32601, "Method not found");
        return;
    }
    begin_answer(self, &writer, id, "result");
    deft__json_name(&writer, "supportedVersions");
    deft__json_write_raw(&writer, deft_view_of("[\"2026-07-28\"]"));
    write_capabilities(self, &writer);
    write_cache_hints(self, &writer);
    end_answer(self, &writer);
}

static void answer_initialize(fault *self, deft_view id)
{
    deft__json_writer writer;
    begin_answer(self, &writer, id, "result");
    deft__json_name(&writer, "protocolVersion");
    deft__json_write_text(&writer, "2025-11-25");
    write_capabilities(self, &writer);
    deft__json_name(&writer, "serverInfo");
    deft__json_write_raw(&writer, deft_view_of("{\"name\":\"fault\",\"version\":\"1\"}"));
    end_answer(self, &writer);
}

// Words that depend on the name, so that no two tools read the same.
static void append_words(deft_buffer *text, const char *name, size_t count)
{
    static const char *const words[] = {
        "list",   "create", "update", "delete", "issue",  "file",   "branch",  "message",
        "search", "query",  "filter", "page",   "result", "record", "account", "project",
        "given",  "the",    "of",     "with",   "by",     "name",   "returns", "all"};
    uint32_t state = 2166136261u;
    for (size_t i = 0; name[i] != '\0'; i++) {
        state = (state ^ (unsigned char)name[i]) * 16777619u;
    }
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        deft_buffer_append_text(text, words[(state >> 16) % (sizeof words / sizeof words[0])]);
        deft_buffer_append_byte(text, i + 1 < count ? ' ' : '.');
    }
}

static void write_long_schema(deft__json_writer *writer, const char *name)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, "object");
    deft__json_name(writer, "properties");
    deft__json_begin_object(writer);
    for (int i = 0; i < 6; i++) {
        char property[48];
        (void)snprintf(property, sizeof property, "%s_%d", name, i);
        deft_buffer_reset(&text);
        append_words(&text, property, 18);
        deft__json_name(writer, i == 0 ? "text" : property);
        deft__json_begin_object(writer);
        deft__json_name(writer, "type");
        deft__json_write_text(writer, "string");
        deft__json_name(writer, "description");
        deft__json_write_string(writer, deft_buffer_view(&text));
        deft__json_end_object(writer);
    }
    deft__json_end_object(writer);
    deft__json_end_object(writer);
    deft_buffer_clear(&text);
}

static void write_tool(const fault *self, deft__json_writer *writer, const char *name)
{
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    deft_buffer_append_text(&text, "Answers a call in the manner of ");
    deft_buffer_append_text(&text, name);
    deft_buffer_append_text(&text, self->is_long ? ": " : ".");
    append_words(&text, name, self->is_long ? 45 : 0);
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_text(writer, name);
    deft__json_name(writer, "description");
    deft__json_write_string(writer, deft_buffer_view(&text));
    deft__json_name(writer, "inputSchema");
    if (self->is_long) {
        write_long_schema(writer, name);
    } else {
        deft__json_write_raw(writer, deft_view_of("{\"type\":\"object\",\"properties\":"
                                                  "{\"text\":{\"type\":\"string\"}}}"));
    }
    deft__json_end_object(writer);
    deft_buffer_clear(&text);
}

static void answer_list(fault *self, deft_view id)
{
    deft__json_writer writer;
    begin_answer(self, &writer, id, "result");
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    const deft_view more = deft_buffer_view(&self->tools_more);
    for (size_t i = 0; more.size == 0 && i < sizeof tools / sizeof tools[0]; i++) {
        write_tool(self, &writer, tools[i]);
    }
    if (self->is_loud) {
        write_tool(self, &writer, "tell");
    }
    for (long i = 0; i < self->tools_extra; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "tool_%ld", i);
        write_tool(self, &writer, name);
    }
    deft_buffer_append(&self->out, deft_view_slice(more, writer.needs_comma ? 0 : 1, more.size));
    deft__json_end_array(&writer);
    write_cache_hints(self, &writer);
    end_answer(self, &writer);
}

static void answer_text(fault *self, deft_view id, deft_view text)
{
    deft__json_writer writer;
    begin_answer(self, &writer, id, "result");
    deft__json_name(&writer, "content");
    deft__json_begin_array(&writer);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "type");
    deft__json_write_text(&writer, "text");
    deft__json_name(&writer, "text");
    deft__json_write_string(&writer, text);
    deft__json_end_object(&writer);
    deft__json_end_array(&writer);
    end_answer(self, &writer);
}

// The line is written as it is made: a server that holds 100 MB would prove nothing more.
static void answer_huge(fault *self, deft_view id)
{
    static char letters[CHUNK_SIZE];
    flush(self);
    answer_text(self, id, deft_view_of("@"));
    const char *middle = memchr(self->out.data, '@', self->out.size);
    if (middle == NULL) {
        _exit(1);
    }
    const size_t head = (size_t)(middle - self->out.data);
    memset(letters, 'x', sizeof letters);
    write_all(self->out.data, head);
    for (size_t sent = 0; sent < HUGE_SIZE; sent += sizeof letters) {
        write_all(letters, sizeof letters);
    }
    write_all(self->out.data + head, self->out.size - head);
    deft_buffer_reset(&self->out);
}

static void answer_half(fault *self, deft_view id, deft_view text)
{
    flush(self);
    answer_text(self, id, text);
    const size_t half = self->out.size / 2;
    deft_buffer_append(&self->held, deft_view_make(self->out.data + half, self->out.size - half));
    write_all(self->out.data, half);
    deft_buffer_reset(&self->out);
}

static void answer_call(fault *self, deft_view id, deft__json_value params)
{
    const deft__json_value name      = deft__json_member(params, "name");
    const deft__json_value arguments = deft__json_member(params, "arguments");
    const deft_view        text      = deft__json_raw(arguments);
    if (deft__json_string_equals(name, deft_view_of("die"))) {
        flush(self);
        _exit(3);
    } else if (deft__json_string_equals(name, deft_view_of("hang"))) {
        // Nothing: that is its answer.
    } else if (deft__json_string_equals(name, deft_view_of("late"))) {
        deft_buffer_reset(&self->late);
        deft_buffer_append(&self->late, id);
    } else if (deft__json_string_equals(name, deft_view_of("twice"))) {
        answer_text(self, id, text);
        answer_text(self, id, text);
    } else if (deft__json_string_equals(name, deft_view_of("wrong"))) {
        answer_text(self, deft_view_of("987654321"), text);
        answer_text(self, deft_view_of("\"987654321\""), text);
        answer_text(self, deft_view_of("null"), text);
        answer_text(self, deft_view_of("-1.5e300"), text);
        answer_text(self, id, text);
    } else if (deft__json_string_equals(name, deft_view_of("half"))) {
        answer_half(self, id, text);
    } else if (deft__json_string_equals(name, deft_view_of("huge"))) {
        answer_huge(self, id);
    } else if (deft__json_string_equals(name, deft_view_of("stop"))) {
        flush(self);
        (void)raise(SIGSTOP);
    } else if (deft__json_string_equals(name, deft_view_of("tell"))) {
        self->tools_extra++;
        deft_buffer_append_text(&self->out,
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                                "\"params\":{\"level\":\"info\",\"data\":\"told\"}}\n"
                                "{\"jsonrpc\":\"2.0\","
                                "\"method\":\"notifications/tools/list_changed\"}\n");
        answer_text(self, id, text);
    } else {
        answer_text(self, id, text);
    }
}

// --- Messages. ----------------------------------------------------------------------------------

static int step_of(deft__json_value method)
{
    int step = 0;
    while (step < STEP_COUNT &&
           !deft__json_string_equals(method, deft_view_of(step_methods[step]))) {
        step++;
    }
    return step;
}

static void answer(fault *self, int step, deft_view id, deft__json_value params)
{
    switch (step) {
    case STEP_DISCOVER:
        answer_discover(self, id);
        break;
    case STEP_INITIALIZE:
        answer_initialize(self, id);
        break;
    case STEP_LIST:
        answer_list(self, id);
        break;
    case STEP_CALL:
        answer_call(self, id, params);
        break;
    default:
        if (id.size > 0) {
            answer_error(self, id, -32601, "Method not found");
        }
    }
}

static void answer_ping(fault *self, deft_view id)
{
    deft__json_writer writer;
    begin_answer(self, &writer, id, "result");
    end_answer(self, &writer);
}

static void take_line(fault *self, deft_view line)
{
    deft_buffer_append(&self->out, deft_buffer_view(&self->held));
    deft_buffer_reset(&self->held);
    if (deft__json_parse(&self->document, line, NULL, NULL) != DEFT_OK) {
        return;
    }
    const deft__json_value message = deft__json_root(&self->document);
    const deft__json_value method  = deft__json_member(message, "method");
    const deft_view        id      = deft__json_raw(deft__json_member(message, "id"));
    const int              step    = step_of(method);
    if (step < STEP_COUNT && self->is_ending_at[step]) {
        flush(self);
        _exit(3);
    } else if (step < STEP_COUNT && self->is_silent_at[step]) {
        // Nothing: that is its answer.
    } else if (deft__json_string_equals(method, deft_view_of("notifications/cancelled"))) {
        if (self->late.size > 0) {
            answer_text(self, deft_buffer_view(&self->late), deft_view_of("too late"));
            deft_buffer_reset(&self->late);
        }
    } else if (deft__json_string_equals(method, deft_view_of("ping"))) {
        answer_ping(self, id);
    } else if (deft__json_is(method, DEFT__JSON_STRING)) {
        answer(self, step, id, deft__json_member(message, "params"));
    }
}

static void serve(fault *self)
{
    static char chunk[CHUNK_SIZE];
    deft__lines lines;
    deft_view   line;
    deft__lines_init(&lines, 0, NULL);
    for (;;) {
        const ssize_t size = read(STDIN_FILENO, chunk, sizeof chunk);
        if (size <= 0) {
            break;
        }
        deft__lines_feed(&lines, deft_view_make(chunk, (size_t)size));
        while (deft__lines_next(&lines, &line) != DEFT_NOT_FOUND) {
            take_line(self, line);
        }
        flush(self);
    }
    deft__lines_clear(&lines);
}

// --- The start. ---------------------------------------------------------------------------------

// A grandchild of whoever started us; it holds our pipes and does nothing else.
static void start_holder(bool is_escaping)
{
    const pid_t child = fork();
    if (child == 0) {
        if (is_escaping) {
            (void)setsid();
        }
        for (;;) {
            (void)pause();
        }
    } else if (child < 0) {
        perror("fault: fork");
        exit(1);
    }
}

static bool set_step(bool *steps, const char *word)
{
    for (size_t i = 0; i < STEP_COUNT; i++) {
        if (strcmp(word, step_words[i]) == 0) {
            steps[i] = true;
            return true;
        }
    }
    return false;
}

static bool read_list(fault *self, const char *path)
{
    char        chunk[4096];
    size_t      size;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    FILE *file = fopen(path, "r");
    while (file != NULL && (size = fread(chunk, 1, sizeof chunk, file)) > 0) {
        deft_buffer_append(&text, deft_view_make(chunk, size));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    const bool is_read =
        deft__json_parse(&self->document, deft_buffer_view(&text), NULL, NULL) == DEFT_OK;
    deft__json_iterator i = deft__json_iterate(deft__json_root(&self->document));
    while (is_read && deft__json_next(&i)) {
        deft_buffer_append_byte(&self->tools_more, ',');
        deft_buffer_append(&self->tools_more, deft__json_raw(i.value));
    }
    deft_buffer_clear(&text);
    return is_read;
}

static bool take_word(fault *self, const char *word)
{
    bool is_known = true;
    if (strcmp(word, "modern") == 0) {
        self->is_modern = true;
    } else if (strcmp(word, "long") == 0) {
        self->is_long = true;
    } else if (strcmp(word, "loud") == 0) {
        self->is_loud = true;
    } else if (strcmp(word, "noise") == 0) {
        self->is_noisy = true;
    } else if (strcmp(word, "garbage") == 0) {
        self->is_garbling = true;
    } else if (strcmp(word, "holder") == 0) {
        start_holder(false);
    } else if (strcmp(word, "escape") == 0) {
        start_holder(true);
    } else if (strcmp(word, "deaf") == 0) {
        self->is_deaf = true;
        (void)signal(SIGTERM, SIG_IGN);
    } else if (strncmp(word, "silent=", 7) == 0) {
        is_known = set_step(self->is_silent_at, word + 7);
    } else if (strncmp(word, "exit=", 5) == 0) {
        is_known = set_step(self->is_ending_at, word + 5);
    } else if (strncmp(word, "list=", 5) == 0) {
        is_known = read_list(self, word + 5);
    } else if (strncmp(word, "tools=", 6) == 0) {
        self->tools_extra = strtol(word + 6, NULL, 10);
        is_known          = self->tools_extra >= 0 && self->tools_extra <= TOOLS_MAX;
    } else {
        is_known = false;
    }
    return is_known;
}

int main(int argc, char **argv)
{
    static fault self;
    deft__json_init(&self.document, NULL);
    deft_buffer_init(&self.out, NULL);
    deft_buffer_init(&self.held, NULL);
    deft_buffer_init(&self.late, NULL);
    deft_buffer_init(&self.tools_more, NULL);
    for (int i = 1; i < argc; i++) {
        if (!take_word(&self, argv[i])) {
            (void)fprintf(stderr, "fault: '%s' is not a fault; they are listed in fault.c\n",
                          argv[i]);
            return 2;
        }
    }
    serve(&self);
    while (self.is_deaf) {
        (void)pause();
    }
    deft__json_clear(&self.document);
    deft_buffer_clear(&self.out);
    deft_buffer_clear(&self.held);
    deft_buffer_clear(&self.late);
    deft_buffer_clear(&self.tools_more);
    return 0;
}
