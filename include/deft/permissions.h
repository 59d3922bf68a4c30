// permissions.h - what may be used at all. One question, asked in one place: a tool that is not
// allowed never enters the catalog, so nothing that works on a catalog (search, listing, describing,
// calling) can show it or reach it.
#ifndef DEFT_PERMISSIONS_H
#define DEFT_PERMISSIONS_H

#include "deft/catalog.h"
#include "deft/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether the settings let `tool` of `server` (empty: it has none) be used. In this order: what
// denied_tools has is not; where there are allowed_tools, only what they have is; of a server with
// lists of its own (server_tools), what it excludes is not, and where it includes some, only these.
// Patterns as in deft_rule; those of a server's lists fit the name alone.
DEFT_API bool deft_permissions_allow(const deft_settings *settings, deft_view server,
                                     deft_view tool);

// Makes a builder ask this for every tool. `settings` must outlive the builder.
DEFT_API void deft_permissions_apply(const deft_settings *settings, deft_catalog_options *options);

#ifdef __cplusplus
}
#endif
#endif
