// Any bytes as a saved session; the first byte picks a restriction. What is restored can be saved
// and restored again, and is then the same.
#include "fuzz/world.h"

static void check_state(const deft_session *session)
{
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(session, &count);
    for (size_t i = 0; i < count; i++) {
        check(seen[i].state != DEFT_SEEN_GONE);
        check(deft_session_is_allowed(session, seen[i].tool));
        check(deft_session_is_visible(session, seen[i].tool));
        check(deft_session_is_loaded(session, seen[i].tool) == (seen[i].state == DEFT_SEEN_LOADED));
    }
}

static void check_round_trip(fuzz_world *world, deft_session *session)
{
    deft_buffer first;
    deft_buffer second;
    deft_buffer_init(&first, NULL);
    deft_buffer_init(&second, NULL);
    check(deft_session_save(session, &first) == DEFT_OK);
    deft_session *again = deft_session_restore(world->plan, &world->settings,
                                               deft_buffer_view(&first), NULL, NULL, NULL);
    check(again != NULL);
    check(deft_session_save(again, &second) == DEFT_OK);
    check(deft_view_equal(deft_buffer_view(&first), deft_buffer_view(&second)));
    check(deft_session_prefix_hash(session, 100) == deft_session_prefix_hash(again, 100));
    deft_session_free(again);
    deft_buffer_reset(&second);
    check(deft_session_write_status(session, &second) == DEFT_OK);
    check(deft_session_write_status_json(session, &second) == DEFT_OK);
    deft_buffer_clear(&second);
    deft_buffer_clear(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const deft_view patterns[] = {DEFT_VIEW_INIT("*s*"), DEFT_VIEW_INIT("read_?ile")};
    if (size == 0) {
        return 0;
    }
    const deft_restriction restriction = {.servers      = patterns,
                                          .server_count = data[0] & 3 ? 2 : 0,
                                          .tools        = patterns,
                                          .tool_count   = data[0] & 4 ? 2 : 0};
    fuzz_world            *world       = fuzz_world_get();
    deft_error             error       = DEFT_ERROR_INIT;
    deft_session          *session     = deft_session_restore(world->plan, &world->settings,
                                                              deft_view_make((const char *)data + 1, size - 1),
                                                 data[0] & 8 ? NULL : &restriction, NULL, &error);
    if (session == NULL) {
        check(error.status == DEFT_INVALID || error.status == DEFT_LIMIT);
        check(error.message[0] != '\0' && error.offset <= size);
        return 0;
    }
    check_state(session);
    check_round_trip(world, session);
    deft_session_free(session);
    return 0;
}
