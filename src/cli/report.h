// report.h - what a gateway answers, for people: its JSON as tables and text. All of it was written by
// others and goes through text.h.
#ifndef DEFT_CLI_REPORT_H
#define DEFT_CLI_REPORT_H

#include "cli/output.h"
#include "json/reader.h"

// The array in the answer to deft/servers (serve/control.h), as of `now_s` (seconds since 1970). False:
// there is none.
bool deft__report_servers(deft__output *output, deft__json_value servers, uint64_t now_s);

// One line that sums them up: "9 servers: 7 ready, 1 failed, 1 disabled".
void deft__report_server_states(deft__output *output, deft__json_value servers);

// One line that says what searches go by: words, or words and a model of what they mean. `model` is its
// name, empty where there is none.
void deft__report_search(deft__output *output, deft_view ranking, deft_view model);

// The result of a tools/call: texts as they are, other content as one line each.
void deft__report_call(deft__output *output, deft__json_value result);
// Who says that it failed, by the answer to deft/call: the tool, or deft on the way to it or back. "says
// that it failed", for after the tool's name; NULL: nobody.
const char *deft__call_failure(deft__json_value answer);

// Appends a time span as "12 s", "5 min", "3 h", "2 d": the largest unit that fits.
void deft__append_age(deft_buffer *out, uint64_t seconds);

#endif
