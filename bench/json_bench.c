// How fast JSON is read, against other readers in the same run: one large tools/list, and many
// small messages. The text is made here, the same in every run.
#include "bench/bench.h"
#include "bench/json_other.h"
#include "json/reader.h"
#include "json/writer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOLS    10000
#define MESSAGES 100000
#define ROUNDS   7 // the best one counts

static const char *const plain[] = {
    "list", "create", "update",  "the",  "issue",   "file", "server", "of",    "search", "branch",
    "when", "given",  "returns", "pull", "request", "and",  "user",   "query", "filter", "page",
    "path", "result", "comment", "with", "by",      "name", "all",    "new",
};

// Words that a reader cannot skip over: escapes, and characters beyond ASCII.
static const char *const special[] = {"caf\xC3\xA9", "\"exact\"", "na\xC3\xAFve", "a\nb"};

// One word in sixteen is special, which is about one byte in a hundred.
static const char *random_word(uint64_t *state)
{
    const uint64_t random = bench_random(state);
    if (random % 16 == 0) {
        return special[random / 16 % (sizeof special / sizeof special[0])];
    } else {
        return plain[random / 16 % (sizeof plain / sizeof plain[0])];
    }
}

// A sentence of about `size` bytes into `text`, which is emptied first.
static deft_view sentence(deft_buffer *text, size_t size, uint64_t *state)
{
    deft_buffer_reset(text);
    while (text->size < size) {
        deft_buffer_append_text(text, random_word(state));
        deft_buffer_append_byte(text, text->size < size ? ' ' : '.');
    }
    return deft_buffer_view(text);
}

static void write_property(deft__json_writer *writer, deft_buffer *text, uint64_t *state)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, bench_random(state) % 2 == 0 ? "string" : "integer");
    deft__json_name(writer, "description");
    deft__json_write_string(writer, sentence(text, 70, state));
    if (bench_random(state) % 2 == 0) {
        deft__json_name(writer, "enum");
        deft__json_begin_array(writer);
        for (int i = 0; i < 3; i++) {
            deft__json_write_text(writer, random_word(state));
        }
        deft__json_end_array(writer);
    } else {
        deft__json_name(writer, "minimum");
        deft__json_write_int64(writer, 1);
        deft__json_name(writer, "default");
        deft__json_write_uint64(writer, bench_random(state) % 1000);
    }
    deft__json_end_object(writer);
}

static void write_tool(deft__json_writer *writer, size_t index, deft_buffer *text, uint64_t *state)
{
    const size_t properties = 6;
    char         name[64];
    deft__json_begin_object(writer);
    (void)snprintf(name, sizeof name, "tool_%zu", index);
    deft__json_name(writer, "name");
    deft__json_write_text(writer, name);
    deft__json_name(writer, "description");
    deft__json_write_string(writer, sentence(text, 218, state));
    deft__json_name(writer, "inputSchema");
    deft__json_begin_object(writer);
    deft__json_name(writer, "type");
    deft__json_write_text(writer, "object");
    deft__json_name(writer, "properties");
    deft__json_begin_object(writer);
    for (size_t i = 0; i < properties; i++) {
        (void)snprintf(name, sizeof name, "property_%zu", i);
        deft__json_name(writer, name);
        write_property(writer, text, state);
    }
    deft__json_end_object(writer);
    deft__json_name(writer, "required");
    deft__json_begin_array(writer);
    deft__json_write_text(writer, "property_0");
    deft__json_write_text(writer, "property_1");
    deft__json_end_array(writer);
    deft__json_name(writer, "additionalProperties");
    deft__json_write_bool(writer, false);
    deft__json_end_object(writer);
    deft__json_name(writer, "annotations");
    deft__json_begin_object(writer);
    deft__json_name(writer, "readOnlyHint");
    deft__json_write_bool(writer, bench_random(state) % 2 == 0);
    deft__json_end_object(writer);
    deft__json_end_object(writer);
}

static void write_tools_list(deft_buffer *out)
{
    uint64_t          state = 1;
    deft_buffer       text;
    deft__json_writer writer;
    deft_buffer_init(&text, NULL);
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "jsonrpc");
    deft__json_write_text(&writer, "2.0");
    deft__json_name(&writer, "id");
    deft__json_write_int64(&writer, 1);
    deft__json_name(&writer, "result");
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    for (size_t i = 0; i < TOOLS; i++) {
        write_tool(&writer, i, &text, &state);
    }
    deft__json_end_array(&writer);
    deft__json_end_object(&writer);
    deft__json_end_object(&writer);
    deft_buffer_clear(&text);
}

static void write_message(deft__json_writer *writer, size_t index, deft_buffer *text,
                          uint64_t *state)
{
    deft__json_begin_object(writer);
    deft__json_name(writer, "jsonrpc");
    deft__json_write_text(writer, "2.0");
    deft__json_name(writer, "id");
    deft__json_write_uint64(writer, index);
    deft__json_name(writer, "method");
    deft__json_write_text(writer, "tools/call");
    deft__json_name(writer, "params");
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_text(writer, "create_issue");
    deft__json_name(writer, "arguments");
    deft__json_begin_object(writer);
    deft__json_name(writer, "title");
    deft__json_write_string(writer, sentence(text, 40, state));
    deft__json_name(writer, "body");
    deft__json_write_string(writer, sentence(text, 75 + bench_random(state) % 140, state));
    deft__json_name(writer, "labels");
    deft__json_begin_array(writer);
    deft__json_write_text(writer, "bug");
    deft__json_write_text(writer, random_word(state));
    deft__json_end_array(writer);
    deft__json_name(writer, "count");
    deft__json_write_uint64(writer, bench_random(state) % 100000);
    deft__json_name(writer, "is_open");
    deft__json_write_bool(writer, true);
    deft__json_end_object(writer);
    deft__json_end_object(writer);
    deft__json_end_object(writer);
}

// `ends[i]` is where message i ends in `out`.
static void write_messages(deft_buffer *out, size_t *ends)
{
    uint64_t    state = 2;
    deft_buffer text;
    deft_buffer_init(&text, NULL);
    for (size_t i = 0; i < MESSAGES; i++) {
        deft__json_writer writer;
        deft__json_writer_init(&writer, out);
        write_message(&writer, i, &text, &state);
        ends[i] = out->size;
    }
    deft_buffer_clear(&text);
}

static deft__json document; // ours, used again for every text, as a connection does

static void *read_ours(const char *text, size_t size)
{
    const deft_view view = deft_view_make(text, size);
    return deft__json_parse(&document, view, NULL, NULL) == DEFT_OK ? &document : NULL;
}

static void free_ours(void *value)
{
    (void)value; // the next text goes into the same tape
}

typedef struct bench_text {
    deft_view     all;
    const size_t *ends; // of each message in it
    size_t        count;
} bench_text;

typedef struct bench_times {
    double read;  // seconds
    double total; // with giving the memory back; the same where there are many messages, since
                  // looking at the clock costs as much as reading one
} bench_times;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// The best of several rounds over all of `text`.
static bench_times best_times(const bench_text *text, const bench_json_other *reader)
{
    bench_times best = {.read = 1e9, .total = 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_seconds();
        double       read  = 0;
        size_t       at    = 0;
        for (size_t i = 0; i < text->count; i++) {
            void *value = reader->read(text->all.data + at, text->ends[i] - at);
            if (value == NULL) {
                (void)fprintf(stderr, "%s refuses a message\n", reader->name);
                exit(1);
            }
            read = text->count == 1 ? bench_seconds() - start : 0;
            reader->free(value);
            at = text->ends[i];
        }
        const double total = bench_seconds() - start;
        best.read          = smaller(best.read, text->count == 1 ? read : total);
        best.total         = smaller(best.total, total);
    }
    return best;
}

static void run(const char *title, const bench_text *text, const bench_json_other *readers,
                size_t readers_count)
{
    bench_times ours = {0};
    (void)printf("%s: %zu of %zu bytes, %.1f MB\n", title, text->count,
                 text->all.size / text->count, (double)text->all.size * 1e-6);
    for (size_t i = 0; i < readers_count; i++) {
        const bench_times times = best_times(text, &readers[i]);
        ours                    = i == 0 ? times : ours;
        (void)printf("  %-14s read %6.0f MB/s, %10.2f us each, %5.1f x ours; and free %5.1f x\n",
                     readers[i].name, (double)text->all.size / times.read * 1e-6,
                     times.read / (double)text->count * 1e6, times.read / ours.read,
                     times.total / ours.total);
    }
}

// Puts the readers that can be loaded into `others`; returns how many.
static size_t load_others(bench_json_other *others)
{
    static const char *const paths[] = {
#ifdef DEFT_BENCH_JANSSON
        DEFT_BENCH_JANSSON,
#endif
#ifdef DEFT_BENCH_JSONC
        DEFT_BENCH_JSONC,
#endif
        NULL};
    size_t count = 0;
    for (size_t i = 0; paths[i] != NULL; i++) {
        void *module = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        bench_json_other (*get)(void);
        if (module == NULL) {
            (void)fprintf(stderr, "%s\n", dlerror());
            continue;
        }
        // POSIX lets a pointer from dlsym be a function; C has no cast for it.
        void *symbol = dlsym(module, BENCH_JSON_OTHER_SYMBOL);
        memcpy(&get, &symbol, sizeof get);
        others[count++] = get();
    }
    return count;
}

int main(void)
{
    // Ours is the first.
    bench_json_other readers[3] = {{.name = "deft", .read = read_ours, .free = free_ours}};
    const size_t     count      = 1 + load_others(readers + 1);
    deft_buffer      tools;
    deft_buffer      messages;
    size_t          *ends = malloc(MESSAGES * sizeof *ends);
    deft_buffer_init(&tools, NULL);
    deft_buffer_init(&messages, NULL);
    deft__json_init(&document, NULL);
    write_tools_list(&tools);
    if (ends == NULL || tools.status != DEFT_OK) {
        return 1;
    }
    write_messages(&messages, ends);

    bench_head("json");
    run("tools/list", &(bench_text){deft_buffer_view(&tools), &tools.size, 1}, readers, count);
    (void)printf("  the tape: %zu tokens, %.1f bytes of text each, %.2f of the text in memory\n",
                 document.count, (double)tools.size / (double)document.count,
                 16.0 * (double)document.capacity / (double)tools.size);
    run("messages", &(bench_text){deft_buffer_view(&messages), ends, MESSAGES}, readers, count);

    deft__json_clear(&document);
    deft_buffer_clear(&messages);
    deft_buffer_clear(&tools);
    free(ends);
    return 0;
}
