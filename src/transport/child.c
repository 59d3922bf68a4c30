#include "transport/child.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/process.h"
#include "transport/environment.h"

#include "json/lines.h"
#include <signal.h>

// Of the last line on stderr, in the reason.
#define LAST_LINE_SIZE_MAX 300

struct deft__child {
    const deft_allocator *allocator;
    deft__child_options   options; // server and environment are not kept
    deft__launch          launch;
    deft__process        *process;
    deft__lines           lines;
    uint64_t              errors_before; // what the ring held already
    bool                  is_freed;      // by its owner, from within a callback
    bool                  is_reading;    // lines are being handed out
};

static void give_back(deft__child *child)
{
    deft__lines_clear(&child->lines);
    deft__launch_clear(&child->launch);
    deft__free(child->allocator, child, sizeof *child);
}

static void output(void *context, deft_view bytes)
{
    deft__child *child  = context;
    deft_view    line   = deft_view_make(NULL, 0);
    deft_status  status = DEFT_OK;
    deft__lines_feed(&child->lines, bytes);
    child->is_reading = true;
    while (!child->is_freed &&
           (status = deft__lines_next(&child->lines, &line)) != DEFT_NOT_FOUND) {
        if (status == DEFT_OK) {
            child->options.received(child->options.context, line);
        } else {
            child->options.overflowed(child->options.context);
        }
    }
    child->is_reading = false;
    if (child->is_freed) {
        give_back(child);
    }
}

static void errors(void *context, deft_view bytes)
{
    const deft__child *child = context;
    deft__ring_append(child->options.errors, bytes);
}

// "exited with status 1: no API key". Secrets stay out of it: it is told to people and models.
static void write_reason(const deft__child *child, deft__process_end end, int code,
                         deft_buffer *reason)
{
    switch (end) {
    case DEFT__PROCESS_EXITED:
        deft_buffer_append_text(reason, "exited with status ");
        deft_buffer_append_u64(reason, (uint64_t)code);
        break;
    case DEFT__PROCESS_KILLED:
        deft_buffer_append_text(reason, "was killed by signal ");
        deft_buffer_append_u64(reason, (uint64_t)code);
        break;
    case DEFT__PROCESS_CLOSED_OUTPUT:
        deft_buffer_append_text(reason, "closed its output");
        break;
    case DEFT__PROCESS_UNREAD_INPUT:
        deft_buffer_append_text(reason, "does not read its input");
        break;
    case DEFT__PROCESS_UNKNOWN:
    default:
        deft_buffer_append_text(reason, "is gone");
        break;
    }
    if (end == DEFT__PROCESS_KILLED && (code == SIGKILL || code == SIGTERM)) {
        return; // someone else's doing: what it said last has nothing to do with it
    }
    deft_buffer last;
    deft_buffer_init(&last, child->allocator);
    deft__ring_last_line(child->options.errors, child->errors_before, &last);
    if (last.size > 0) {
        deft_buffer_append_text(reason, ": ");
        deft__launch_write_safely(&child->launch, deft_buffer_view(&last), LAST_LINE_SIZE_MAX,
                                  reason);
    }
    deft_buffer_clear(&last);
}

static void ended(void *context, deft__process_end end, int code)
{
    deft__child *child = context;

    // What came without a line end may be whole all the same.
    const deft_view rest = deft__lines_rest(&child->lines);
    if (rest.size > 0) {
        child->is_reading = true;
        child->options.received(child->options.context, rest);
        child->is_reading = false;
        if (child->is_freed) {
            give_back(child);
            return;
        }
    }
    deft_buffer reason;
    deft_buffer_init(&reason, child->allocator);
    write_reason(child, end, code, &reason);
    const deft_view clause =
        reason.status == DEFT_OK ? deft_buffer_view(&reason) : deft_view_of("is gone");
    child->options.closed(child->options.context, clause); // the child may be freed then
    deft_buffer_clear(&reason);
}

deft__child *deft__child_start(deft__loop *loop, const deft__child_options *options,
                               deft_error *error)
{
    const deft_allocator *allocator = deft__loop_allocator(loop);
    deft__child          *child     = deft__new(allocator, sizeof *child);
    if (child == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    child->allocator           = allocator;
    child->options             = *options;
    child->options.server      = NULL;
    child->options.environment = NULL;
    child->errors_before       = options->errors->total;
    deft__lines_init(&child->lines,
                     options->line_size_max > 0 ? options->line_size_max : DEFT__LINE_SIZE_MAX,
                     allocator);
    if (deft__launch_init(&child->launch, options->server, options->environment, allocator,
                          error) == DEFT_OK) {
        const deft__process_options process = {
            .arguments    = child->launch.arguments,
            .environment  = child->launch.environment,
            .directory    = child->launch.directory,
            .context      = child,
            .output       = output,
            .errors       = errors,
            .ended        = ended,
            .queue_max    = options->queue_max,
            .terminate_ms = options->terminate_ms,
            .kill_ms      = options->kill_ms,
        };
        child->process = deft__process_start(loop, &process, error);
    }
    if (child->process == NULL) {
        give_back(child);
        return NULL;
    }
    return child;
}

void deft__child_send(deft__child *child, deft_view line)
{
    deft__process_write(child->process, line);
    deft__process_write(child->process, deft_view_make("\n", 1));
}

void deft__child_stop(deft__child *child)
{
    deft__process_stop(child->process);
}

void deft__child_stop_within(deft__child *child, uint64_t terminate_ms, uint64_t kill_ms)
{
    deft__process_stop_within(child->process, terminate_ms, kill_ms);
}

void deft__child_kill(deft__child *child)
{
    deft__process_kill(child->process);
}

void deft__child_free(deft__child *child)
{
    if (child != NULL) {
        deft__process_free(child->process);
        child->process  = NULL;
        child->is_freed = true;
        if (!child->is_reading) {
            give_back(child);
        }
    }
}

int deft__child_process_id(const deft__child *child)
{
    return deft__process_id(child->process);
}
