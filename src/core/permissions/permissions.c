#include "deft/permissions.h"

#include "base/glob.h"

#include <stdint.h>
#include <string.h>

// "server::tool" of the longest names that a catalog takes.
#define ID_SIZE_MAX 1026

typedef struct whole_id {
    char   text[ID_SIZE_MAX];
    size_t size;
} whole_id;

static bool make_id(deft_view server, deft_view tool, whole_id *id)
{
    const size_t prefix = server.size > 0 ? server.size + 2 : 0;
    if (server.size > ID_SIZE_MAX || tool.size > ID_SIZE_MAX || prefix + tool.size > ID_SIZE_MAX) {
        return false;
    }
    if (prefix > 0) {
        memcpy(id->text, server.data, server.size);
        memcpy(id->text + server.size, "::", 2);
    }
    if (tool.size > 0) {
        memcpy(id->text + prefix, tool.data, tool.size);
    }
    id->size = prefix + tool.size;
    return true;
}

static bool has_separator(deft_view text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i - 1] == ':' && text.data[i] == ':') {
            return true;
        }
    }
    return false;
}

static bool fits_any(const deft_view *patterns, size_t count, deft_view tool, deft_view id)
{
    for (size_t i = 0; i < count; i++) {
        if (deft__glob_match(patterns[i], has_separator(patterns[i]) ? id : tool)) {
            return true;
        }
    }
    return false;
}

static int compare(deft_view a, deft_view b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int    order  = shared > 0 ? memcmp(a.data, b.data, shared) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static const deft_server_tools *find_lists(const deft_settings *settings, deft_view server)
{
    size_t low  = 0;
    size_t high = settings->server_tools_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int    order  = compare(settings->server_tools[middle].server, server);
        if (order == 0) {
            return &settings->server_tools[middle];
        } else if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

bool deft_permissions_allow(const deft_settings *settings, deft_view server, deft_view tool)
{
    whole_id whole;
    if (!make_id(server, tool, &whole)) {
        return false; // no catalog has such names; whoever asks should not get through
    }
    const deft_view id = deft_view_make(whole.text, whole.size);
    if (fits_any(settings->denied_tools, settings->denied_tool_count, tool, id) ||
        (settings->allowed_tool_count > 0 &&
         !fits_any(settings->allowed_tools, settings->allowed_tool_count, tool, id))) {
        return false;
    }
    const deft_server_tools *lists = server.size > 0 ? find_lists(settings, server) : NULL;
    if (lists == NULL) {
        return true;
    }
    return !fits_any(lists->excluded, lists->excluded_count, tool, tool) &&
           (!lists->is_included_set ||
            fits_any(lists->included, lists->included_count, tool, tool));
}

static bool is_allowed(void *context, deft_view server, deft_view tool)
{
    return deft_permissions_allow(context, server, tool);
}

void deft_permissions_apply(const deft_settings *settings, deft_catalog_options *options)
{
    options->is_allowed      = is_allowed;
    options->allowed_context = (void *)(uintptr_t)settings; // only ever read
}
