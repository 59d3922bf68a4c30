// images.h - built indexes (deft_index_save), so that a start need not build one. An image belongs to
// the catalog that it was built from and to what it was built for.
#ifndef DEFT_STORE_IMAGES_H
#define DEFT_STORE_IMAGES_H

#include "store/store.h"

// So many are kept; the oldest go. Several configurations may share a store, and each new list of a
// server makes a new catalog.
#define DEFT__IMAGES_MAX 4u

// Appends the image for this catalog (deft_catalog_version) and `variant` to `image`. The variant
// names whatever else tells images apart: the set of servers, the language. DEFT_NOT_FOUND: there is
// none. The bytes may be anything: deft_index_open() checks them.
deft_status deft__image_load(deft__store *store, uint64_t catalog_version, deft_view variant,
                             deft_buffer *image, deft_error *error);

// The same for the newest image of the variant, whatever its catalog: for a start, when the catalog
// is still to be made. deft_index_open() says whether it is of that one.
deft_status deft__image_load_newest(deft__store *store, deft_view variant, deft_buffer *image,
                                    deft_error *error);

// Keeps an image, as the newest.
deft_status deft__image_save(deft__store *store, uint64_t catalog_version, deft_view variant,
                             deft_view image, deft_error *error);

#endif
