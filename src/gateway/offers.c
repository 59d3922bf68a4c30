#include "gateway/offers.h"

#include "base/memory.h"
#include "json/reader.h"
#include "json/writer.h"

#include <string.h>

// By deft__offer_kind: the member that names one.
static const char *const key_members[] = {"name", "uri", "uriTemplate"};

#define COLLISION_SCHEME "deft://"

void deft__offers_init(deft__offers *offers, deft__offer_kind kind, const deft_allocator *allocator)
{
    *offers = (deft__offers){.kind = kind, .allocator = allocator};
    deft__map_init(&offers->by_shown, 0, allocator);
    deft__arena_init(&offers->arena, allocator);
}

void deft__offers_clear(deft__offers *offers)
{
    deft__map_clear(&offers->by_shown);
    deft__arena_clear(&offers->arena);
    deft__free(offers->allocator, offers->items, offers->capacity * sizeof *offers->items);
    deft__offers_init(offers, offers->kind, offers->allocator);
}

// The definition with another key, all other bytes as they are.
static void write_renamed(deft_buffer *out, deft__json_value object, const char *member,
                          deft_view shown)
{
    deft__json_writer   writer;
    deft__json_iterator i = deft__json_iterate(object);
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    while (deft__json_next(&i)) {
        deft_buffer_append_text(out, writer.needs_comma ? "," : "");
        deft_buffer_append(out, deft__json_raw(i.name));
        deft_buffer_append_byte(out, ':');
        writer.needs_comma = false;
        if (deft__json_string_equals(i.name, deft_view_of(member))) {
            deft__json_write_string(&writer, shown);
        } else {
            deft__json_write_raw_line(&writer, deft__json_raw(i.value));
        }
    }
    deft__json_end_object(&writer);
}

// What clients call it: as it is where that is free and means one thing, else with its server.
static void write_shown(deft_buffer *out, const deft__offers *offers, deft_view server,
                        deft_view key, deft_naming naming)
{
    uint32_t   taken;
    const bool is_prompt = offers->kind == DEFT__OFFER_PROMPT;
    const bool is_kept   = !is_prompt || naming == DEFT_NAMING_PLAIN;
    if (is_kept && !deft__map_find(&offers->by_shown, key, &taken)) {
        deft_buffer_append(out, key);
    } else if (is_prompt) {
        deft_buffer_append(out, server);
        deft_buffer_append_text(out, "__");
        deft_buffer_append(out, key);
    } else {
        deft_buffer_append_text(out, COLLISION_SCHEME);
        deft_buffer_append(out, server);
        deft_buffer_append_byte(out, '/');
        deft_buffer_append(out, key);
    }
}

static deft_status add_one(deft__offers *offers, uint32_t server, deft_view server_name,
                           deft__json_value object, deft_naming naming, deft_buffer *scratch)
{
    const char            *member = key_members[offers->kind];
    const deft__json_value value  = deft__json_member(object, member);
    deft__offer            offer  = {.server = server};
    deft_buffer_reset(scratch);
    const deft_view key = deft__json_string(value, scratch);
    if (key.size == 0 || offers->count >= DEFT__OFFERS_MAX) {
        return scratch->status; // nameless, or too many: left out
    }
    if (!deft__arena_copy(&offers->arena, key, &offer.key)) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft_buffer_reset(scratch);
    write_shown(scratch, offers, server_name, offer.key, naming);
    uint32_t taken;
    if (scratch->status != DEFT_OK ||
        !deft__arena_copy(&offers->arena, deft_buffer_view(scratch), &offer.shown)) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (deft__map_find(&offers->by_shown, offer.shown, &taken)) {
        return DEFT_OK; // the server gave it twice: the first one counts
    }
    deft_buffer_reset(scratch);
    write_renamed(scratch, object, member, offer.shown);
    if (scratch->status != DEFT_OK ||
        !deft__arena_copy(&offers->arena, deft_buffer_view(scratch), &offer.text) ||
        !deft__grow(offers->allocator, (void **)&offers->items, &offers->capacity, offers->count,
                    sizeof *offers->items) ||
        !deft__map_put(&offers->by_shown, offer.shown, (uint32_t)offers->count)) {
        return DEFT_OUT_OF_MEMORY;
    }
    offers->items[offers->count++] = offer;
    return DEFT_OK;
}

deft_status deft__offers_add(deft__offers *offers, uint32_t server, deft_view server_name,
                             deft_view list, deft_naming naming)
{
    deft__json  document;
    deft_buffer scratch;
    deft__json_init(&document, offers->allocator);
    deft_buffer_init(&scratch, offers->allocator);
    deft_status status = deft__json_parse(&document, list, NULL, NULL);
    if (status == DEFT_OK) {
        deft__json_iterator i = deft__json_iterate(deft__json_root(&document));
        while (status == DEFT_OK && deft__json_next(&i)) {
            status = add_one(offers, server, server_name, i.value, naming, &scratch);
        }
    } else if (status != DEFT_OUT_OF_MEMORY) {
        status = DEFT_OK; // not JSON: nothing to offer
    }
    deft_buffer_clear(&scratch);
    deft__json_clear(&document);
    return status;
}

const deft__offer *deft__offers_find(const deft__offers *offers, deft_view shown)
{
    uint32_t place;
    return deft__map_find(&offers->by_shown, shown, &place) ? &offers->items[place] : NULL;
}

const deft__offer *deft__offers_find_key(const deft__offers *offers, uint32_t server, deft_view key)
{
    // Most often it is shown as it is.
    const deft__offer *same = deft__offers_find(offers, key);
    if (same != NULL && same->server == server) {
        return same;
    }
    for (size_t i = 0; offers->items != NULL && i < offers->count; i++) {
        if (offers->items[i].server == server && deft_view_equal(offers->items[i].key, key)) {
            return &offers->items[i];
        }
    }
    return NULL;
}

void deft__offer_write_plain(deft__offer_kind kind, const deft__offer *offer, deft_buffer *out)
{
    deft__json document;
    deft__json_init(&document, out->allocator);
    if (deft__json_parse(&document, offer->text, NULL, NULL) == DEFT_OK) {
        write_renamed(out, deft__json_root(&document), key_members[kind], offer->key);
    } else {
        out->status = DEFT_OUT_OF_MEMORY; // our own text: nothing else can be wrong with it
    }
    deft__json_clear(&document);
}

// The next run of literal text of a template from `*at` on, and whether an expression stands before
// it. False at the end.
static bool next_literal(deft_view uri_template, size_t *at, deft_view *literal, bool *is_free)
{
    *is_free = false;
    while (*at < uri_template.size && uri_template.data[*at] == '{') {
        const deft_view rest = deft_view_slice(uri_template, *at, uri_template.size);
        const char     *end  = memchr(rest.data, '}', rest.size);
        if (end == NULL) {
            break; // never closed: literal text
        }
        *is_free = true;
        *at += (size_t)(end - rest.data) + 1;
    }
    const size_t start = *at;
    while (*at < uri_template.size && (*at == start || uri_template.data[*at] != '{')) {
        (*at)++;
    }
    *literal = deft_view_slice(uri_template, start, *at - start);
    return literal->size > 0 || *is_free;
}

// Literals are found from left to right, each at its first place; the last one must end the text.
// A template has few parts, so the first fit is good enough for telling servers apart.
bool deft__template_fits(deft_view uri_template, deft_view uri)
{
    size_t    at = 0;
    deft_view literal;
    bool      is_free;
    while (next_literal(uri_template, &at, &literal, &is_free)) {
        if (!is_free) {
            if (!deft_view_starts_with(uri, literal)) {
                return false;
            }
            uri = deft_view_slice(uri, literal.size, uri.size);
        } else if (at == uri_template.size) {
            return uri.size >= literal.size &&
                   deft_view_equal(deft_view_slice(uri, uri.size - literal.size, literal.size),
                                   literal);
        } else {
            while (uri.size > 0 && !deft_view_starts_with(uri, literal)) {
                uri = deft_view_slice(uri, 1, uri.size);
            }
            if (!deft_view_starts_with(uri, literal)) {
                return false;
            }
            uri = deft_view_slice(uri, literal.size, uri.size);
        }
    }
    return uri.size == 0;
}
