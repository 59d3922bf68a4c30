// answer.h - how the bridge fills an answer: plain English for the model, JSON for programs.
#ifndef DEFT_CORE_BRIDGE_ANSWER_H
#define DEFT_CORE_BRIDGE_ANSWER_H

#include "deft/bridge.h"
#include "json/writer.h"

// Names offered where one was not found.
#define DEFT__NEAREST_COUNT_MAX 5u

// Empties an answer for the next call.
void deft__answer_reset(deft_answer *answer);

// Ends an answer whose text is complete: without memory it is emptied and the call fails.
deft_status deft__answer_finish(deft_answer *answer, deft_error *error);

// Turns the text into an error that the model can act on: adds `advice` (may be NULL) and writes
// {"error": text}.
deft_status deft__answer_finish_error(deft_answer *answer, const char *advice, deft_error *error);

// Begins an error with a message of ours, as a sentence.
void deft__answer_append_message(deft_answer *answer, const deft_error *message);

// Appends a name from outside in quotes, cleaned.
void deft__append_quoted(deft_buffer *out, deft_view name);

// Appends the ids of `tools`, separated by commas.
void deft__append_ids(deft_buffer *out, const deft_catalog *catalog, const deft_tool_id *tools,
                      size_t count);

#endif
