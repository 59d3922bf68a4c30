// names.h - which tool a model means. What the session's restriction forbids is not there: it is
// neither found nor offered, and the answer is that for a name nobody has.
#ifndef DEFT_CORE_BRIDGE_NAMES_H
#define DEFT_CORE_BRIDGE_NAMES_H

#include "core/bridge/answer.h"

// The tool called `name` by id, wire name, `mcp__server__tool`, or bare name where only one tool
// has it. DEFT_NOT_FOUND or DEFT_CONFLICT otherwise.
deft_status deft__names_find(const deft_session *session, deft_view name, deft_tool_id *tool);

// Appends why `name` was not found, `status` being what deft__names_find said, and the names that
// come closest.
void deft__names_explain(const deft_session *session, deft_view name, deft_status status,
                         deft_buffer *out);

#endif
