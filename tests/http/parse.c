// parse - what our reader says to the requests on its standard input, for a comparison with other
// servers: a line for each, `200` and the size of its body, or the status it is refused with. `more` at
// the end: something is incomplete.
#include "http/request.h"

#include <stdio.h>

#define BODY_SIZE_MAX (1024u * 1024)

static void print_event(deft__http_event_kind kind, const deft__http_event *event,
                        size_t *body_size)
{
    switch (kind) {
    case DEFT__HTTP_HEAD:
        *body_size = 0;
        break;
    case DEFT__HTTP_BODY:
        *body_size += event->body.size;
        break;
    case DEFT__HTTP_END:
        (void)printf("200 %zu\n", *body_size);
        break;
    case DEFT__HTTP_REFUSED:
        (void)printf("%d %s\n", event->refusal.status, event->refusal.reason);
        break;
    case DEFT__HTTP_MORE:
    default:
        break;
    }
}

int main(void)
{
    static char             bytes[64 * 1024];
    static deft__http_event event;
    deft__http_reader       reader;
    size_t                  size;
    size_t                  body_size = 0;
    deft__http_reader_init(&reader, BODY_SIZE_MAX, NULL);
    while ((size = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        deft__http_event_kind kind;
        deft__http_reader_feed(&reader, deft_view_make(bytes, size));
        while ((kind = deft__http_reader_next(&reader, &event)) != DEFT__HTTP_MORE) {
            print_event(kind, &event, &body_size);
        }
    }
    if (!deft__http_reader_is_idle(&reader)) {
        (void)printf("more\n");
    }
    deft__http_reader_clear(&reader);
    return 0;
}
