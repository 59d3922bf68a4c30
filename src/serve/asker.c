#include "serve/asker.h"

#include "crypto/wiping.h"
#include "oauth/answers.h"
#include "transport/address.h"

// One request. Authorization servers answer within a second; one that does not is down.
#define REQUEST_MS 30000u

static void break_off(deft__asker *asker)
{
    deft__fetch_free(asker->fetch);
    asker->fetch = NULL;
    deft__alarm_stop(asker->alarm);
}

static void answered(void *context)
{
    deft__asker *asker = context;
    asker->status      = deft__fetch_status(asker->fetch);
}

static void read_bytes(void *context, deft_view bytes)
{
    deft__asker *asker = context;
    deft_buffer_append(&asker->answer, bytes);
}

// The answer, or that there is none, goes to the login; and then the next thing is done.
static void hand_in(deft__asker *asker, bool is_whole, deft_view clause)
{
    if (is_whole && asker->answer.status == DEFT_OK) {
        deft__oauth_answered(asker->oauth, asker->status, deft_buffer_view(&asker->answer));
    } else {
        deft__oauth_unanswered(
            asker->oauth, is_whole ? deft_view_of("sent more than there is memory for") : clause);
    }
    deft_buffer_clear(&asker->answer);
    break_off(asker);
    deft__loop_defer(asker->loop, &asker->soon);
}

static void ended(void *context, deft__fetch_end end, deft_view clause)
{
    hand_in(context, end == DEFT__FETCH_WHOLE, clause);
}

static void alarm_rings(void *context)
{
    hand_in(context, false, deft_view_of("does not answer"));
}

static bool send_request(deft__asker *asker)
{
    const deft__oauth_request request    = deft__oauth_request_of(asker->oauth);
    deft_pair                 headers[3] = {
                        {.name = DEFT_VIEW_INIT("Accept"), .value = DEFT_VIEW_INIT("application/json")}};
    size_t      count = 1;
    deft_buffer url;
    deft_buffer_init(&url, deft__loop_allocator(asker->loop));
    deft_buffer_append(&url, request.url);
    deft_buffer_append_byte(&url, '\0');
    if (request.type.size > 0) {
        headers[count++] = (deft_pair){deft_view_of("Content-Type"), request.type};
    }
    if (request.authorization.size > 0) {
        headers[count++] = (deft_pair){deft_view_of("Authorization"), request.authorization};
    }
    const deft__fetch_options options = {
        .method       = request.is_post ? "POST" : "GET",
        .url          = url.data,
        .headers      = headers,
        .header_count = count,
        .ca       = deft__address_is_same_origin(asker->endpoint, request.url) ? asker->ca : NULL,
        .body     = request.body,
        .size_max = DEFT__OAUTH_ANSWER_SIZE_MAX,
        .is_once  = request.is_post, // codes and refresh tokens may be good for one use
        .context  = asker,
        .answered = answered,
        .read     = read_bytes,
        .ended    = ended,
    };
    asker->fetch = url.status == DEFT_OK ? deft__fetch_new(asker->fetcher, &options) : NULL;
    deft_buffer_clear(&url);
    return asker->fetch != NULL;
}

static void go_on(void *context)
{
    deft__asker *asker = context;
    if (deft__oauth_step_of(asker->oauth) != DEFT__OAUTH_FETCH) {
        asker->stopped(asker->context);
        return;
    }
    asker->status = 0;
    deft__alarm_set(asker->alarm, REQUEST_MS);
    if (!send_request(asker)) {
        hand_in(asker, false, deft_view_of("cannot be asked: there is no memory"));
    }
}

bool deft__asker_init(deft__asker *asker, deft__loop *loop, deft__fetcher *fetcher,
                      void (*stopped)(void *context), void *context)
{
    *asker =
        (deft__asker){.loop = loop, .fetcher = fetcher, .stopped = stopped, .context = context};
    asker->wiping = deft__wiping_allocator(deft__loop_allocator(loop));
    deft_buffer_init(&asker->answer, &asker->wiping);
    deft__task_init(&asker->soon, go_on, asker);
    asker->alarm = deft__alarm_new(loop, alarm_rings, asker);
    return asker->alarm != NULL;
}

void deft__asker_clear(deft__asker *asker)
{
    if (asker->loop != NULL) {
        deft__loop_undefer(asker->loop, &asker->soon);
        deft__fetch_free(asker->fetch);
        deft__alarm_free(asker->alarm);
        deft_buffer_clear(&asker->answer);
        *asker = (deft__asker){0};
    }
}

void deft__asker_go(deft__asker *asker, deft__oauth *oauth)
{
    asker->oauth = oauth;
    deft__loop_defer(asker->loop, &asker->soon);
}
