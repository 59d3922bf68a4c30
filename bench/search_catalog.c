// How a copy differs from its original:
//
// - it is another product: the server's name and the words that only this server uses (its domain)
//   give way to made-up nouns, some unique, some shared with other copies as Zipf has it, so the
//   vocabulary grows with the catalog as it does between real products;
// - it speaks otherwise: common verbs and nouns are exchanged for others that mean the same, in
//   names, descriptions and parameters alike;
// - it is not complete: some tools and some sentences of descriptions are missing.
//
// Exchanges are one to one within a server, so names that differ still do.
#include "bench/search_catalog.h"

#include "base/map.h"
#include "bench/bench.h"
#include "core/index/fields.h"
#include "json/writer.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define DOMAIN_WORDS_MAX 8
#define WORD_SIZE_MAX    32
#define SHARED_NOUNS     60000 // made-up nouns that several servers may use

static const char *const synonyms[][4] = {
    {"list", "browse", "enumerate", "show"},
    {"create", "add", "make", "register"},
    {"delete", "remove", "drop", "discard"},
    {"update", "edit", "modify", "change"},
    {"get", "fetch", "read", "retrieve"},
    {"search", "find", "query", "lookup"},
    {"send", "post", "submit", "deliver"},
    {"file", "document", "record", "asset"},
    {"message", "note", "mail", "letter"},
    {"issue", "ticket", "task", "bug"},
    {"user", "member", "person", "account"},
    {"project", "workspace", "space", "folder"},
    {"comment", "remark", "reply", "annotation"},
    {"start", "launch", "begin", "run"},
    {"stop", "halt", "end", "cancel"},
    {"customer", "client", "buyer", "contact"},
    {"page", "sheet", "screen", "view"},
    {"image", "picture", "photo", "snapshot"},
    {"table", "dataset", "collection", "grid"},
    {"limit", "maximum", "count", "size"},
    {"channel", "room", "stream", "topic"},
    {"event", "meeting", "appointment", "session"},
    {"date", "day", "moment", "deadline"},
    {"label", "tag", "category", "marker"},
    {"status", "state", "phase", "condition"},
    {"repository", "archive", "store", "depot"},
    {"branch", "line", "track", "fork"},
    {"report", "summary", "overview", "digest"},
    {"price", "amount", "cost", "fee"},
    {"location", "place", "city", "address"},
};
#define SYNONYM_GROUPS (sizeof synonyms / sizeof synonyms[0])

typedef struct base_server {
    char      *text;
    deft__json document;
    char       name[WORD_SIZE_MAX];
    char       domain[DOMAIN_WORDS_MAX][WORD_SIZE_MAX]; // words that hardly any other server uses
    size_t     domain_count;
} base_server;

struct bench_base {
    base_server *servers;
    size_t       server_count;
    size_t       tool_count;
    deft__map    synonym_places; // word to group * 4 + place
};

// One copy of a server being written.
typedef struct copy {
    const bench_base  *base;
    const base_server *server;
    char               nouns[DOMAIN_WORDS_MAX + 1][WORD_SIZE_MAX]; // the product; then the domain
    uint8_t            rotation[SYNONYM_GROUPS];
    uint64_t           random;
    deft_buffer        in;  // a decoded string
    deft_buffer        out; // the same, varied
} copy;

static void die(const char *what)
{
    (void)fprintf(stderr, "search: %s\n", what);
    exit(1);
}

// --- the base ------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *size)
{
    FILE  *file = fopen(path, "rb");
    size_t room = 1u << 20;
    char  *text = malloc(room);
    *size       = 0;
    while (file != NULL && text != NULL) {
        const size_t count = fread(text + *size, 1, room - *size, file);
        if (count == 0) {
            break;
        }
        *size += count;
        if (*size == room) {
            char *grown = realloc(text, 2 * room);
            if (grown == NULL) {
                break;
            }
            text = grown;
            room *= 2;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

// The next word (a run of letters) of `text` from `*at` on, in lower case; longer ones are cut.
static bool next_word(deft_view text, size_t *at, size_t *end, char word[WORD_SIZE_MAX])
{
    while (*at < text.size && !isalpha((unsigned char)text.data[*at])) {
        (*at)++;
    }
    size_t size = 0;
    for (*end = *at; *end < text.size && isalpha((unsigned char)text.data[*end]); (*end)++) {
        if (size < WORD_SIZE_MAX - 1) {
            word[size++] = (char)tolower((unsigned char)text.data[*end]);
        }
    }
    word[size] = '\0';
    return size > 0;
}

typedef struct word_use {
    char   word[WORD_SIZE_MAX];
    size_t servers; // that have it
    size_t uses;    // in the server being looked at
} word_use;

typedef struct census {
    deft__map map; // word to use
    word_use *uses;
    size_t    count;
    size_t    capacity;
} census;

// Counts the words of `value`.
static void count_words(census *c, deft__json_value value)
{
    const deft_view text = deft__json_raw(value);
    size_t          at   = 0;
    size_t          end  = 0;
    char            word[WORD_SIZE_MAX];
    for (; next_word(text, &at, &end, word); at = end) {
        uint32_t id = 0;
        if (!deft__map_find(&c->map, deft_view_of(word), &id)) {
            if (c->count == c->capacity) {
                die("more different words than expected");
            }
            id          = (uint32_t)c->count++;
            c->uses[id] = (word_use){.servers = 0};
            memcpy(c->uses[id].word, word, sizeof word);
            (void)deft__map_put(&c->map, deft_view_of(c->uses[id].word), id);
        }
        c->uses[id].uses++;
    }
}

static void count_server(census *c, const base_server *server)
{
    for (size_t i = 0; i < c->count; i++) {
        c->uses[i].uses = 0;
    }
    count_words(c, deft__json_member(deft__json_root(&server->document), "tools"));
}

// The words that this server uses most of those that at most one in twelve servers has.
static void choose_domain(const bench_base *base, base_server *server, census *c)
{
    const size_t servers_max = base->server_count / 12 + 1;
    count_server(c, server);
    while (server->domain_count < DOMAIN_WORDS_MAX) {
        word_use *best = NULL;
        for (size_t i = 0; i < c->count; i++) {
            if (c->uses[i].servers <= servers_max && c->uses[i].uses > 1 &&
                strlen(c->uses[i].word) > 3 && (best == NULL || c->uses[i].uses > best->uses)) {
                best = &c->uses[i];
            }
        }
        if (best == NULL) {
            return;
        }
        memcpy(server->domain[server->domain_count++], best->word, WORD_SIZE_MAX);
        best->uses = 0;
    }
}

static void choose_domains(bench_base *base)
{
    census c = {.capacity = 200000};
    c.uses   = calloc(c.capacity, sizeof *c.uses);
    if (c.uses == NULL) {
        die("out of memory");
    }
    deft__map_init(&c.map, 1, NULL);
    for (size_t s = 0; s < base->server_count; s++) {
        count_server(&c, &base->servers[s]);
        for (size_t i = 0; i < c.count; i++) {
            c.uses[i].servers += c.uses[i].uses > 0;
        }
    }
    for (size_t s = 0; s < base->server_count; s++) {
        choose_domain(base, &base->servers[s], &c);
    }
    deft__map_clear(&c.map);
    free(c.uses);
}

static void read_server(bench_base *base, const char *folder, const char *file)
{
    char         path[1024];
    base_server *server = &base->servers[base->server_count];
    size_t       size   = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    server->text = read_file(path, &size);
    deft__json_init(&server->document, NULL);
    if (server->text == NULL ||
        deft__json_parse(&server->document, deft_view_make(server->text, size), NULL, NULL) !=
            DEFT_OK) {
        die("a file of the catalog folder is not JSON");
    }
    const deft__json_value tools = deft__json_member(deft__json_root(&server->document), "tools");
    if (deft__json_count(tools) == 0) {
        deft__json_clear(&server->document);
        free(server->text);
        return;
    }
    (void)snprintf(server->name, sizeof server->name, "%.*s", (int)strcspn(file, "."), file);
    base->tool_count += deft__json_count(tools);
    base->server_count++;
}

static int is_json(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

bench_base *bench_base_new(const char *folder)
{
    struct dirent **entries = NULL;
    const int       count   = scandir(folder, &entries, is_json, alphasort);
    if (count <= 0) {
        (void)fprintf(stderr, "search: no *.json in '%s'; name a folder with --catalog\n", folder);
        return NULL;
    }
    bench_base *base = calloc(1, sizeof *base);
    if (base == NULL || (base->servers = calloc((size_t)count, sizeof *base->servers)) == NULL) {
        die("out of memory");
    }
    for (int i = 0; i < count; i++) {
        read_server(base, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (base->server_count == 0) {
        die("no file of the catalog folder has `tools`");
    }
    choose_domains(base);
    deft__map_init(&base->synonym_places, 1, NULL);
    for (uint32_t g = 0; g < SYNONYM_GROUPS; g++) {
        for (uint32_t k = 0; k < 4; k++) {
            (void)deft__map_put(&base->synonym_places, deft_view_of(synonyms[g][k]), g * 4 + k);
        }
    }
    return base;
}

void bench_base_free(bench_base *base)
{
    if (base == NULL) {
        return;
    }
    for (size_t i = 0; i < base->server_count; i++) {
        deft__json_clear(&base->servers[i].document);
        free(base->servers[i].text);
    }
    deft__map_clear(&base->synonym_places);
    free(base->servers);
    free(base);
}

size_t bench_base_server_count(const bench_base *base)
{
    return base->server_count;
}

size_t bench_base_tool_count(const bench_base *base)
{
    return base->tool_count;
}

// --- copies --------------------------------------------------------------------------------

// A noun that can be spoken, another one for each number below 40^4.
static void make_noun(uint64_t number, char noun[WORD_SIZE_MAX])
{
    static const char *const syllables[40] = {
        "ba",  "cor", "den", "fi",  "gal", "hu",  "jin", "ka",  "lor", "mi",
        "nex", "po",  "qua", "ri",  "sol", "ta",  "ul",  "vex", "wi",  "xa",
        "yor", "zen", "bri", "cle", "dro", "fla", "gri", "hel", "isk", "jo",
        "kry", "lum", "mon", "ni",  "or",  "pla", "run", "sta", "tro", "vel",
    };
    // 1,000,003 is prime to 40^4: neighbours in number are strangers in sound.
    uint64_t rest = number * 1000003 % 2560000;
    noun[0]       = '\0';
    for (int i = 0; i < 4; i++) {
        if (i < 3 || rest > 0) {
            memcpy(noun + strlen(noun), syllables[rest % 40], strlen(syllables[rest % 40]) + 1);
        }
        rest /= 40;
    }
}

// A number below `count`, the small ones more often, as Zipf has it.
static uint64_t zipf(uint64_t count, uint64_t *random)
{
    // All powers of two are alike likely to be the range: about 1/n for the n-th.
    const uint64_t range = UINT64_C(2) << bench_random(random) % 16;
    return bench_random(random) % (range < count ? range : count);
}

static void append_like(deft_buffer *out, const char *word, char like)
{
    deft_buffer_append_byte(out, isupper((unsigned char)like) ? (char)toupper((unsigned char)*word)
                                                              : *word);
    deft_buffer_append_text(out, word + 1);
}

// What this copy says for `word`; NULL: the same.
static const char *exchange(const copy *c, const char *word)
{
    uint32_t place = 0;
    if (strcmp(word, c->server->name) == 0) {
        return c->nouns[0];
    }
    for (size_t i = 0; i < c->server->domain_count; i++) {
        if (strcmp(word, c->server->domain[i]) == 0) {
            return c->nouns[i + 1][0] != '\0' ? c->nouns[i + 1] : NULL;
        }
    }
    if (deft__map_find(&c->base->synonym_places, deft_view_of(word), &place)) {
        return synonyms[place / 4][(place + c->rotation[place / 4]) % 4];
    }
    return NULL;
}

// `text` with its words exchanged, into c->out. Plurals follow their singular.
static deft_view vary(copy *c, deft_view text)
{
    size_t at   = 0;
    size_t end  = 0;
    size_t done = 0;
    char   word[WORD_SIZE_MAX];
    deft_buffer_reset(&c->out);
    for (; next_word(text, &at, &end, word); at = end) {
        const size_t length    = strlen(word);
        const char  *other     = exchange(c, word);
        bool         is_plural = false;
        if (other == NULL && length > 3 && word[length - 1] == 's') {
            word[length - 1] = '\0';
            other            = exchange(c, word);
            is_plural        = other != NULL;
        }
        if (other != NULL) {
            deft_buffer_append(&c->out, deft_view_slice(text, done, at - done));
            append_like(&c->out, other, text.data[at]);
            deft_buffer_append_text(&c->out, is_plural ? "s" : "");
            done = end;
        }
    }
    deft_buffer_append(&c->out, deft_view_slice(text, done, text.size));
    return deft_buffer_view(&c->out);
}

static deft_view vary_string(copy *c, deft__json_value value)
{
    deft_buffer_reset(&c->in);
    return vary(c, deft__json_string(value, &c->in));
}

// The same, and sentences after the first are missing now and then.
static deft_view vary_description(copy *c, deft__json_value value)
{
    vary_string(c, value);
    size_t kept = 0;
    size_t from = 0;
    for (size_t at = 0; at < c->out.size; at++) {
        const bool is_end =
            at + 1 == c->out.size || (c->out.data[at] == '.' && c->out.data[at + 1] == ' ');
        if (is_end) {
            if (from == 0 || bench_random(&c->random) % 4 != 0) {
                memmove(c->out.data + kept, c->out.data + from, at + 1 - from);
                kept += at + 1 - from;
            }
            from = at + 1;
        }
    }
    deft_buffer_truncate(&c->out, kept);
    return deft_buffer_view(&c->out);
}

// A schema with its names and descriptions varied; the rest stays as it is.
static void write_schema(copy *c, deft__json_writer *writer, deft__json_value value,
                         bool is_properties)
{
    if (!deft__json_is(value, DEFT__JSON_OBJECT)) {
        deft__json_write_raw(writer, deft__json_raw(value));
        return;
    }
    deft__json_iterator i = deft__json_iterate(value);
    deft__json_begin_object(writer);
    while (deft__json_next(&i)) {
        if (is_properties) {
            deft__json_name_view(writer, vary_string(c, i.name));
            write_schema(c, writer, i.value, false);
            continue;
        }
        deft_buffer_reset(&c->in);
        deft__json_name_view(writer, deft__json_string(i.name, &c->in));
        if (deft__json_string_equals(i.name, deft_view_of("description")) &&
            deft__json_is(i.value, DEFT__JSON_STRING)) {
            deft__json_write_string(writer, vary_string(c, i.value));
        } else {
            write_schema(c, writer, i.value,
                         deft__json_string_equals(i.name, deft_view_of("properties")));
        }
    }
    deft__json_end_object(writer);
}

static void write_tool(copy *c, deft__json_writer *writer, deft__json_value tool)
{
    const deft__json_value title = deft__json_member(tool, "title");
    deft__json_begin_object(writer);
    deft__json_name(writer, "name");
    deft__json_write_string(writer, vary_string(c, deft__json_member(tool, "name")));
    if (deft__json_is(title, DEFT__JSON_STRING)) {
        deft__json_name(writer, "title");
        deft__json_write_string(writer, vary_string(c, title));
    }
    deft__json_name(writer, "description");
    deft__json_write_string(writer, vary_description(c, deft__json_member(tool, "description")));
    deft__json_name(writer, "inputSchema");
    write_schema(c, writer, deft__json_member(tool, "inputSchema"), false);
    deft__json_end_object(writer);
}

static void write_server(copy *c, deft_buffer *text, const char *name)
{
    const deft__json_value root = deft__json_root(&c->server->document);
    deft__json_iterator    i    = deft__json_iterate(deft__json_member(root, "tools"));
    deft__json_writer      writer;
    deft__json_writer_init(&writer, text);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "server");
    deft__json_write_text(&writer, name);
    deft__json_name(&writer, "instructions");
    deft__json_write_string(&writer, vary_string(c, deft__json_member(root, "instructions")));
    deft__json_name(&writer, "tools");
    deft__json_begin_array(&writer);
    while (deft__json_next(&i)) {
        if (bench_random(&c->random) % 8 != 0) {
            write_tool(c, &writer, i.value);
        }
    }
    deft__json_end_array(&writer);
    deft__json_end_object(&writer);
}

static void begin_copy(copy *c, size_t number)
{
    c->random = number + 1;
    c->server = &c->base->servers[bench_random(&c->random) % c->base->server_count];
    make_noun(SHARED_NOUNS + number, c->nouns[0]);
    for (size_t i = 1; i <= c->server->domain_count; i++) {
        c->nouns[i][0] = '\0';
        if (bench_random(&c->random) % 2 == 0) {
            make_noun(zipf(SHARED_NOUNS, &c->random), c->nouns[i]);
        }
    }
    for (size_t g = 0; g < SYNONYM_GROUPS; g++) {
        c->rotation[g] = (uint8_t)(bench_random(&c->random) % 4);
    }
}

deft_catalog *bench_catalog_new(const bench_base *base, size_t tool_count)
{
    const deft_catalog_options options = {.tools_max = tool_count + base->tool_count};
    deft_error                 error   = DEFT_ERROR_INIT;
    deft_catalog_builder      *builder = deft_catalog_builder_new(&options, NULL, &error);
    copy                       c       = {.base = base};
    size_t                     written = 0;
    deft_buffer                text;
    deft_buffer_init(&text, NULL);
    deft_buffer_init(&c.in, NULL);
    deft_buffer_init(&c.out, NULL);
    for (size_t number = 0; builder != NULL && written < tool_count; number++) {
        char name[2 * WORD_SIZE_MAX + 2];
        begin_copy(&c, number);
        (void)snprintf(name, sizeof name, "%s-%s", c.nouns[0], c.server->name);
        deft_buffer_reset(&text);
        write_server(&c, &text, name);
        const deft_source source = {.label = deft_view_of(name)};
        if (deft_catalog_builder_add(builder, &source, deft_buffer_view(&text), &error) !=
            DEFT_OK) {
            die(error.message);
        }
        deft__json document; // how many it has now: some were left out
        deft__json_init(&document, NULL);
        (void)deft__json_parse(&document, deft_buffer_view(&text), NULL, NULL);
        written += deft__json_count(deft__json_member(deft__json_root(&document), "tools"));
        deft__json_clear(&document);
    }
    deft_catalog *catalog = builder != NULL ? deft_catalog_builder_finish(builder, &error) : NULL;
    if (catalog == NULL) {
        die(error.message);
    }
    deft_catalog_builder_free(builder);
    deft_buffer_clear(&c.out);
    deft_buffer_clear(&c.in);
    deft_buffer_clear(&text);
    return catalog;
}

// --- texts and queries ---------------------------------------------------------------------

static bool append_line(void *context, deft_field field, deft_view text)
{
    deft_buffer *texts = context;
    (void)field;
    if (text.size > 0) {
        deft_buffer_append(texts, text);
        deft_buffer_append_byte(texts, '\n');
    }
    return texts->status == DEFT_OK;
}

void bench_catalog_texts(const deft_catalog *catalog, deft_buffer *texts, size_t *ends)
{
    deft__field_reader reader;
    deft__field_reader_init(&reader, NULL);
    for (uint32_t i = 0; i < deft_catalog_tool_count(catalog); i++) {
        if (deft__fields_visit(&reader, catalog, (deft_tool_id){i}, append_line, texts) !=
            DEFT_OK) {
            die("out of memory");
        }
        ends[i] = texts->size;
    }
    deft__field_reader_clear(&reader);
}

// Two neighbouring letters change places in the middle of the query.
static void make_typo(char *query, size_t size)
{
    for (size_t at = size / 2; at + 2 < size; at++) {
        if (isalpha((unsigned char)query[at]) && isalpha((unsigned char)query[at + 1]) &&
            query[at] != query[at + 1]) {
            const char moved = query[at];
            query[at]        = query[at + 1];
            query[at + 1]    = moved;
            return;
        }
    }
}

static size_t add_to_query(char *query, size_t size, const char *word)
{
    const int added =
        snprintf(query + size, BENCH_QUERY_SIZE_MAX - size, "%s%s", size > 0 ? " " : "", word);
    return size + (size_t)added < BENCH_QUERY_SIZE_MAX ? size + (size_t)added : size;
}

size_t bench_query(const bench_corpus *corpus, bench_query_kind kind, uint64_t *random,
                   char query[BENCH_QUERY_SIZE_MAX])
{
    static const char *const frequent[] = {"get", "list", "the", "create", "name", "data", "all"};
    static const char *const openings[] = {"i want to", "please help me", "how do i",
                                           "can you",   "we need to",     "is there a way to"};
    const size_t             tool       = bench_random(random) % corpus->tool_count;
    const size_t             start      = tool > 0 ? corpus->ends[tool - 1] : 0;
    const deft_view text        = deft_view_make(corpus->texts + start, corpus->ends[tool] - start);
    const bool      is_sentence = kind == BENCH_QUERY_SENTENCE;
    size_t wanted = is_sentence ? 8 + bench_random(random) % 9 : 2 + bench_random(random) % 7;
    size_t size   = 0;
    size_t at     = 0;
    size_t end    = 0;
    char   word[WORD_SIZE_MAX];
    if (is_sentence) {
        size = add_to_query(query, 0, openings[bench_random(random) % 6]);
    } else if (bench_random(random) % 5 < 2) {
        size = add_to_query(query, 0, frequent[bench_random(random) % 7]);
    }
    for (; wanted > 0 && next_word(text, &at, &end, word); at = end) {
        // A sentence keeps the tool's own flow; short queries pick words, the first ones more often.
        if (is_sentence ? bench_random(random) % 8 != 0
                        : strlen(word) > 2 && bench_random(random) % 3 == 0) {
            size = add_to_query(query, size, word);
            wanted--;
        }
    }
    if (bench_random(random) % 20 == 0) {
        make_typo(query, size);
    }
    return size;
}
