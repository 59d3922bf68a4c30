// bridge.h - the few tools through which a model reaches all others: their definitions, and what
// they answer. Arguments come in as JSON, answers go out as text for the model and as JSON for
// programs. Nothing is called here: a call is unwrapped and named, running it is the host's.
#ifndef DEFT_BRIDGE_H
#define DEFT_BRIDGE_H

#include "deft/index.h"
#include "deft/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum deft_bridge_tool {
    DEFT_BRIDGE_SEARCH,
    DEFT_BRIDGE_DESCRIBE,
    DEFT_BRIDGE_CALL,
    DEFT_BRIDGE_CALL_READ_ONLY // callTools by-effect: reaches only tools that say they change nothing
} deft_bridge_tool;

#define DEFT_BRIDGE_TOOLS_MAX 4u

// Which of them a model gets, in order: the search tool; but in style load, also the others, and the
// second call tool where the settings ask for it. Returns how many.
DEFT_API size_t deft_bridge_tools(const deft_settings *settings,
                                  deft_bridge_tool     tools[DEFT_BRIDGE_TOOLS_MAX]);

// Writes the definition of one of them in `form`. The search tool's description tells when and how
// to search, or says what the settings say in place of that, and carries `listing` (may be empty).
DEFT_API deft_status deft_bridge_write_definition(const deft_settings *settings,
                                                  deft_bridge_tool tool, deft_form form,
                                                  deft_view listing, deft_buffer *out);

// Whether a called name is one of the bridge's.
DEFT_API bool deft_bridge_from_name(const deft_settings *settings, deft_view name,
                                    deft_bridge_tool *tool);

// One of the bridge's names is also the name of a tool that is visible (in style load: or may
// become so), or two of them are equal: DEFT_CONFLICT, and the message says what to set.
DEFT_API deft_status deft_bridge_check_names(const deft_settings *settings, const deft_plan *plan,
                                             deft_error *error);

// An answer to the model. Errors that the model can act on are answers too, with is_error.
typedef struct deft_answer {
    deft_buffer text;       // for the model
    deft_buffer structured; // the same as a JSON object
    bool        is_error;
    size_t      found_count;  // tools in the answer
    size_t      loaded_count; // of these, newly loaded
} deft_answer;

DEFT_API void deft_answer_init(deft_answer *answer, const deft_allocator *allocator);
DEFT_API void deft_answer_clear(deft_answer *answer);

// The search tool: `arguments` is the JSON object that the model sent (empty counts as {}).
// Found tools are loaded into the session. `answer` is overwritten. Fails only without memory, and
// the session is then as before. The searcher may be of an older catalog than the session's.
DEFT_API deft_status deft_bridge_search(deft_session *session, deft_searcher *searcher,
                                        const deft_settings *settings, deft_view arguments,
                                        deft_answer *answer, deft_error *error);

// tool_describe: whole definitions of one or several tools ("tool_name": a name, several separated
// by commas, or an array of names), in OpenAI form unless "form" asks for "mcp" or "anthropic".
// Fails only without memory. Loads nothing.
DEFT_API deft_status deft_bridge_describe(deft_session *session, const deft_settings *settings,
                                          deft_view arguments, deft_answer *answer,
                                          deft_error *error);

// tool_call, unwrapped: the real tool and its real arguments, for logs, hooks, permissions and the
// call itself.
typedef struct deft_call {
    deft_tool_id tool;
    deft_buffer  arguments; // raw JSON object; {} when none were sent
    deft_buffer  repaired;  // names of the arguments that were set right; empty: none (schema.h)
    // What was asked for, also where the call is refused: the tool's id where there is such a tool, else
    // the name as it was given, cut to 256 bytes.
    deft_buffer asked;
} deft_call;

// Finds out what a call means. `name` is the called tool's name, the bridge's or any other; an
// exact name works though the tool was never searched for, and loads it. Understands what models
// do wrong: arguments as a JSON string, the bridge called through itself, the name inside the
// arguments. Sets arguments right and checks them against the tool's schema, as the settings ask
// (schema.h). Through the read-only call tool only a tool is reached whose annotations say that it
// changes nothing; for another one the answer names the other call tool. DEFT_OK: `call` is filled. DEFT_NOT_FOUND, DEFT_CONFLICT, DEFT_INVALID or DEFT_LIMIT:
// of `call` only `asked` is, and `answer` holds what to tell the model, with the closest names, or with the tool's schema.
DEFT_API deft_status deft_bridge_call(deft_session *session, const deft_settings *settings,
                                      deft_view name, deft_view arguments, deft_call *call,
                                      deft_answer *answer, deft_error *error);

DEFT_API void deft_call_init(deft_call *call, const deft_allocator *allocator);
DEFT_API void deft_call_clear(deft_call *call);

#ifdef __cplusplus
}
#endif
#endif
