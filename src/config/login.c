// How deft logs in to a remote server: the member `oauth` of its entry. Other products keep things of
// their own in a member of that name, so what is not ours is passed over.
#include "config/read.h"

static deft_status read_word(deft__reader *reader, const char *path, const char *name,
                             deft__json_value json, deft_view *text)
{
    if (deft__json_is(json, DEFT__JSON_NONE) || deft__json_is(json, DEFT__JSON_NULL)) {
        return DEFT_OK;
    }
    if (!deft__json_is(json, DEFT__JSON_STRING)) {
        return deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(json),
                                 "%s.oauth.%s is %s; accepted: a string", path, name,
                                 deft__json_kind_name(deft__json_kind_of(json)));
    }
    return deft__reader_string(reader, json, text) ? DEFT_OK : DEFT_OUT_OF_MEMORY;
}

// An array of scopes is what one text with blanks between them says.
static deft_status read_scopes(deft__reader *reader, deft__json_value json, deft_view *text)
{
    deft_buffer all;
    bool        is_read = true;
    deft_buffer_init(&all, reader->source->arena.allocator);
    deft__json_iterator i = deft__json_iterate(json);
    while (is_read && deft__json_next(&i)) {
        deft_view word = {NULL, 0};
        if (deft__json_is(i.value, DEFT__JSON_STRING)) {
            is_read = deft__reader_string(reader, i.value, &word);
            deft_buffer_append_text(&all, all.size > 0 ? " " : "");
            deft_buffer_append(&all, word);
        }
    }
    is_read = is_read && all.status == DEFT_OK &&
              deft__arena_copy(&reader->source->arena, deft_buffer_view(&all), text);
    deft_buffer_clear(&all);
    return is_read ? DEFT_OK : deft__fail_memory(reader->error);
}

deft_status deft__server_login_read(deft__reader *reader, const char *path, deft__json_value json,
                                    deft_server_login *login)
{
    const struct {
        const char *name;
        deft_view  *text;
    } texts[] = {
        {"clientId", &login->client_id},
        {"clientSecret", &login->client_secret},
        {"issuer", &login->issuer},
        {"scope", &login->scope},
        {"clientIdMetadataUrl", &login->metadata_url},
    };
    deft_status status = DEFT_OK;
    for (size_t i = 0; status == DEFT_OK && i < sizeof texts / sizeof texts[0]; i++) {
        status = read_word(reader, path, texts[i].name, deft__json_member(json, texts[i].name),
                           texts[i].text);
    }
    const deft__json_value port   = deft__json_member(json, "callbackPort");
    uint64_t               number = 0;
    if (status == DEFT_OK && !deft__json_is(port, DEFT__JSON_NONE)) {
        if (deft__json_uint64(port, &number) != DEFT_OK || number == 0 || number > 65535) {
            status =
                deft__reader_fail(reader, DEFT_INVALID, deft__json_offset(port),
                                  "%s.oauth.callbackPort is no port; accepted: 1 to 65535", path);
        }
        login->callback_port = (uint16_t)number;
    }
    const deft__json_value scopes = deft__json_member(json, "scopes");
    if (status == DEFT_OK && login->scope.size == 0 && deft__json_is(scopes, DEFT__JSON_ARRAY)) {
        status = read_scopes(reader, scopes, &login->scope);
    }
    return status;
}
