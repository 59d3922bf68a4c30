#include "serve/door.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/socket.h"
#include "mcp/message.h"
#include "serve/answer.h"
#include "transport/peer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct visitor  visitor;
typedef struct question question;

// One request of a visitor.
struct question {
    deft__request request;
    visitor      *visitor;
    question     *next;
    deft_buffer   id; // raw
};

struct visitor {
    deft__door *door;
    visitor    *next;
    deft__peer *peer;
    question   *questions; // that are not answered yet
    size_t      question_count;
    bool        has_finished; // it asks no more, and leaves when all is answered
    bool        is_leaving;
    deft__task  leave;
};

struct deft__door {
    deft__service  *service;
    deft__listener *listener;
    visitor        *visitors;
    size_t          visitor_count;
};

// --- Questions. -----------------------------------------------------------------------------------

static void forget_question(question *one)
{
    const deft_allocator *allocator = one->visitor->door->service->allocator;
    question            **place     = &one->visitor->questions;
    while (*place != one) {
        place = &(*place)->next;
    }
    *place = one->next;
    one->visitor->question_count--;
    deft__request_clear(&one->request);
    deft_buffer_clear(&one->id);
    deft__free(allocator, one, sizeof *one);
}

static void send_error(visitor *who, deft_view id, int64_t code, const char *message)
{
    deft_buffer line;
    deft_buffer_init(&line, who->door->service->allocator);
    deft__mcp_write_error(&line, id, code, deft_view_of(message), deft_view_make(NULL, 0));
    if (line.status == DEFT_OK) {
        deft__peer_send(who->peer, deft_buffer_view(&line));
    }
    deft_buffer_clear(&line);
}

static void leave_if_done(visitor *who)
{
    if (who->has_finished && who->questions == NULL && deft__peer_queued(who->peer) == 0) {
        who->is_leaving = true;
        deft__loop_defer(who->door->service->loop, &who->leave);
    }
}

static void answered(void *context, deft__request *request)
{
    question *one = context;
    visitor  *who = one->visitor;
    if (request->error.status == DEFT_OK) {
        deft_buffer line;
        deft_buffer_init(&line, who->door->service->allocator);
        deft__mcp_write_result(&line, deft_buffer_view(&one->id),
                               deft_buffer_view(&request->result));
        if (line.status == DEFT_OK) {
            deft__peer_send(who->peer, deft_buffer_view(&line));
        } else {
            send_error(who, deft_buffer_view(&one->id), DEFT_OUT_OF_MEMORY, "out of memory");
        }
        deft_buffer_clear(&line);
    } else {
        // The code is our own status, so that the asking side has it again.
        send_error(who, deft_buffer_view(&one->id), (int64_t)request->error.status,
                   request->error.message);
    }
    forget_question(one);
    leave_if_done(who);
}

static void ask(visitor *who, const deft__mcp_message *message)
{
    deft__service *service = who->door->service;
    question      *one     = NULL;
    if (who->question_count >= DEFT__VISITOR_REQUESTS_MAX) {
        send_error(who, message->id, DEFT_LIMIT, "too many requests are open");
        return;
    }
    one = deft__new(service->allocator, sizeof *one);
    if (one == NULL) {
        send_error(who, message->id, DEFT_OUT_OF_MEMORY, "out of memory");
        return;
    }
    one->visitor   = who;
    one->next      = who->questions;
    who->questions = one;
    who->question_count++;
    deft_buffer_init(&one->id, service->allocator);
    deft_buffer_append(&one->id, message->id);
    one->request.answered = answered;
    one->request.context  = one;
    deft__request_start(&one->request, service, message->method, deft__json_raw(message->params),
                        false);
}

// --- Visitors. ------------------------------------------------------------------------------------

static void forget_visitor(visitor *who)
{
    deft__door *door  = who->door;
    visitor   **place = &door->visitors;
    while (*place != who) {
        place = &(*place)->next;
    }
    *place = who->next;
    door->visitor_count--;
    while (who->questions != NULL) {
        forget_question(who->questions);
    }
    deft__peer_free(who->peer);
    deft__loop_undefer(door->service->loop, &who->leave);
    deft__free(door->service->allocator, who, sizeof *who);
}

static void leave(void *context)
{
    forget_visitor(context);
}

static void received(void *context, deft_view line)
{
    visitor          *who = context;
    deft__mcp_reader  reader;
    deft__mcp_message message = {0};
    deft_error        error   = DEFT_ERROR_INIT;
    deft__mcp_reader_init(&reader, who->door->service->allocator);
    if (deft__mcp_reader_take(&reader, line, &error) != DEFT_OK) {
        send_error(who, deft_view_of("null"), DEFT__MCP_PARSE_ERROR, error.message);
    } else if (deft__mcp_reader_next(&reader, &message, &error) != DEFT_OK) {
        send_error(who, message.id.size > 0 ? message.id : deft_view_of("null"),
                   DEFT__MCP_INVALID_REQUEST, error.message);
    } else if (message.kind == DEFT__MCP_REQUEST) {
        ask(who, &message);
    }
    deft__mcp_reader_clear(&reader);
}

static void overflowed(void *context)
{
    send_error(context, deft_view_of("null"), DEFT_LIMIT, "the message is too long");
}

static void finished(void *context)
{
    visitor *who      = context;
    who->has_finished = true;
    leave_if_done(who);
}

static void gone(void *context)
{
    visitor *who = context;
    deft__loop_defer(who->door->service->loop, &who->leave);
}

static void drained(void *context)
{
    leave_if_done(context);
}

static void let_in(void *context, int descriptor)
{
    deft__door    *door    = context;
    deft__service *service = door->service;
    visitor       *who     = NULL;
    if (door->visitor_count < DEFT__VISITORS_MAX) {
        who = deft__new(service->allocator, sizeof *who);
    }
    if (who == NULL) {
        close(descriptor);
        return;
    }
    const deft__peer_options options = {.context       = who,
                                        .received      = received,
                                        .overflowed    = overflowed,
                                        .finished      = finished,
                                        .gone          = gone,
                                        .drained       = drained,
                                        .line_size_max = DEFT__VISITOR_LINE_MAX,
                                        .queue_max     = DEFT__VISITOR_QUEUE_MAX};
    who->door                        = door;
    who->peer = deft__peer_new_socket(service->loop, descriptor, &options, NULL);
    if (who->peer == NULL) {
        deft__free(service->allocator, who, sizeof *who);
        return;
    }
    deft__task_init(&who->leave, leave, who);
    who->next      = door->visitors;
    door->visitors = who;
    door->visitor_count++;
}

// --- The door itself. -----------------------------------------------------------------------------

// Makes `directory` and those above it. DEFT_CONFLICT: it is someone else's, or others may enter.
static deft_status make_directory(const char *directory, deft_error *error)
{
    char         path[PATH_MAX];
    deft__quoted quoted;
    struct stat  about;
    const int    size = snprintf(path, sizeof path, "%s", directory);
    if (size < 0 || size >= (int)sizeof path) {
        return deft__fail(error, DEFT_LIMIT, 0, "the path of the control socket is too long");
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700); // what goes wrong shows at the end
        *slash = '/';
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return deft__fail(error, DEFT_INVALID, 0, "could not make the directory '%s' (error %d)",
                          deft__quote(&quoted, deft_view_of(directory)), errno);
    }
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
        ((about.st_mode & 077) != 0 && chmod(path, 0700) != 0)) {
        return deft__fail(error, DEFT_CONFLICT, 0, "'%s' is not a directory of ours alone",
                          deft__quote(&quoted, deft_view_of(directory)));
    }
    return DEFT_OK;
}

deft__door *deft__door_open(deft__service *service, const char *directory, deft_error *error)
{
    char path[PATH_MAX + 32];
    if (make_directory(directory, error) != DEFT_OK) {
        return NULL;
    }
    deft__door *door = deft__new(service->allocator, sizeof *door);
    if (door == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%d.sock", directory, (int)getpid());
    door->service  = service;
    door->listener = deft__listener_new(service->loop, path, let_in, door, error);
    if (door->listener == NULL) {
        deft__free(service->allocator, door, sizeof *door);
        return NULL;
    }
    return door;
}

void deft__door_close(deft__door *door)
{
    if (door != NULL) {
        deft__listener_close(door->listener);
        while (door->visitors != NULL) {
            forget_visitor(door->visitors);
        }
        deft__free(door->service->allocator, door, sizeof *door);
    }
}
