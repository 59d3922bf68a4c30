// fit.h - a call's arguments before the call is made: what is wrong without doubt or harm is set
// right, what is surely wrong is told to the model, with the schema, so that its next call is good.
#ifndef DEFT_CORE_BRIDGE_FIT_H
#define DEFT_CORE_BRIDGE_FIT_H

#include "core/ranking/searcher.h"
#include "deft/bridge.h"

// Holds `arguments` (JSON) against the schema of `tool` as the settings ask. DEFT_OK: they may be
// sent, and are changed where `repaired` then names what. DEFT_INVALID: `answer` tells the model.
// DEFT_OUT_OF_MEMORY.
deft_status deft__fit_arguments(const deft_catalog *catalog, const deft_settings *settings,
                                deft_tool_id tool, deft_buffer *arguments, deft_buffer *repaired,
                                deft_answer *answer, deft_error *error);

// The schema of `tool` on one line into `out`, which is emptied first. False, and nothing, where it
// has more than `*tokens_left`, which else are fewer then. `known`, unless it is NULL, is what writing
// it before found out, or learns it now.
bool deft__fit_schema(const deft_catalog *catalog, const deft_settings *settings, deft_tool_id tool,
                      deft__schema_size *known, uint64_t *tokens_left, deft_buffer *out);

#endif
