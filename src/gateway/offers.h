// offers.h - prompts, resources and resource templates of all servers, each kind under names that
// do not collide. A prompt is called `server__name`. A URI stays as it is, for text elsewhere speaks
// of it; only where two servers have the same, the later one's becomes `deft://server/URI`.
#ifndef DEFT_GATEWAY_OFFERS_H
#define DEFT_GATEWAY_OFFERS_H

#include "base/arena.h"
#include "base/map.h"
#include "deft/catalog.h"

// One prompt, resource or resource template.
typedef struct deft__offer {
    uint32_t  server; // its place in the configuration
    deft_view key;    // what the server calls it, decoded: a prompt's name, a URI, a URI template
    deft_view shown;  // what clients call it: unique
    deft_view text;   // the raw definition, with `shown` in place of `key`
} deft__offer;

typedef enum deft__offer_kind {
    DEFT__OFFER_PROMPT,
    DEFT__OFFER_RESOURCE,
    DEFT__OFFER_TEMPLATE
} deft__offer_kind;

typedef struct deft__offers {
    deft__offer_kind      kind;
    deft__offer          *items; // in the order of servers, then as each server gave them
    size_t                count;
    size_t                capacity;
    deft__map             by_shown;
    deft__arena           arena; // of the texts
    const deft_allocator *allocator;
} deft__offers;

#define DEFT__OFFERS_MAX 100000u // of one kind, of all servers together; later ones are left out

void deft__offers_init(deft__offers *offers, deft__offer_kind kind,
                       const deft_allocator *allocator);
void deft__offers_clear(deft__offers *offers);

// Adds what the array `list` (raw JSON) of one server holds; what has no key is left out. With
// naming PLAIN prompts keep their own names where these are free.
deft_status deft__offers_add(deft__offers *offers, uint32_t server, deft_view server_name,
                             deft_view list, deft_naming naming);

// What clients call `shown`; NULL when there is none.
const deft__offer *deft__offers_find(const deft__offers *offers, deft_view shown);

// What a server calls `key`; NULL when there is none.
const deft__offer *deft__offers_find_key(const deft__offers *offers, uint32_t server,
                                         deft_view key);

// The definition under the name that its server gave it.
void deft__offer_write_plain(deft__offer_kind kind, const deft__offer *offer, deft_buffer *out);

// Whether `uri` can come from a URI template (RFC 6570): its literal parts in order, anything where
// it has an expression.
bool deft__template_fits(deft_view uri_template, deft_view uri);

#endif
