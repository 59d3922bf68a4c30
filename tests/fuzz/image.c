// A saved index in any state. An even first byte: the rest are its bytes. An odd one: the rest are
// changes to a good index, three bytes each (two of the place, one to mix in), so that the corpus
// does not age with the format. The next bit of it says how
// closely to look, the one after it at which of two indexes. Size and checksum are forged to fit: what is opened in spite of the
// damage must be harmless to search.
#include "core/index/image.h"
#include "fuzz/world.h"

// A catalog and its index, whose bytes are changed. The second has enough tools for blocks.
typedef struct subject {
    deft_catalog *catalog;
    deft_buffer   bytes;
} subject;

#define LARGE_TOOLS 130

static deft_catalog *make_large(void)
{
    static const char *const verbs[] = {"create", "list", "search", "send", "read"};
    const deft_source        source  = {.label = deft_view_of("fuzz")};
    deft_catalog_builder    *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    for (size_t i = 0; i < LARGE_TOOLS; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "{\"server\":\"hub\",\"tools\":[{\"name\":\"%s_%zu\",\"description\":"
                       "\"Sends issue %zu of a file\",\"inputSchema\":{}}]}",
                       verbs[i % 5], i, i % 7);
        check(deft_catalog_builder_add(builder, &source, deft_view_of(text), NULL) == DEFT_OK);
    }
    deft_catalog *catalog = deft_catalog_builder_finish(builder, NULL);
    check(catalog != NULL && deft_catalog_tool_count(catalog) == LARGE_TOOLS);
    deft_catalog_builder_free(builder);
    return catalog;
}

static const subject *subject_get(bool is_large)
{
    static subject subjects[2];
    subject       *s = &subjects[is_large];
    if (s->catalog == NULL) {
        s->catalog        = is_large ? make_large() : fuzz_world_get()->catalog;
        deft_index *index = deft_index_new(s->catalog, NULL, NULL);
        deft_buffer_init(&s->bytes, NULL);
        check(index != NULL && deft_index_save(index, &s->bytes) == DEFT_OK);
        deft_index_free(index);
    }
    return s;
}

static void check_hits(const deft_searcher *searcher, const subject *s)
{
    size_t          count = 0;
    const deft_hit *hits  = deft_searcher_hits(searcher, &count);
    for (size_t i = 0; i < count; i++) {
        check(hits[i].tool.index < deft_catalog_tool_count(s->catalog));
    }
}

static void search(const deft_index *index, const subject *s)
{
    const deft_query words    = {.text     = deft_view_of("create an isue in github repos"),
                                 .hits_max = 6};
    const deft_query signs    = {.text     = deft_view_of("+search -file \"send message\" filesystem"),
                                 .hits_max = 6};
    deft_searcher   *searcher = deft_searcher_new(index, NULL, NULL);
    deft_buffer      out;
    check(searcher != NULL);
    deft_buffer_init(&out, NULL);
    deft_explanation *explanation = deft_explanation_new(searcher, &words, NULL, NULL, NULL);
    check(explanation != NULL);
    check(deft_explanation_write(explanation, &out) == DEFT_OK);
    check_hits(searcher, s);
    check(deft_searcher_run(searcher, &signs, NULL) == DEFT_OK);
    check_hits(searcher, s);
    deft_explanation_free(explanation);
    deft_buffer_clear(&out);
    deft_searcher_free(searcher);
}

static void forge(char *bytes, size_t size)
{
    deft__image_header *header = (void *)bytes;
    if (size >= sizeof *header) {
        header->size     = size;
        header->checksum = deft__image_checksum(deft_view_make(bytes, size));
    }
}

static void open_bytes(char *bytes, size_t size, const subject *s)
{
    const deft_index_options options = {.rankings = DEFT_RANKING_BIT(DEFT_RANKING_HYBRID)};
    deft_error               error   = DEFT_ERROR_INIT;
    deft_index              *index =
        deft_index_open(s->catalog, deft_view_make(bytes, size), &options, NULL, &error);
    if (index == NULL) {
        check(error.status == DEFT_INVALID || error.status == DEFT_CONFLICT ||
              error.status == DEFT_NOT_FOUND);
        check(error.message[0] != '\0');
        return;
    }
    search(index, s);
    deft_index_free(index);
}

// Reads every table through the index's own eyes, which is quick: most inputs go this way.
static void look_through(const char *bytes, size_t size)
{
    deft__image image;
    if (deft__image_open(&image, deft_view_make(bytes, size), NULL) != DEFT_OK) {
        return;
    }
    for (uint32_t i = 0; i < image.word_count; i++) {
        const deft_view text = deft__image_word_text(&image, i);
        (void)deft__image_find_word(&image, text);
        (void)deft__image_find_stem(&image, text);
        (void)deft__letters_of(text);
    }
    for (uint32_t i = 0; i < image.term_count; i++) {
        for (uint32_t p = 0; p < image.terms[i].count; p++) {
            check(deft__image_tool(&image, i, p) < image.tool_count);
        }
        check(image.tool_count == 0 ||
              deft__image_has(&image, i, 0) == (deft__image_impact(&image, i, 0) > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const subject *s          = subject_get(data[0] % 8 >= 4);
    const bool     is_changes = data[0] % 2 == 1;
    size_t         copy_size  = is_changes ? s->bytes.size : size - 1;
    char          *copy       = malloc(copy_size + 1);
    check(copy != NULL);
    memcpy(copy, is_changes ? s->bytes.data : (const char *)data + 1, copy_size);
    for (size_t i = 1; is_changes && i + 3 <= size; i += 3) {
        const size_t place = (size_t)(data[i] | data[i + 1] << 8) % copy_size;
        copy[place]        = (char)(copy[place] ^ data[i + 2]);
    }
    forge(copy, copy_size);
    if (data[0] % 4 < 2) {
        open_bytes(copy, copy_size, s);
    } else {
        look_through(copy, copy_size);
    }
    free(copy);
    return 0;
}
