// base64.h - bytes as text (RFC 4648, section 4), with padding and nothing else in between.
#ifndef DEFT_HTTP_BASE64_H
#define DEFT_HTTP_BASE64_H

#include "deft/buffer.h"
#include "deft/view.h"

#include <stdbool.h>

void deft__base64_write(deft_buffer *out, deft_view bytes);

// Appends what `text` stands for; false, and nothing appended, when it is not the one way to write
// those bytes: a wrong size, padding or letter, or bits that no byte takes.
bool deft__base64_read(deft_buffer *out, deft_view text);

#endif
