// Whole logins as conversations: what is asked for, in which order, and what comes of each answer. No
// network, no clock, no chance.
#include "oauth/login.h"

#include "support/allocator.h"
#include "support/test.h"

// What a login is answered with, in order. ' stands for ".
typedef struct reply {
    int         status; // 0: nobody answers; -1: a redirect's query
    const char *body;
} reply;

#define REDIRECT  (-1)
#define UNREACHED 0
#define REPLIES(...)                                                                               \
    (const reply[])                                                                                \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0, NULL                                                                                \
        }                                                                                          \
    }

// 32 bytes of 'A' for the verifier, 32 of 'B' for the state.
#define RANDOM    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define STATE     "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI"
#define VERIFIER  "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE"
#define CHALLENGE "rr3cdGbVatgrV5fnu5CkIkv6K9PBLTZNiPwkFoVACdw"
#define RETURN    "http%3A%2F%2F127.0.0.1%3A7%2Fcallback"

#define PRM                                                                                        \
    {                                                                                              \
        200, "{'resource':'https://h/mcp','authorization_servers':['https://as']}"                 \
    }
#define SCOPED                                                                                     \
    {                                                                                              \
        200, "{'resource':'https://h/mcp','authorization_servers':['https://as'],"                 \
             "'scopes_supported':['a','b']}"                                                       \
    }
#define AS_WITH(members)                                                                           \
    {                                                                                              \
        200, "{'issuer':'https://as','authorization_endpoint':'https://as/authorize',"             \
             "'token_endpoint':'https://as/token'," members "}"                                    \
    }
#define S256 "'code_challenge_methods_supported':['S256']"
#define AS   AS_WITH("'registration_endpoint':'https://as/register'," S256)
#define PUBLIC                                                                                     \
    AS_WITH("'registration_endpoint':'https://as/register'," S256                                  \
            ",'token_endpoint_auth_methods_supported':['none']")
#define CLIENT                                                                                     \
    {                                                                                              \
        201, "{'client_id':'c','client_secret':'s'}"                                               \
    }
#define CODE                                                                                       \
    {                                                                                              \
        REDIRECT, "code=x&state=" STATE                                                            \
    }
#define TOKENS                                                                                     \
    {                                                                                              \
        200, "{'access_token':'t','token_type':'Bearer','expires_in':60,'refresh_token':'r'}"      \
    }

// The parts of what is asked for that never change.
#define ASK_PRM "GET https://h/.well-known/oauth-protected-resource/mcp\n"
#define ASK_AS  "GET https://as/.well-known/oauth-authorization-server\n"
#define REGISTER_AS(method, more)                                                                  \
    "POST https://as/register\n"                                                                   \
    "  {'client_name':'deft','application_type':'native','redirect_uris':"                         \
    "['http://127.0.0.1:7/callback'],'grant_types':['authorization_code','refresh_token'],"        \
    "'response_types':['code'],'token_endpoint_auth_method':'" method "'" more "}\n"
#define PAGE_AS(client, more)                                                                      \
    "PAGE https://as/authorize?response_type=code&client_id=" client "&redirect_uri=" RETURN       \
    "&code_challenge=" CHALLENGE "&code_challenge_method=S256&state=" STATE                        \
    "&resource=https%3A%2F%2Fh%2Fmcp" more "\n"
#define EXCHANGE                                                                                   \
    "POST https://as/token\n"                                                                      \
    "  grant_type=authorization_code&code=x&redirect_uri=" RETURN "&code_verifier=" VERIFIER       \
    "&resource=https%3A%2F%2Fh%2Fmcp"
#define LOGIN(client, method, scope)                                                               \
    "LOGIN https://as https://h/mcp " client " " method " t r 1060 [" scope "]\n"

static const struct {
    const char         *name;
    deft__oauth_options options; // endpoint https://h/mcp where it is empty
    const reply        *replies;
    const char         *said;
} cases[] = {
    {"from nothing to a token",
     {0},
     REPLIES(PRM, PUBLIC, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", "") PAGE_AS("c", "") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "")},
    {"the challenge says where the metadata are, and the scope",
     {.challenge = DEFT_VIEW_INIT("Basic realm=x, Bearer scope=\"s1 s2\", "
                                  "resource_metadata=\"https://h/custom.json\"")},
     REPLIES(SCOPED, PUBLIC, CLIENT, CODE, TOKENS),
     "GET https://h/custom.json\n" ASK_AS REGISTER_AS("none", ",'scope':'s1 s2'")
         PAGE_AS("c", "&scope=s1%20s2") EXCHANGE "&client_id=c\n" LOGIN("c", "none", "s1 s2")},
    {"without a scope in the challenge, all that the server has",
     {0},
     REPLIES(SCOPED, PUBLIC, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'a b'") PAGE_AS("c", "&scope=a%20b") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "a b")},
    {"a person's scope wins",
     {.scope = DEFT_VIEW_INIT("mine")},
     REPLIES(SCOPED, PUBLIC, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'mine'") PAGE_AS("c", "&scope=mine") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "mine")},
    {"and what is missing is added to it",
     {.scope     = DEFT_VIEW_INIT("mine"),
      .challenge = DEFT_VIEW_INIT("Bearer error=\"insufficient_scope\", scope=\"more\"")},
     REPLIES(SCOPED, PUBLIC, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'mine more'") PAGE_AS("c", "&scope=mine%20more")
         EXCHANGE "&client_id=c\n" LOGIN("c", "none", "mine more")},
    {"offline_access where the authorization server has it",
     {0},
     REPLIES(SCOPED,
             AS_WITH("'registration_endpoint':'https://as/register'," S256
                     ",'scopes_supported':['offline_access'],"
                     "'token_endpoint_auth_methods_supported':['none']"),
             CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'a b offline_access'")
         PAGE_AS("c", "&scope=a%20b%20offline_access&prompt=consent") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "a b offline_access")},
    {"a secret in the header",
     {0},
     REPLIES(PRM, AS, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("client_secret_basic", "") PAGE_AS("c", "") EXCHANGE
     "\n  Basic Yzpz\n" LOGIN("c", "client_secret_basic", "")},
    {"a secret in the form",
     {0},
     REPLIES(PRM,
             AS_WITH("'registration_endpoint':'https://as/register'," S256
                     ",'token_endpoint_auth_methods_supported':['client_secret_post']"),
             CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("client_secret_post", "") PAGE_AS("c", "") EXCHANGE
     "&client_id=c&client_secret=s\n" LOGIN("c", "client_secret_post", "")},
    {"a client of one's own",
     {.client_id     = DEFT_VIEW_INIT("own:id"),
      .client_secret = DEFT_VIEW_INIT("s&t"),
      .issuer        = DEFT_VIEW_INIT("https://as")},
     REPLIES(PRM, AS_WITH(S256), CODE, TOKENS),
     ASK_PRM ASK_AS PAGE_AS("own%3Aid", "") EXCHANGE
     "\n  Basic b3duJTNBaWQ6cyUyNnQ=\n" LOGIN("own:id", "client_secret_basic", "")},
    {"a client of one's own without a secret",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS_WITH(S256), CODE, TOKENS),
     ASK_PRM ASK_AS PAGE_AS("own", "") EXCHANGE "&client_id=own\n" LOGIN("own", "none", "")},
    {"a client of one's own, of another issuer",
     {.client_id = DEFT_VIEW_INIT("own"), .issuer = DEFT_VIEW_INIT("https://other")},
     REPLIES(PRM, AS),
     ASK_PRM ASK_AS "FAILED the server now wants logins from https://as, and its clientId is "
                    "configured for another issuer\n"},
    {"a secret that nobody takes",
     {.client_id = DEFT_VIEW_INIT("own"), .client_secret = DEFT_VIEW_INIT("s")},
     REPLIES(PRM, PUBLIC),
     ASK_PRM ASK_AS
     "FAILED https://as takes no client secret, neither as client_secret_basic nor as "
     "client_secret_post; leave clientSecret out\n"},
    {"a client-id metadata document",
     {.metadata_url = DEFT_VIEW_INIT("https://me/client.json")},
     REPLIES(PRM, AS_WITH(S256 ",'client_id_metadata_document_supported':true"), CODE, TOKENS),
     ASK_PRM ASK_AS PAGE_AS("https%3A%2F%2Fme%2Fclient.json", "") EXCHANGE
     "&client_id=https%3A%2F%2Fme%2Fclient.json\n" LOGIN("https://me/client.json", "none", "")},
    {"one that is not taken there",
     {.metadata_url = DEFT_VIEW_INIT("https://me/client.json")},
     REPLIES(PRM, PUBLIC, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", "") PAGE_AS("c", "") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "")},
    {"nobody registers us",
     {0},
     REPLIES(PRM, AS_WITH(S256)),
     ASK_PRM ASK_AS "FAILED https://as registers no clients: register deft there yourself, and set "
                    "clientId at the server's oauth\n"},
    {"registration is refused",
     {0},
     REPLIES(PRM, PUBLIC, {403, "{'error':'access_denied'}"}),
     ASK_PRM ASK_AS REGISTER_AS("none", "") "FAILED https://as does not register deft: HTTP 403: "
                                            "access_denied; register it there yourself "
                                            "and set clientId\n"},
    {"a scope that cannot be registered is left out",
     {0},
     REPLIES(SCOPED, PUBLIC, {400, "{'error':'invalid_client_metadata'}"}, CLIENT, CODE, TOKENS),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'a b'") REGISTER_AS("none", "")
         PAGE_AS("c", "&scope=a%20b") EXCHANGE "&client_id=c\n" LOGIN("c", "none", "a b")},
    {"and if that is not why, it is refused",
     {0},
     REPLIES(SCOPED, PUBLIC, {400, "{'error':'invalid_redirect_uri'}"},
             {400, "{'error':'invalid_redirect_uri'}"}),
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'a b'")
         REGISTER_AS("none", "") "FAILED https://as does not register deft: HTTP 400: "
                                 "invalid_redirect_uri; register it there "
                                 "yourself and set clientId\n"},
    {"registration gives nothing",
     {0},
     REPLIES(PRM, PUBLIC, {201, "{}"}),
     ASK_PRM ASK_AS REGISTER_AS(
         "none", "") "FAILED the registration at https://as has no usable client_id\n"},
    // Where documents are.
    {"the metadata of an endpoint without a path",
     {.endpoint = DEFT_VIEW_INIT("https://h")},
     REPLIES({404, ""}, {404, ""}, {404, ""}),
     "GET https://h/.well-known/oauth-protected-resource\n"
     "GET https://h/.well-known/oauth-authorization-server\n"
     "POST https://h/register\n"
     "  {'client_name':'deft','application_type':'native','redirect_uris':"
     "['http://127.0.0.1:7/callback'],'grant_types':['authorization_code','refresh_token'],"
     "'response_types':['code'],'token_endpoint_auth_method':'none'}\n"
     "FAILED https://h does not register deft: HTTP 404; register it there yourself and set "
     "clientId\n"},
    {"2025-03-26: the origin is the issuer",
     {0},
     REPLIES({404, ""}, {404, ""},
             {200, "{'issuer':'https://h/','authorization_endpoint':'https://h/oauth/a?x=y',"
                   "'token_endpoint':'https://h/oauth/t','token_endpoint_auth_methods_supported':"
                   "['none'],'registration_endpoint':'https://h/oauth/r'," S256 "}"},
             CLIENT, CODE, TOKENS),
     ASK_PRM "GET https://h/.well-known/oauth-protected-resource\n"
             "GET https://h/.well-known/oauth-authorization-server\n"
             "POST https://h/oauth/r\n"
             "  {'client_name':'deft','application_type':'native','redirect_uris':"
             "['http://127.0.0.1:7/callback'],'grant_types':['authorization_code','refresh_token'],"
             "'response_types':['code'],'token_endpoint_auth_method':'none'}\n"
             "PAGE https://h/oauth/a?x=y&response_type=code&client_id=c&redirect_uri=" RETURN
             "&code_challenge=" CHALLENGE "&code_challenge_method=S256&state=" STATE
             "&resource=https%3A%2F%2Fh%2Fmcp\n"
             "POST https://h/oauth/t\n"
             "  grant_type=authorization_code&code=x&redirect_uri=" RETURN
             "&code_verifier=" VERIFIER "&resource=https%3A%2F%2Fh%2Fmcp&client_id=c\n"
             "LOGIN https://h/ https://h/mcp c none t r 1060 []\n"},
    {"an issuer with a path has three places",
     {0},
     REPLIES({200, "{'resource':'https://h','authorization_servers':['https://as/t1']}"}, {404, ""},
             {200, "<html>"}, {500, ""}),
     ASK_PRM "GET https://as/.well-known/oauth-authorization-server/t1\n"
             "GET https://as/.well-known/openid-configuration/t1\n"
             "GET https://as/t1/.well-known/openid-configuration\n"
             "FAILED the authorization server 'https://as/t1' does not say how it works: it has no "
             "metadata at any of the places where they belong\n"},
    {"an issuer without a path has two",
     {0},
     REPLIES(PRM, {404, ""}, {404, ""}),
     ASK_PRM ASK_AS
     "GET https://as/.well-known/openid-configuration\n"
     "FAILED the authorization server 'https://as' does not say how it works: it has "
     "no metadata at any of the places where they belong\n"},
    {"metadata that the challenge names are not looked for elsewhere",
     {.challenge = DEFT_VIEW_INIT("Bearer resource_metadata=\"https://h/custom.json\"")},
     REPLIES({404, ""}),
     "GET https://h/custom.json\nFAILED what the server says about logins, at https://h, could not "
     "be "
     "had (HTTP 404)\n"},
    {"nor if they make no sense",
     {.challenge = DEFT_VIEW_INIT("Bearer resource_metadata=\"https://h/custom.json\"")},
     REPLIES({200, "{}"}),
     "GET https://h/custom.json\nFAILED what the server says about logins, at https://h, does not "
     "say "
     "which resource it is of\n"},
    {"nobody answers",
     {0},
     REPLIES(PRM, {UNREACHED, "could not be reached: no such host"}),
     ASK_PRM ASK_AS "FAILED https://as could not be reached: no such host\n"},
    // What is refused.
    {"a server that says that it is another",
     {0},
     REPLIES(
         {200, "{'resource':'https://evil.example/mcp','authorization_servers':['https://as']}"}),
     ASK_PRM
     "FAILED the server says that it is 'https://evil.example/mcp', which it is not: a token "
     "for that must not be sent to it\n"},
    {"metadata of another issuer",
     {0},
     REPLIES(PRM, {200, "{'issuer':'https://as/','authorization_endpoint':'https://as/authorize',"
                        "'token_endpoint':'https://as/token'," S256 "}"}),
     ASK_PRM ASK_AS "FAILED the metadata of 'https://as' are those of 'https://as/', and were not "
                    "used\n"},
    {"no PKCE",
     {0},
     REPLIES(PRM, AS_WITH("'code_challenge_methods_supported':['plain']")),
     ASK_PRM ASK_AS
     "FAILED https://as does not offer PKCE with S256, without which a code could be "
     "stolen\n"},
    {"an issuer without TLS",
     {0},
     REPLIES({200, "{'resource':'https://h','authorization_servers':['http://as']}"}),
     ASK_PRM
     "FAILED the login leads to 'http://as/.well-known/oauth-authorization-server', which is "
     "neither https nor on this machine\n"},
    {"an issuer on this machine, for a server that is not",
     {0},
     REPLIES({200, "{'resource':'https://h','authorization_servers':['http://127.0.0.1:99']}"}),
     ASK_PRM "FAILED the login leads to "
             "'http://127.0.0.1:99/.well-known/oauth-authorization-server', which is neither https "
             "nor on this machine\n"},
    {"a page that is a script",
     {0},
     REPLIES(PRM, {200, "{'issuer':'https://as','authorization_endpoint':'javascript:alert(1)',"
                        "'token_endpoint':'https://as/token'," S256 "}"}),
     ASK_PRM ASK_AS
     "FAILED the login leads to 'javascript:alert(1)', which is neither https nor on "
     "this machine\n"},
    {"a challenge that leads elsewhere without TLS",
     {.challenge = DEFT_VIEW_INIT("Bearer resource_metadata=\"http://evil.example/x\"")},
     REPLIES({0, NULL}),
     "FAILED the login leads to 'http://evil.example/x', which is neither https nor on this "
     "machine\n"},
    // The person.
    {"the answer to another login is passed over",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "code=x&state=other"}, {REDIRECT, "code=x"},
             {REDIRECT, "code=x&code=y&state=" STATE}, CODE, TOKENS),
     ASK_PRM ASK_AS PAGE_AS("own", "") "not ours\nnot ours\nnot ours\n" EXCHANGE
                                       "&client_id=own\n" LOGIN("own", "none", "")},
    {"a person says no",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "error=access_denied&error_description=not%20today&state=" STATE}),
     ASK_PRM ASK_AS PAGE_AS("own", "") "FAILED the login was refused: access_denied, not today\n"},
    {"no code",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "state=" STATE}),
     ASK_PRM ASK_AS PAGE_AS("own", "") "FAILED the answer holds neither a code nor an error\n"},
    {"an issuer that was not promised and is right",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "code=x&iss=https%3A%2F%2Fas&state=" STATE}, TOKENS),
     ASK_PRM ASK_AS PAGE_AS("own", "") EXCHANGE "&client_id=own\n" LOGIN("own", "none", "")},
    {"an issuer that is another",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "error=secret&iss=https%3A%2F%2Fevil&state=" STATE}),
     ASK_PRM ASK_AS PAGE_AS("own", "") "FAILED the answer is from another authorization server "
                                       "than the one that was asked (iss); "
                                       "nothing was sent\n"},
    {"an issuer that is nearly the same",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, {REDIRECT, "code=x&iss=https%3A%2F%2Fas%2F&state=" STATE}),
     ASK_PRM ASK_AS PAGE_AS("own", "") "FAILED the answer is from another authorization server "
                                       "than the one that was asked (iss); "
                                       "nothing was sent\n"},
    {"an issuer that was promised and is missing",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS_WITH(S256 ",'authorization_response_iss_parameter_supported':true"), CODE),
     ASK_PRM ASK_AS PAGE_AS("own", "") "FAILED the answer does not say who it is from (iss), "
                                       "although that was promised; it may be "
                                       "forged, and nothing was sent\n"},
    // Tokens.
    {"the code is refused",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, CODE, {400, "{'error':'invalid_grant','error_description':'too late'}"}),
     ASK_PRM ASK_AS PAGE_AS("own", "") EXCHANGE
     "&client_id=own\nFAILED https://as gave no token: HTTP 400: invalid_grant, too late "
     "(refused)\n"},
    {"the server is busy",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, CODE, {503, ""}),
     ASK_PRM ASK_AS PAGE_AS("own", "") EXCHANGE
     "&client_id=own\nFAILED https://as gave no token: HTTP 503\n"},
    {"a token of another kind",
     {.client_id = DEFT_VIEW_INIT("own")},
     REPLIES(PRM, AS, CODE, {200, "{'access_token':'t','token_type':'mac'}"}),
     ASK_PRM ASK_AS PAGE_AS("own", "") EXCHANGE
     "&client_id=own\nFAILED the answer of https://as holds no token of the type Bearer\n"},
};

// --- The host. ------------------------------------------------------------------------------------

static void append_quoted(deft_buffer *out, deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        deft_buffer_append_byte(out, text.data[i] == '"' ? '\'' : text.data[i]);
    }
}

static void tell_request(const deft__oauth *oauth, deft_buffer *said)
{
    const deft__oauth_request request = deft__oauth_request_of(oauth);
    deft_buffer_append_text(said, request.is_post ? "POST " : "GET ");
    deft_buffer_append(said, request.url);
    deft_buffer_append_byte(said, '\n');
    if (request.body.size > 0) {
        deft_buffer_append_text(said, "  ");
        append_quoted(said, request.body);
        deft_buffer_append_byte(said, '\n');
    }
    if (request.authorization.size > 0) {
        deft_buffer_append_text(said, "  ");
        deft_buffer_append(said, request.authorization);
        deft_buffer_append_byte(said, '\n');
    }
    assert_int_equal(request.is_post, request.type.size > 0);
}

static void tell_end(const deft__oauth *oauth, deft_buffer *said)
{
    bool is_refused = false;
    if (deft__oauth_step_of(oauth) == DEFT__OAUTH_FAILED) {
        deft_buffer_append_text(said, "FAILED ");
        deft_buffer_append_text(said, deft__oauth_failure(oauth, &is_refused));
        deft_buffer_append_text(said, is_refused ? " (refused)\n" : "\n");
        return;
    }
    assert_int_equal(deft__oauth_step_of(oauth), DEFT__OAUTH_DONE);
    const deft__kept_login *login = deft__oauth_login(oauth);
    const deft__kept_text parts[] = {DEFT__KEPT_ISSUER, DEFT__KEPT_RESOURCE, DEFT__KEPT_CLIENT_ID};
    deft_buffer_append_text(said, "LOGIN ");
    for (size_t i = 0; i < array_size(parts); i++) {
        deft_buffer_append(said, deft__kept_get(login, parts[i]));
        deft_buffer_append_byte(said, ' ');
    }
    deft_buffer_append_text(said, deft__oauth_method_name(login->method));
    deft_buffer_append_byte(said, ' ');
    deft_buffer_append(said, deft__kept_get(login, DEFT__KEPT_ACCESS_TOKEN));
    deft_buffer_append_byte(said, ' ');
    deft_buffer_append(said, deft__kept_get(login, DEFT__KEPT_REFRESH_TOKEN));
    deft_buffer_append_byte(said, ' ');
    deft_buffer_append_u64(said, login->expires_at_s);
    deft_buffer_append_text(said, " [");
    deft_buffer_append(said, deft__kept_get(login, DEFT__KEPT_SCOPE));
    deft_buffer_append_text(said, "]\n");
}

static void give(deft__oauth *oauth, const reply *one, deft_buffer *said)
{
    deft_buffer body;
    deft_buffer_init(&body, NULL);
    for (const char *text = one->body; *text != '\0'; text++) {
        deft_buffer_append_byte(&body, *text == '\'' ? '"' : *text);
    }
    if (one->status == REDIRECT) {
        deft_buffer_append_text(
            said, deft__oauth_redirected(oauth, deft_buffer_view(&body)) ? "" : "not ours\n");
    } else if (one->status == UNREACHED) {
        deft__oauth_unanswered(oauth, deft_buffer_view(&body));
    } else {
        deft__oauth_answered(oauth, one->status, deft_buffer_view(&body));
    }
    deft_buffer_clear(&body);
}

static void converse(deft__oauth *oauth, const reply *replies, deft_buffer *said)
{
    bool is_shown = false;
    while (deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH ||
           deft__oauth_step_of(oauth) == DEFT__OAUTH_SHOW) {
        if (deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH) {
            tell_request(oauth, said);
        } else if (!is_shown) {
            is_shown = true;
            deft_buffer_append_text(said, "PAGE ");
            deft_buffer_append(said, deft__oauth_page(oauth));
            deft_buffer_append_byte(said, '\n');
        }
        // The default endpoints of an old server end a conversation that was not prepared for them.
        static const reply not_found = {404, ""};
        give(oauth, replies->body != NULL ? replies++ : &not_found, said);
    }
    tell_end(oauth, said);
}

static deft__oauth_options complete(const deft__oauth_options *options)
{
    deft__oauth_options all = *options;
    all.endpoint            = all.endpoint.size > 0 ? all.endpoint : deft_view_of("https://h/mcp");
    all.redirect_uri        = deft_view_of("http://127.0.0.1:7/callback");
    all.random              = deft_view_of(RANDOM);
    all.now_s               = 1000;
    return all;
}

static void logins_go_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        const deft__oauth_options options = complete(&cases[i].options);
        deft_error                error   = DEFT_ERROR_INIT;
        deft_buffer               said;
        case_name(cases[i].name);
        deft_buffer_init(&said, NULL);
        deft__oauth *oauth = deft__oauth_new(&options, NULL, &error);
        assert_non_null(oauth);
        converse(oauth, cases[i].replies, &said);
        assert_view_equal(deft_buffer_view(&said), cases[i].said);
        deft__oauth_free(oauth);
        deft_buffer_clear(&said);
    }
}

// --- What was kept. -------------------------------------------------------------------------------

static void keep(deft__kept_login *kept, const char *issuer)
{
    deft__kept_init(kept, NULL);
    assert_true(
        deft__kept_set(kept, DEFT__KEPT_ENDPOINT, deft_view_of("https://h/mcp")) &&
        deft__kept_set(kept, DEFT__KEPT_ISSUER, deft_view_of(issuer)) &&
        deft__kept_set(kept, DEFT__KEPT_RESOURCE, deft_view_of("https://h/mcp")) &&
        deft__kept_set(kept, DEFT__KEPT_TOKEN_ENDPOINT, deft_view_of("https://as/token")) &&
        deft__kept_set(kept, DEFT__KEPT_CLIENT_ID, deft_view_of("k")) &&
        deft__kept_set(kept, DEFT__KEPT_CLIENT_SECRET, deft_view_of("ks")) &&
        deft__kept_set(kept, DEFT__KEPT_REDIRECT, deft_view_of("http://127.0.0.1:7/callback")) &&
        deft__kept_set(kept, DEFT__KEPT_SCOPE, deft_view_of("old")) &&
        deft__kept_set(kept, DEFT__KEPT_REFRESH_TOKEN, deft_view_of("r+0")));
    kept->method        = DEFT__OAUTH_METHOD_POST;
    kept->is_registered = true;
}

static const struct {
    const char *name;
    const char *issuer;
    const char *redirect; // NULL: the same
    const char *client_id;
    uint64_t    client_expires_at_s;
    const char *said;
} kept_cases[] = {
    {"a client that was registered is used again, and a scope kept", "https://as", NULL, NULL, 0,
     ASK_PRM ASK_AS PAGE_AS("k", "&scope=old%20more") EXCHANGE
     "&client_id=k&client_secret=ks\n" LOGIN("k", "client_secret_post", "old more")},
    {"not with another issuer: neither is known there", "https://other", NULL, NULL, 0,
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'more'") PAGE_AS("c", "&scope=more") EXCHANGE
     "&client_id=c\n" LOGIN("c", "none", "more")},
    {"not with another redirect", "https://as", "http://127.0.0.1:8/callback", NULL, 0,
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'old more'") PAGE_AS("c", "&scope=old%20more")
         EXCHANGE "&client_id=c\n" LOGIN("c", "none", "old more")},
    {"not when it has expired", "https://as", NULL, NULL, 1000,
     ASK_PRM ASK_AS REGISTER_AS("none", ",'scope':'old more'") PAGE_AS("c", "&scope=old%20more")
         EXCHANGE "&client_id=c\n" LOGIN("c", "none", "old more")},
    {"a client of one's own is not shown to another issuer", "https://other", NULL, "own", 0,
     ASK_PRM ASK_AS
     "FAILED the server now wants logins from https://as, and its clientId was used with another "
     "issuer: set oauth.issuer, or forget the old login with 'deft logout'\n"},
};

static void what_was_kept_is_used_where_it_belongs(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(kept_cases); i++) {
        deft__kept_login kept;
        deft_buffer      said;
        case_name(kept_cases[i].name);
        keep(&kept, kept_cases[i].issuer);
        kept.client_expires_at_s = kept_cases[i].client_expires_at_s;
        if (kept_cases[i].redirect != NULL) {
            assert_true(
                deft__kept_set(&kept, DEFT__KEPT_REDIRECT, deft_view_of(kept_cases[i].redirect)));
        }
        const deft__oauth_options given = {
            .kept      = &kept,
            .client_id = deft_view_of(kept_cases[i].client_id),
            .challenge = DEFT_VIEW_INIT("Bearer scope=more"),
        };
        const deft__oauth_options options   = complete(&given);
        const reply              *without   = REPLIES(PRM, PUBLIC, CODE, TOKENS);
        const reply              *registers = REPLIES(PRM, PUBLIC, CLIENT, CODE, TOKENS);
        deft__oauth              *oauth     = deft__oauth_new(&options, NULL, NULL);
        assert_non_null(oauth);
        deft_buffer_init(&said, NULL);
        converse(oauth, i == 0 ? without : registers, &said);
        assert_view_equal(deft_buffer_view(&said), kept_cases[i].said);
        deft_buffer_clear(&said);
        deft__oauth_free(oauth);
        deft__kept_clear(&kept);
    }
}

static const struct {
    const char *name;
    reply       reply;
    const char *end;
} renewals[] = {
    {"a new token, and a new refresh token", TOKENS, LOGIN("k", "client_secret_post", "old")},
    {"the refresh token stays where no other comes",
     {200, "{'access_token':'t','token_type':'Bearer'}"},
     "LOGIN https://as https://h/mcp k client_secret_post t r+0 0 [old]\n"},
    {"it is used up",
     {400, "{'error':'invalid_grant'}"},
     "FAILED https://as gave no token: HTTP 400: invalid_grant (refused)\n"},
    {"what repeats a secret is not shown",
     {400, "{'error':'invalid_grant','error_description':'r+0 is used up'}"},
     "FAILED https://as gave no token: HTTP 400 (refused)\n"},
    {"too many at once", {429, ""}, "FAILED https://as gave no token: HTTP 429\n"},
    {"nobody answers", {UNREACHED, "does not answer"}, "FAILED https://as does not answer\n"},
};

static void tokens_are_renewed(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(renewals); i++) {
        const reply      replies[] = {renewals[i].reply, {0, NULL}};
        deft__kept_login kept;
        deft_buffer      said;
        deft_buffer      want;
        case_name(renewals[i].name);
        keep(&kept, "https://as");
        deft_buffer_init(&said, NULL);
        deft_buffer_init(&want, NULL);
        deft_buffer_append_text(&want, "POST https://as/token\n"
                                       "  grant_type=refresh_token&refresh_token=r%2B0&resource="
                                       "https%3A%2F%2Fh%2Fmcp&client_id=k&client_secret=ks\n");
        deft_buffer_append_text(&want, renewals[i].end);
        deft_buffer_append_byte(&want, '\0');
        deft__oauth *oauth = deft__oauth_new_renewal(&kept, 1000, NULL, NULL);
        assert_non_null(oauth);
        converse(oauth, replies, &said);
        assert_view_equal(deft_buffer_view(&said), want.data);
        deft_buffer_clear(&said);
        deft_buffer_clear(&want);
        deft__oauth_free(oauth);
        deft__kept_clear(&kept);
    }
}

// --- The end of a login. --------------------------------------------------------------------------

#define REVOKE(token, hint)                                                                        \
    "POST https://as/revoke\n"                                                                     \
    "  token=" token "&token_type_hint=" hint "&client_id=k&client_secret=ks\n"
#define REVOKE_BOTH REVOKE("r%2B0", "refresh_token") REVOKE("t0", "access_token")

static const struct {
    const char  *name;
    const char  *access_token;
    const char  *refresh_token;
    const reply *replies;
    const char  *said; // the end of what is done is a login that has been there
} revocations[] = {
    {"both tokens, the one that lasts first", "t0", "r+0", REPLIES({200, ""}, {200, ""}),
     REVOKE_BOTH "LOGIN https://as https://h/mcp k client_secret_post t0 r+0 0 [old]\n"},
    {"an access token alone", "t0", "", REPLIES({204, ""}),
     REVOKE("t0",
            "access_token") "LOGIN https://as https://h/mcp k client_secret_post t0  0 [old]\n"},
    {"a refresh token alone", "", "r+0", REPLIES({200, ""}),
     REVOKE("r%2B0",
            "refresh_token") "LOGIN https://as https://h/mcp k client_secret_post  r+0 0 [old]\n"},
    {"one that cannot be revoked does not keep the other", "t0", "r+0",
     REPLIES({400, "{'error':'unsupported_token_type'}"}, {200, ""}),
     REVOKE_BOTH
     "FAILED https://as did not revoke the refresh token: HTTP 400: unsupported_token_type\n"},
    {"the first failure is told", "t0", "r+0", REPLIES({503, ""}, {500, ""}),
     REVOKE_BOTH "FAILED https://as did not revoke the refresh token: HTTP 503\n"},
    {"the second one, too", "t0", "r+0", REPLIES({200, ""}, {401, "{'error':'invalid_client'}"}),
     REVOKE_BOTH "FAILED https://as did not revoke the access token: HTTP 401: invalid_client\n"},
    {"nobody answers: then nobody is asked again", "t0", "r+0",
     REPLIES({UNREACHED, "does not answer"}),
     REVOKE("r%2B0", "refresh_token") "FAILED https://as does not answer\n"},
};

static void keep_to_revoke(deft__kept_login *kept, const char *access, const char *refresh,
                           const char *place)
{
    keep(kept, "https://as");
    assert_true(deft__kept_set(kept, DEFT__KEPT_ACCESS_TOKEN, deft_view_of(access)) &&
                deft__kept_set(kept, DEFT__KEPT_REFRESH_TOKEN, deft_view_of(refresh)) &&
                deft__kept_set(kept, DEFT__KEPT_REVOCATION_ENDPOINT, deft_view_of(place)));
}

static void tokens_are_given_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(revocations); i++) {
        deft__kept_login kept;
        deft_buffer      said;
        case_name(revocations[i].name);
        keep_to_revoke(&kept, revocations[i].access_token, revocations[i].refresh_token,
                       "https://as/revoke");
        deft_buffer_init(&said, NULL);
        deft__oauth *oauth = deft__oauth_new_revocation(&kept, NULL, NULL);
        assert_non_null(oauth);
        converse(oauth, revocations[i].replies, &said);
        assert_view_equal(deft_buffer_view(&said), revocations[i].said);
        deft_buffer_clear(&said);
        deft__oauth_free(oauth);
        deft__kept_clear(&kept);
    }
}

static void what_cannot_be_given_back_is_not_asked_for(void **state)
{
    static const struct {
        const char *access_token;
        const char *place;
        const char *message;
    } bad[] = {
        {"", "https://as/revoke", "there are no tokens"},
        {"t0", "", "https://as has no place to revoke tokens"},
    };
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        deft__kept_login kept;
        deft_error       error = DEFT_ERROR_INIT;
        keep_to_revoke(&kept, bad[i].access_token, "", bad[i].place);
        assert_null(deft__oauth_new_revocation(&kept, NULL, &error));
        assert_int_equal(error.status, DEFT_NOT_FOUND);
        assert_string_equal(error.message, bad[i].message);
        deft__kept_clear(&kept);
    }
}

// The place is kept with the login, unless tokens could be read on the way there.
static void the_place_to_revoke_is_kept(void **state)
{
    static const struct {
        reply       server;
        const char *place;
    } places[] = {
        {AS_WITH("'revocation_endpoint':'https://as/revoke','registration_endpoint':'https://as/"
                 "r'," S256),
         "https://as/revoke"},
        {AS_WITH("'revocation_endpoint':'http://as/revoke','registration_endpoint':'https://as/"
                 "r'," S256),
         ""},
        {AS, ""},
    };
    (void)state;
    for (size_t i = 0; i < array_size(places); i++) {
        const deft__oauth_options options = complete(&(deft__oauth_options){0});
        deft__oauth              *oauth   = deft__oauth_new(&options, NULL, NULL);
        deft_buffer               said;
        deft_buffer_init(&said, NULL);
        assert_non_null(oauth);
        const reply replies[] = {PRM, places[i].server, CLIENT, CODE, TOKENS, {0, NULL}};
        converse(oauth, replies, &said);
        assert_view_equal(deft__kept_get(deft__oauth_login(oauth), DEFT__KEPT_REVOCATION_ENDPOINT),
                          places[i].place);
        deft_buffer_clear(&said);
        deft__oauth_free(oauth);
    }
}

// --- What cannot begin. ---------------------------------------------------------------------------

static void some_logins_do_not_begin(void **state)
{
    (void)state;
    static const struct {
        const char         *name;
        deft__oauth_options options;
        const char         *message;
    } bad[] = {
        {"a server without TLS",
         {.endpoint = DEFT_VIEW_INIT("http://h/mcp?key=secret")},
         "a login needs https: a token that is sent to 'http://h' could be read on the way"},
        {"a document of ours without TLS",
         {.metadata_url = DEFT_VIEW_INIT("http://me/client.json")},
         "'http://me/client.json' is no address of a client-id metadata document: it wants https "
         "and "
         "a path"},
        {"a document of ours without a path",
         {.metadata_url = DEFT_VIEW_INIT("https://me/")},
         "'https://me/' is no address of a client-id metadata document: it wants https and a path"},
    };
    for (size_t i = 0; i < array_size(bad); i++) {
        const deft__oauth_options options = complete(&bad[i].options);
        deft_error                error   = DEFT_ERROR_INIT;
        case_name(bad[i].name);
        assert_null(deft__oauth_new(&options, NULL, &error));
        assert_string_equal(error.message, bad[i].message);
    }
    deft__oauth_free(NULL);
}

static void answers_to_nothing_are_ignored(void **state)
{
    const deft__oauth_options options = complete(&(deft__oauth_options){0});
    deft__oauth              *oauth   = deft__oauth_new(&options, NULL, NULL);
    (void)state;
    assert_non_null(oauth);
    assert_false(deft__oauth_redirected(oauth, deft_view_of("code=x&state=" STATE)));
    deft__oauth_unanswered(oauth, deft_view_of("is down"));
    deft__oauth_answered(oauth, 200, deft_view_of("{}"));
    deft__oauth_unanswered(oauth, deft_view_of("is down again"));
    assert_string_equal(deft__oauth_failure(oauth, NULL), "https://h is down");
    deft__oauth_free(oauth);
}

// --- Memory. --------------------------------------------------------------------------------------

static bool log_in(const deft_allocator *allocator, void *context)
{
    const reply     *replies = context;
    deft__kept_login kept;
    deft_error       error = DEFT_ERROR_INIT;
    keep(&kept, "https://as");
    kept.is_registered              = false;
    const deft__oauth_options given = {
        .kept      = &kept,
        .challenge = DEFT_VIEW_INIT("Bearer scope=\"a\", error=insufficient_scope"),
    };
    const deft__oauth_options options = complete(&given);
    deft__oauth              *oauth   = deft__oauth_new(&options, allocator, &error);
    bool                      is_done = false;
    if (oauth != NULL) {
        deft_buffer said;
        deft_buffer_init(&said, NULL);
        while (deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH ||
               (deft__oauth_step_of(oauth) == DEFT__OAUTH_SHOW && replies->body != NULL)) {
            give(oauth, replies->body != NULL ? replies++ : &(reply){404, ""}, &said);
        }
        is_done = deft__oauth_step_of(oauth) == DEFT__OAUTH_DONE;
        deft_buffer_clear(&said);
    } else {
        assert_int_equal(error.status, DEFT_OUT_OF_MEMORY);
    }
    deft__oauth_free(oauth);
    deft__kept_clear(&kept);
    return is_done;
}

static bool renew(const deft_allocator *allocator, void *context)
{
    deft__kept_login kept;
    (void)context;
    keep(&kept, "https://as");
    kept.method           = DEFT__OAUTH_METHOD_BASIC;
    deft__oauth *oauth    = deft__oauth_new_renewal(&kept, 1000, allocator, NULL);
    bool         is_done  = false;
    const reply  answer[] = {TOKENS};
    if (oauth != NULL && deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH) {
        deft_buffer said;
        deft_buffer_init(&said, NULL);
        give(oauth, answer, &said);
        is_done = deft__oauth_step_of(oauth) == DEFT__OAUTH_DONE;
        deft_buffer_clear(&said);
    }
    deft__oauth_free(oauth);
    deft__kept_clear(&kept);
    return is_done;
}

static bool revoke(const deft_allocator *allocator, void *context)
{
    deft__kept_login kept;
    (void)context;
    keep_to_revoke(&kept, "t0", "r0", "https://as/revoke");
    deft__oauth *oauth   = deft__oauth_new_revocation(&kept, allocator, NULL);
    const reply  done    = {200, ""};
    bool         is_done = false;
    deft_buffer  said;
    deft_buffer_init(&said, NULL);
    while (oauth != NULL && deft__oauth_step_of(oauth) == DEFT__OAUTH_FETCH) {
        give(oauth, &done, &said);
    }
    is_done = oauth != NULL && deft__oauth_step_of(oauth) == DEFT__OAUTH_DONE;
    deft_buffer_clear(&said);
    deft__oauth_free(oauth);
    deft__kept_clear(&kept);
    return is_done;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    const reply *replies = REPLIES(SCOPED, AS, CLIENT, CODE, TOKENS);
    assert_true(test_every_allocation_fails(log_in, (void *)(uintptr_t)replies) > 0);
    assert_true(test_every_allocation_fails(renew, NULL) > 0);
    assert_true(test_every_allocation_fails(revoke, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logins_go_as_written),
        cmocka_unit_test(what_was_kept_is_used_where_it_belongs),
        cmocka_unit_test(tokens_are_renewed),
        cmocka_unit_test(tokens_are_given_back),
        cmocka_unit_test(what_cannot_be_given_back_is_not_asked_for),
        cmocka_unit_test(the_place_to_revoke_is_kept),
        cmocka_unit_test(some_logins_do_not_begin),
        cmocka_unit_test(answers_to_nothing_are_ignored),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
