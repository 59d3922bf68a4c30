// images.h - what a start would otherwise have to make again (an index, with the texts that it is of),
// as files beside the store's: PATH.VARIANT.image. They are mapped, so that of many megabytes only what
// is looked at takes memory. An image is written whole under another name and then renamed, and never
// changed after that: whoever has it mapped keeps what they have.
#ifndef DEFT_STORE_IMAGES_H
#define DEFT_STORE_IMAGES_H

#include "base/bytes.h"
#include "store/store.h"

// So many are kept; the oldest go. Several configurations may share a store.
#define DEFT__IMAGES_MAX 4u

// The image of this variant, which names whatever tells images apart (letters, digits, '-'). It begins at
// a multiple of 8. DEFT_NOT_FOUND: there is none, or one that others could have written. The bytes may be
// anything: whoever opens them checks them. New: release it.
deft_status deft__image_load(deft__store *store, deft_view variant, deft__bytes **image,
                             deft_error *error);

// Keeps an image in place of the last one of its variant. DEFT_LIMIT: the disk is full, or it is larger
// than its part of the store's limit.
deft_status deft__image_save(deft__store *store, deft_view variant, deft_view bytes,
                             deft_error *error);

// Says that its bytes are not looked at for now: they need no memory, and come back from the file when
// they are. On any thread. NULL is fine.
void deft__image_rest(const deft__bytes *image);

#endif
