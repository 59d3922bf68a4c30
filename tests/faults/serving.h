// serving.h - a stdio server (deft serve, as a rule) at work, for tests and benchmarks: started as a
// process in a folder of its own, spoken to in lines. Whatever is waited for has a limit; beyond it
// the program ends and says what it was waiting for. Nothing sleeps.
#ifndef DEFT_TESTS_FAULTS_SERVING_H
#define DEFT_TESTS_FAULTS_SERVING_H

#include "deft/buffer.h"
#include "json/lines.h"
#include "json/reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct serving {
    pid_t       process;
    int         input;  // what we write goes to its stdin
    int         output; // and what it says comes from here
    char        folder[64];
    deft__lines lines;
    deft_buffer chunk;  // what was read and is not cut into lines yet
    deft_buffer fed;    // what is being cut: lines are borrowed from it
    deft__json  answer; // the message that serving_next gave
    deft_buffer line;   // its text
} serving;

// Makes an empty folder for one server; its configuration, home and sockets go there.
void serving_init(serving *self);

// Writes the file deft.json into the folder.
void serving_configure(serving *self, const char *text);

// Starts `command` (NULL last) with HOME in the folder; its stderr goes to the file `stderr` there.
void serving_start(serving *self, const char *const *command);

// Runs a command to its end, in the same folder; appends what it writes to stdout.
void serving_run(serving *self, const char *const *command, deft_buffer *out);

// `deft servers --discover`, to its end: what the servers have is known from then on.
void serving_discover(serving *self, const char *deft);

// `deft serve --config deft.json`.
void serving_start_deft(serving *self, const char *deft);

// The same with --http, and where it can be reached then: a port of 127.0.0.1.
uint16_t serving_start_http(serving *self, const char *deft);

// Sends one line.
void serving_send(serving *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
void serving_send_bytes(serving *self, const char *data, size_t size);

// Waits for the next message; false: its output has ended.
bool serving_next(serving *self, deft__json_value *message);

// Waits for the answer to a request; what comes before it is passed over.
void serving_expect_answer(serving *self, int id, deft__json_value *message);

// Initialize, initialized, and tools/list, so that every server has been asked once. Ids 1 and 2.
void serving_shake_hands(serving *self);

// Closes its input: it has to go, and may still say what it has to say.
void serving_close(serving *self);

// The same, reads to the end and waits until it is gone, with status 0.
void serving_finish(serving *self);

// For one that serves HTTP: SIGTERM, and it has to go, with status 0. The folder goes too.
void serving_terminate(serving *self);

// The same, but the folder stays, for another start; and then it goes.
void serving_stop(serving *self);
void serving_remove(serving *self);

// Processes that were started below us and are still there; they are ended. Needs serving_adopt()
// before anything was started: orphans become our children then.
void   serving_adopt(void);
size_t serving_end_orphans(void);

// The children of a process right now; how many were written into `children`.
size_t serving_children(pid_t process, pid_t *children, size_t children_max);

// Children of the server that have ended and that it did not take notice of. Speaks with it until
// there are none, so it may take its time, within the limit.
void serving_expect_no_zombies(serving *self);

// No server has a call open, and none waits: deft says so itself, through its control socket.
void serving_expect_idle(serving *self, const char *deft);

// The memory that it has now.
size_t serving_resident_kb(const serving *self);
size_t serving_peak_kb(const serving *self); // the most that were resident
// A line of its smaps_rollup, such as "Pss:"; 0: there is none.
size_t serving_memory_kb(const serving *self, const char *name);

// Ends the test: prints what went wrong, and what the server said on stderr.
void serving_fail(const serving *self, const char *what) __attribute__((noreturn));

#endif
