// What the server offers: four lists, each fetched page by page, side by side with requests. When
// all that was asked for is there, a manifest is made of it: the raw objects of all pages joined,
// and the lists that were not asked for as the last manifest has them. A failure leaves the last
// manifest as it is, so an outage never empties the catalog.
#include "base/fail.h"
#include "base/hash.h"
#include "gateway/link_private.h"
#include "json/writer.h"

// server-everything tells up to seven times of one change; one fetch answers them all. A server that
// does not stop telling is asked once a second.
#define RENEW_WAIT_MS       50u
#define RENEW_WAIT_AGAIN_MS 1000u

static const struct {
    const char *method;
    const char *member;     // of the result, and of the manifest
    unsigned    capability; // without it the list is not asked for
} kinds[DEFT__LINK_LIST_COUNT] = {
    [DEFT__LINK_TOOLS]     = {"tools/list", "tools", DEFT__MCP_SERVER_TOOLS},
    [DEFT__LINK_PROMPTS]   = {"prompts/list", "prompts", DEFT__MCP_SERVER_PROMPTS},
    [DEFT__LINK_RESOURCES] = {"resources/list", "resources", DEFT__MCP_SERVER_RESOURCES},
    [DEFT__LINK_TEMPLATES] = {"resources/templates/list", "resourceTemplates",
                              DEFT__MCP_SERVER_RESOURCES},
};

static void list_ring(void *context);

void deft__link_lists_init(deft__link *link)
{
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        deft__link_list *list = &link->lists[i];
        list->link            = link;
        list->kind            = (deft__link_list_kind)i;
        deft__timer_init(&list->timer, list_ring, list);
        deft_buffer_init(&list->items, link->allocator);
        deft_buffer_init(&list->seen, link->allocator);
    }
}

void deft__link_lists_stop(deft__link *link)
{
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        deft__link_list *list = &link->lists[i];
        deft__timer_stop(link->timers, &list->timer);
        deft_buffer_clear(&list->items);
        deft_buffer_clear(&list->seen);
        list->id          = 0;
        list->is_renewed  = false;
        list->has_news    = false;
        list->is_outdated = false;
    }
}

void deft__link_lists_clear(deft__link *link)
{
    deft__link_lists_stop(link);
}

bool deft__link_lists_are_busy(const deft__link *link)
{
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        if (link->lists[i].id != 0) {
            return true;
        }
    }
    return false;
}

// --- The manifest

static void write_list(deft__json_writer *writer, const deft__link *link, deft__link_list_kind kind)
{
    const deft__link_list *list = &link->lists[kind];
    const deft__manifest  *old  = link->manifest;
    deft__json_name(writer, kinds[kind].member);
    if (list->has_news) {
        // Spliced as bytes: the items have their commas between them.
        deft__json_begin_array(writer);
        deft_buffer_append(writer->out, deft_buffer_view(&list->items));
        deft__json_end_array(writer);
    } else if (old != NULL) {
        deft__json_write_raw(writer, kind == DEFT__LINK_TOOLS       ? old->tools
                                     : kind == DEFT__LINK_PROMPTS   ? old->prompts
                                     : kind == DEFT__LINK_RESOURCES ? old->resources
                                                                    : old->templates);
    } else {
        deft__json_write_raw(writer, deft_view_of("[]"));
    }
}

static void write_manifest(deft_buffer *out, const deft__link *link)
{
    const deft_view   capabilities = deft__link_hello_capabilities(link);
    const deft_view   server_info  = deft__link_hello_server_info(link);
    const deft_view   instructions = deft__link_hello_instructions(link);
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "server");
    deft__json_write_string(&writer, deft__link_name(link));
    deft__json_name(&writer, "protocolVersion");
    deft__json_write_string(&writer, deft__link_hello_version(link));
    deft__json_name(&writer, "capabilities");
    deft__json_write_raw(&writer, capabilities.size > 0 ? capabilities : deft_view_of("{}"));
    deft__json_name(&writer, "serverInfo");
    deft__json_write_raw(&writer, server_info.size > 0 ? server_info : deft_view_of("{}"));
    if (instructions.size > 0) {
        deft__json_name(&writer, "instructions");
        deft__json_write_raw(&writer, instructions);
    }
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        write_list(&writer, link, (deft__link_list_kind)i);
    }
    deft__json_end_object(&writer);
}

// NULL: no memory, or too large.
static deft__manifest *make_manifest(const deft__link *link, deft_error *error)
{
    deft_buffer     text;
    deft__manifest *manifest = NULL;
    deft_buffer_init(&text, link->allocator);
    write_manifest(&text, link);
    if (text.status == DEFT_OK) {
        manifest = deft__manifest_new(deft_buffer_view(&text), link->allocator, error);
    } else {
        (void)deft__fail_memory(error);
    }
    deft_buffer_clear(&text);
    return manifest;
}

// The lists are not to be had. Without a manifest the server is of no use, unless someone who knows
// its tools is using it; with one, that one stays.
static void give_up(deft__link *link, const char *sentence)
{
    deft__link_lists_stop(link);
    if (link->manifest == NULL && deft__link_open_count(link) == 0) {
        deft__link_fail(link, sentence, true);
    } else {
        link->is_discovering = false;
    }
}

static void take_manifest(deft__link *link, deft__manifest *manifest)
{
    deft__manifest            *old      = link->manifest;
    const deft__link_listener *listener = link->listener;
    link->is_fresh                      = true;
    link->is_discovering                = false;
    link->failures                      = 0;
    link->used_at_ms                    = link->timers->now_ms;
    if (old != NULL && deft__manifest_equal(old, manifest)) {
        deft__manifest_release(manifest);
        if (listener->confirmed != NULL) {
            link->calling++;
            listener->confirmed(listener->context, link);
            link->calling--;
        }
        return;
    }
    link->manifest = manifest;
    deft__manifest_release(old);
    deft__manifest_retain(manifest); // it may be replaced before the listener returns
    link->calling++;
    listener->learned(listener->context, link, manifest);
    link->calling--;
    deft__manifest_release(manifest);
}

// Makes a manifest when nothing is on its way any more.
static void settle(deft__link *link)
{
    bool has_news = false;
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        has_news = has_news || link->lists[i].has_news;
    }
    if (link->is_asking || !has_news || deft__link_lists_are_busy(link)) {
        return;
    }
    deft_error      error    = DEFT_ERROR_INIT;
    deft__manifest *manifest = make_manifest(link, &error);
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        link->lists[i].has_news = false;
        deft_buffer_clear(&link->lists[i].items);
        deft_buffer_clear(&link->lists[i].seen);
    }
    if (manifest != NULL) {
        take_manifest(link, manifest);
    } else {
        deft_error   why;
        deft__quoted name;
        (void)deft__fail(&why, DEFT_LIMIT, 0, "the lists of server '%s' cannot be kept: %s",
                         deft__quote(&name, deft__link_name(link)), error.message);
        give_up(link, why.message);
    }
}

// --- Pages

static void set_wait(deft__link_list *list)
{
    deft__link    *link     = list->link;
    const uint64_t now      = link->timers->now_ms;
    const bool     is_again = list->is_renewed && now - list->renewed_at_ms < RENEW_WAIT_AGAIN_MS;
    deft__timer_set(link->timers, &list->timer, is_again ? RENEW_WAIT_AGAIN_MS : RENEW_WAIT_MS);
}

static void list_done(deft__link_list *list)
{
    deft__link *link = list->link;
    list->has_news   = true;
    if (list->is_outdated) {
        list->is_outdated = false;
        set_wait(list);
    }
    settle(link);
}

// `is_refused`: the server said that there is no such list.
static void list_failed(deft__link_list *list, bool is_refused, const char *sentence)
{
    deft__link *link = list->link;
    deft_buffer_reset(&list->items);
    if (list->kind != DEFT__LINK_TOOLS ||
        (is_refused && !(link->hello.capabilities & DEFT__MCP_SERVER_TOOLS))) {
        list->has_news = is_refused; // then it is empty; else it stays what it was
        if (list->is_outdated) {
            list->is_outdated = false;
            set_wait(list);
        }
        settle(link);
    } else {
        give_up(link, sentence);
    }
}

static void fail_for_memory(deft__link_list *list)
{
    deft_error   error;
    deft__quoted name;
    (void)deft__fail(&error, DEFT_OUT_OF_MEMORY, 0, "there is no memory for the %s of server '%s'",
                     kinds[list->kind].member, deft__quote(&name, deft__link_name(list->link)));
    list_failed(list, false, error.message);
}

// Sends the request for a page; `cursor` is a raw string, or empty for the first one. False: no
// memory. The life may have ended meanwhile.
static bool ask_page(deft__link_list *list, deft_view cursor)
{
    deft__link *link = list->link;
    deft_buffer members;
    deft_buffer_init(&members, link->allocator);
    if (cursor.size > 0) {
        deft_buffer_append_text(&members, "\"cursor\":");
        deft_buffer_append(&members, cursor);
    }
    const uint32_t life = link->life;
    const uint64_t sent =
        members.status == DEFT_OK
            ? deft__link_send_own(link, kinds[list->kind].method, deft_buffer_view(&members))
            : 0;
    deft_buffer_clear(&members);
    if (sent != 0 && deft__link_is_current(link, life)) {
        list->id = sent;
        deft__timer_set(link->timers, &list->timer, link->options.call_timeout_ms);
    }
    return sent != 0;
}

static bool ask_first_page(deft__link_list *list)
{
    deft_buffer_reset(&list->items);
    deft_buffer_reset(&list->seen);
    list->pages    = 0;
    list->has_news = false;
    return ask_page(list, deft_view_of(NULL));
}

static size_t size_of_lists(const deft__link *link)
{
    size_t size = 0;
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        size += link->lists[i].items.size;
    }
    return size;
}

// Adds the objects of a page. False: there is no room for more, and the list ends here.
static bool add_items(deft__link_list *list, deft__json_value array)
{
    const size_t        size_max = list->link->options.list_size_max;
    size_t              size     = size_of_lists(list->link);
    deft__json_iterator i        = deft__json_iterate(array);
    while (deft__json_next(&i)) {
        if (deft__json_is(i.value, DEFT__JSON_OBJECT)) {
            const deft_view item = deft__json_raw(i.value);
            if (item.size + 1 > size_max - (size < size_max ? size : size_max)) {
                return false;
            }
            deft_buffer_append_text(&list->items, list->items.size > 0 ? "," : "");
            deft_buffer_append(&list->items, item);
            size += item.size + 1;
        }
    }
    return true;
}

// Whether a cursor came before: then the pages would go round in a circle.
static bool was_seen(deft__link_list *list, deft_view cursor)
{
    const uint64_t hash = deft__hash(cursor, 0);
    for (size_t i = 0; i + sizeof hash <= list->seen.size; i += sizeof hash) {
        if (memcmp(list->seen.data + i, &hash, sizeof hash) == 0) {
            return true;
        }
    }
    deft_buffer_append(&list->seen, deft_view_make((const char *)&hash, sizeof hash));
    return false;
}

static void take_items(deft__link_list *list, const deft__mcp_message *message)
{
    deft__link            *link  = list->link;
    const deft__json_value array = deft__json_member(message->result, kinds[list->kind].member);
    if (!deft__json_is(array, DEFT__JSON_ARRAY)) {
        deft_error   error;
        deft__quoted name;
        (void)deft__fail(&error, DEFT_INVALID, 0, "server '%s' answered %s without \"%s\"",
                         deft__quote(&name, deft__link_name(link)), kinds[list->kind].method,
                         kinds[list->kind].member);
        list_failed(list, true, error.message);
        return;
    }
    list->pages++;
    const bool             is_room = add_items(list, array);
    const deft__json_value cursor  = deft__json_member(message->result, "nextCursor");
    // An empty cursor is a cursor too.
    const bool has_more = is_room && deft__json_is(cursor, DEFT__JSON_STRING) &&
                          list->pages < link->options.list_pages_max &&
                          !was_seen(list, deft__json_raw(cursor));
    const bool is_kept = list->items.status == DEFT_OK && list->seen.status == DEFT_OK;
    if (!is_kept || (has_more && !ask_page(list, deft__json_raw(cursor)))) {
        fail_for_memory(list);
    } else if (!has_more) {
        list_done(list);
    }
}

static void take_error(deft__link_list *list, const deft__mcp_message *message)
{
    if (message->error_code == DEFT__MCP_INVALID_PARAMS && list->pages > 0 &&
        !list->was_restarted) {
        // The cursor is no longer good: once more from the beginning.
        list->was_restarted = true;
        if (!ask_first_page(list)) {
            fail_for_memory(list);
        }
        return;
    }
    deft_error   error;
    deft__quoted name;
    deft__quoted text;
    (void)deft__fail(&error, DEFT_CONFLICT, 0, "server '%s' refused %s: %s",
                     deft__quote(&name, deft__link_name(list->link)), kinds[list->kind].method,
                     deft__quote(&text, message->error_message));
    list_failed(list, true, error.message);
}

bool deft__link_take_page(deft__link *link, uint64_t id, const deft__mcp_message *message)
{
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT && id != 0; i++) {
        deft__link_list *list = &link->lists[i];
        if (list->id == id) {
            list->id = 0;
            deft__timer_stop(link->timers, &list->timer);
            if (message->kind == DEFT__MCP_RESULT) {
                take_items(list, message);
            } else {
                take_error(list, message);
            }
            return true;
        }
    }
    return false;
}

// --- When

static void fetch(deft__link_list *list)
{
    list->was_restarted = false;
    list->is_outdated   = false;
    if (!ask_first_page(list)) {
        fail_for_memory(list);
    }
}

static void fetch_all(deft__link *link)
{
    const uint32_t life = link->life;
    for (size_t i = 0; i < DEFT__LINK_LIST_COUNT; i++) {
        deft__timer_stop(link->timers, &link->lists[i].timer);
        deft_buffer_reset(&link->lists[i].items);
        link->lists[i].id       = 0;
        link->lists[i].has_news = true; // empty, unless it is asked for
    }
    // Tools first: servers answer in order. One that forgets to declare them is asked all the same.
    link->is_asking = true;
    fetch(&link->lists[DEFT__LINK_TOOLS]);
    const bool is_begun = link->lists[DEFT__LINK_TOOLS].id != 0;
    for (size_t i = DEFT__LINK_TOOLS + 1; is_begun && i < DEFT__LINK_LIST_COUNT; i++) {
        if ((link->hello.capabilities & kinds[i].capability) && deft__link_is_current(link, life)) {
            fetch(&link->lists[i]);
        }
    }
    link->is_asking = false;
    if (deft__link_is_current(link, life)) {
        settle(link);
    }
}

static bool is_as_known(const deft__link *link)
{
    const deft__manifest *manifest = link->manifest;
    const deft_view       info     = deft__link_hello_server_info(link);
    return manifest->capabilities == link->hello.capabilities &&
           deft_view_equal(manifest->version, deft__link_hello_version(link)) &&
           deft_view_equal(manifest->server_info, info.size > 0 ? info : deft_view_of("{}")) &&
           deft_view_equal(manifest->instructions, deft__link_hello_instructions(link));
}

void deft__link_lists_begin(deft__link *link)
{
    // A server that introduces itself differently than before was probably updated.
    if (link->manifest == NULL || !link->is_fresh || link->is_discovering || !is_as_known(link)) {
        fetch_all(link);
    }
}

void deft__link_list_changed(deft__link *link, deft__link_list_kind kind)
{
    deft__link_list *list = &link->lists[kind];
    if (link->phase != DEFT__LINK_UP) {
        return;
    }
    if (list->id != 0) {
        list->is_outdated = true;
    } else if (!deft__timer_is_set(&list->timer)) {
        set_wait(list);
    }
}

// The wait is over: for a page that did not come, or before a list is fetched again.
static void list_ring(void *context)
{
    deft__link_list *list = context;
    deft__link      *link = list->link;
    if (list->id != 0) {
        deft_error     error;
        deft__quoted   name;
        deft__span     span;
        const uint64_t id = list->id;
        (void)deft__fail(&error, DEFT_LIMIT, 0, "server '%s' did not answer %s within %s",
                         deft__quote(&name, deft__link_name(link)), kinds[list->kind].method,
                         deft__span_text(&span, link->options.call_timeout_ms));
        const uint32_t life = link->life;
        list->id            = 0;
        deft__link_send_cancelled(link, id, deft_view_of("timeout"));
        if (deft__link_is_current(link, life)) {
            list_failed(list, false, error.message);
        }
    } else if (link->manifest == NULL) {
        fetch_all(link); // the first time failed
    } else {
        list->renewed_at_ms = link->timers->now_ms;
        list->is_renewed    = true;
        fetch(list);
    }
}

void deft__link_lists_lost(deft__link *link, const char *what)
{
    const uint32_t life = link->life;
    for (size_t i = DEFT__LINK_LIST_COUNT; i-- > 0 && deft__link_is_current(link, life);) {
        if (link->lists[i].id != 0) {
            link->lists[i].id = 0;
            deft__timer_stop(link->timers, &link->lists[i].timer);
            list_failed(&link->lists[i], false, what);
        }
    }
}
