// Any bytes as the arguments of the bridge's tools. The first byte picks the tool (two bits), the
// style, the ranking and a restriction; for a direct call, the called name goes up to the first
// line end. Whatever comes, the answer is clean text and valid JSON, nothing forbidden is loaded,
// and what was sent stays.
#include "fuzz/world.h"

#include "json/reader.h"

static void check_json(deft_view text)
{
    deft__json document;
    deft__json_init(&document, NULL);
    check(deft__json_parse(&document, text, NULL, NULL) == DEFT_OK);
    check(deft__json_is(deft__json_root(&document), DEFT__JSON_OBJECT));
    deft__json_clear(&document);
}

static void check_answer(const deft_answer *answer)
{
    check(answer->text.status == DEFT_OK && answer->text.size > 0);
    check_json(deft_buffer_view(&answer->structured));
    for (size_t i = 0; i < answer->text.size; i++) {
        const unsigned char byte = (unsigned char)answer->text.data[i];
        check(byte == '\n' || (byte >= 0x20 && byte != 0x7F));
    }
}

static void check_visible(const deft_session *session)
{
    size_t                count = 0;
    const deft_seen_tool *seen  = deft_session_visible(session, &count);
    for (size_t i = 0; i < count; i++) {
        check(deft_session_is_allowed(session, seen[i].tool));
        check(deft_session_is_visible(session, seen[i].tool));
    }
}

static deft_session *start(fuzz_world *world, bool is_restricted)
{
    static const deft_view servers[]   = {DEFT_VIEW_INIT("s*"), DEFT_VIEW_INIT("files")};
    static const char      saved[]     = "{\"deftSession\":1,\"turns\":0,\"searchCount\":0,"
                                         "\"searches\":[],\"visible\":[],\"restrictions\":[]}";
    const deft_restriction restriction = {.servers = servers, .server_count = 2};
    deft_session *session = deft_session_restore(world->plan, &world->settings, deft_view_of(saved),
                                                 is_restricted ? &restriction : NULL, NULL, NULL);
    check(session != NULL);
    return session;
}

static void call(fuzz_world *world, deft_session *session, deft_view name, deft_view arguments,
                 deft_answer *answer)
{
    deft_call made;
    deft_call_init(&made, NULL);
    const deft_status status =
        deft_bridge_call(session, &world->settings, name, arguments, &made, answer, NULL);
    if (status == DEFT_OK) {
        check_json(deft_buffer_view(&made.arguments));
        check(deft_session_is_visible(session, made.tool));
    } else {
        check(status == DEFT_NOT_FOUND || status == DEFT_CONFLICT || status == DEFT_INVALID ||
              status == DEFT_LIMIT);
        check(answer->is_error);
        check_answer(answer);
    }
    deft_call_clear(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const deft_ranking rankings[] = {DEFT_RANKING_BM25, DEFT_RANKING_KEYWORD,
                                            DEFT_RANKING_HYBRID, DEFT_RANKING_REGEX};
    if (size == 0) {
        return 0;
    }
    fuzz_world *world       = fuzz_world_get();
    world->settings.style   = data[0] & 4 ? DEFT_STYLE_LOAD : DEFT_STYLE_BRIDGE;
    world->settings.ranking = rankings[(data[0] & 8 ? 1 : 0) + (data[0] & 32 ? 2 : 0)];
    deft_session  *session  = start(world, (data[0] & 16) != 0);
    const uint64_t hash     = deft_session_prefix_hash(session, 2);
    deft_view      text     = deft_view_make((const char *)data + 1, size - 1);
    deft_answer    answer;
    deft_answer_init(&answer, NULL);
    switch (data[0] & 3) {
    case 0:
        check(deft_bridge_search(session, world->searcher, &world->settings, text, &answer, NULL) ==
              DEFT_OK);
        check_answer(&answer);
        break;
    case 1:
        check(deft_bridge_describe(session, &world->settings, text, &answer, NULL) == DEFT_OK);
        check_answer(&answer);
        break;
    case 2:
        call(world, session, world->settings.call_name, text, &answer);
        break;
    default: {
        const char  *end       = text.size > 0 ? memchr(text.data, '\n', text.size) : NULL;
        const size_t name_size = end != NULL ? (size_t)(end - text.data) : text.size;
        call(world, session, deft_view_slice(text, 0, name_size),
             deft_view_slice(text, name_size + 1, text.size), &answer);
        break;
    }
    }
    check_visible(session);
    check(deft_session_prefix_hash(session, 2) == hash);
    deft_answer_clear(&answer);
    deft_session_free(session);
    return 0;
}
