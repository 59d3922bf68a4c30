#include "web/access.h"

#include "base/fail.h"
#include "base/memory.h"

#include <string.h>

void deft__access_init(deft__access *access, uint32_t failures_per_second, uint64_t now_ms,
                       const deft_allocator *allocator)
{
    *access = (deft__access){.allocator = allocator};
    deft__rate_init(&access->failures, failures_per_second * 60, failures_per_second, now_ms);
}

static void free_principal(const deft__access *access, deft__web_principal *principal)
{
    deft__arena_clear(&principal->arena);
    deft__free(access->allocator, principal, sizeof *principal);
}

static void free_list(const deft__access *access, deft__web_principal *list)
{
    while (list != NULL) {
        deft__web_principal *next = list->next;
        free_principal(access, list);
        list = next;
    }
}

void deft__access_clear(deft__access *access)
{
    free_list(access, access->principals);
    access->principals = NULL;
    access->count      = 0;
}

// --- Lists. ---

static bool same_patterns(const deft_view *a, size_t a_count, const deft_view *b, size_t b_count)
{
    bool is_same = a_count == b_count;
    for (size_t i = 0; is_same && i < a_count; i++) {
        is_same = deft_view_equal(a[i], b[i]);
    }
    return is_same;
}

// Whether what a client of one has open may be kept by the other.
static bool is_same_token(const deft__token *a, const deft__token *b)
{
    const deft_restriction *one   = &a->restriction;
    const deft_restriction *other = &b->restriction;
    return deft_view_equal(a->name, b->name) &&
           memcmp(a->digest.bytes, b->digest.bytes, sizeof a->digest.bytes) == 0 &&
           a->expires_s == b->expires_s &&
           same_patterns(one->servers, one->server_count, other->servers, other->server_count) &&
           same_patterns(one->tools, one->tool_count, other->tools, other->tool_count) &&
           same_patterns(one->denied, one->denied_count, other->denied, other->denied_count);
}

static deft__web_principal *find_same(const deft__access *access, const deft__token *token)
{
    deft__web_principal *one = access->principals;
    while (one != NULL && !is_same_token(&one->token, token)) {
        one = one->next;
    }
    return one;
}

static bool copy_patterns(deft__arena *arena, const deft_view **patterns, size_t count)
{
    deft_view *copies = deft__arena_array(arena, count + 1, sizeof *copies);
    for (size_t i = 0; copies != NULL && i < count; i++) {
        if (!deft__arena_copy(arena, (*patterns)[i], &copies[i])) {
            return false;
        }
    }
    *patterns = copies;
    return copies != NULL;
}

static deft__web_principal *new_principal(deft__access *access, const deft__token *token,
                                          uint64_t now_ms)
{
    deft__web_principal *made = deft__new(access->allocator, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    deft_restriction *restriction = &made->token.restriction;
    deft__arena_init(&made->arena, access->allocator);
    made->token = *token;
    if (!deft__arena_copy(&made->arena, token->name, &made->token.name) ||
        !copy_patterns(&made->arena, &restriction->servers, restriction->server_count) ||
        !copy_patterns(&made->arena, &restriction->tools, restriction->tool_count) ||
        !copy_patterns(&made->arena, &restriction->denied, restriction->denied_count)) {
        free_principal(access, made);
        return NULL;
    }
    made->number = ++access->numbers;
    made->restriction =
        restriction->server_count + restriction->tool_count + restriction->denied_count > 0
            ? restriction
            : NULL;
    deft__rate_init(&made->rate, token->calls_per_minute, token->calls_per_minute, now_ms);
    return made;
}

static void change_limits(deft__web_principal *principal, const deft__token *token, uint64_t now_ms)
{
    principal->token.calls_per_minute = token->calls_per_minute;
    principal->token.concurrent_calls = token->concurrent_calls;
    principal->token.sessions         = token->sessions;
    if (principal->rate.per_minute != token->calls_per_minute) {
        deft__rate_change(&principal->rate, token->calls_per_minute, token->calls_per_minute,
                          now_ms);
    }
}

// Takes those that are not in the new list away.
static void remove_missing(deft__access *access, void (*removed)(void *, deft__web_principal *),
                           void         *context)
{
    for (deft__web_principal **at = &access->principals; *at != NULL;) {
        deft__web_principal *one = *at;
        if (one->is_found) {
            one->is_found = false;
            at            = &one->next;
        } else {
            *at = one->next;
            access->count--;
            removed(context, one);
            free_principal(access, one);
        }
    }
}

deft_status deft__access_set(deft__access *access, const deft__token *tokens, size_t count,
                             uint64_t now_ms, void (*removed)(void *, deft__web_principal *),
                             void *context, deft_error *error)
{
    deft__web_principal *made      = NULL;
    deft__web_principal *made_last = NULL;
    size_t               new_count = 0;
    if (count > DEFT__TOKENS_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "there are %zu tokens; at most %u are accepted",
                          count, DEFT__TOKENS_MAX);
    }
    for (deft__web_principal *one = access->principals; one != NULL; one = one->next) {
        one->is_found = false;
    }
    // First everything that can fail; what there is already is only marked.
    for (size_t i = 0; i < count; i++) {
        deft__web_principal *same = find_same(access, &tokens[i]);
        if (same != NULL) {
            same->is_found = true;
            continue;
        }
        deft__web_principal *one = new_principal(access, &tokens[i], now_ms);
        if (one == NULL) {
            free_list(access, made);
            return deft__fail_memory(error);
        }
        *(made_last != NULL ? &made_last->next : &made) = one;
        made_last                                       = one;
        new_count++;
    }
    for (size_t i = 0; i < count; i++) {
        deft__web_principal *same = find_same(access, &tokens[i]);
        if (same != NULL) {
            change_limits(same, &tokens[i], now_ms);
        }
    }
    remove_missing(access, removed, context);
    for (deft__web_principal *one = made; one != NULL; one = one->next) {
        one->is_found = false;
    }
    if (made != NULL) {
        deft__web_principal **end = &access->principals;
        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = made;
        access->count += new_count;
    }
    access->is_needed = true;
    return DEFT_OK;
}

// --- Requests. ---

deft__web_principal *deft__access_find(deft__access *access, deft_view token, int64_t date_s)
{
    deft__web_principal *found = NULL;
    deft__digest         digest;
    if (!access->is_needed) {
        return &access->everybody;
    }
    if (token.size == 0 || token.size > DEFT__TOKEN_SIZE_MAX || !deft__sha256(token, &digest)) {
        return NULL;
    }
    const deft_view shown = deft_view_make((const char *)digest.bytes, sizeof digest.bytes);
    for (deft__web_principal *one = access->principals; one != NULL; one = one->next) {
        const deft_view known =
            deft_view_make((const char *)one->token.digest.bytes, sizeof one->token.digest.bytes);
        if (deft__same_secret(shown, known)) {
            found = one; // and the others are compared all the same
        }
    }
    deft__wipe(&digest, sizeof digest);
    return found != NULL && (found->token.expires_s == 0 || date_s < found->token.expires_s) ? found
                                                                                             : NULL;
}

bool deft__access_fail(deft__access *access, uint64_t now_ms)
{
    uint64_t wait_s;
    access->failure_count++;
    return deft__rate_take(&access->failures, now_ms, &wait_s);
}

uint64_t deft__principal_begin(deft__web_principal *principal, uint64_t now_ms, const char **why)
{
    const uint32_t most = principal->token.concurrent_calls;
    uint64_t       wait_s;
    // What waits is asked first: a call that is refused for it should not count as one.
    if (most > 0 && principal->open_count >= most) {
        principal->too_many_count++;
        *why = "too many calls of this token are open (concurrentCalls); wait for one to end";
        return 1;
    }
    if (!deft__rate_take(&principal->rate, now_ms, &wait_s)) {
        principal->too_fast_count++;
        *why = "too many calls with this token in a minute (callsPerMinute); wait a little";
        return wait_s;
    }
    principal->open_count++;
    principal->call_count++;
    return 0;
}

void deft__principal_end(deft__web_principal *principal)
{
    principal->open_count--;
}
