#include "serve/control.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/socket.h"
#include "mcp/message.h"
#include "json/lines.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_absolute(const char *path)
{
    return path != NULL && path[0] == '/';
}

bool deft__control_directory(const char *runtime_directory, const char *state_home,
                             const char *home, deft_buffer *path)
{
    if (is_absolute(runtime_directory)) {
        deft_buffer_append_text(path, runtime_directory);
        deft_buffer_append_text(path, "/deft");
    } else if (is_absolute(state_home)) {
        deft_buffer_append_text(path, state_home);
        deft_buffer_append_text(path, "/deft/run");
    } else if (is_absolute(home)) {
        deft_buffer_append_text(path, home);
        deft_buffer_append_text(path, "/.local/state/deft/run");
    } else {
        return false;
    }
    deft_buffer_append_byte(path, '\0');
    return path->status == DEFT_OK;
}

// --- Which gateways run. --------------------------------------------------------------------------

typedef struct running {
    int             process_id;
    struct timespec since;
} running;

static int newest_first(const void *a, const void *b)
{
    const running *x = a;
    const running *y = b;
    if (x->since.tv_sec != y->since.tv_sec) {
        return x->since.tv_sec > y->since.tv_sec ? -1 : 1;
    } else if (x->since.tv_nsec != y->since.tv_nsec) {
        return x->since.tv_nsec > y->since.tv_nsec ? -1 : 1;
    } else {
        return y->process_id - x->process_id;
    }
}

static bool make_path(const char *directory, int process_id, char path[PATH_MAX])
{
    const int size = snprintf(path, PATH_MAX, "%s/%d.sock", directory, process_id);
    return size > 0 && size < PATH_MAX;
}

// "123.sock" is 123; 0 for another name.
static int process_id_of(const char *name)
{
    char      *end    = NULL;
    const long number = name[0] >= '1' && name[0] <= '9' ? strtol(name, &end, 10) : 0;
    return number > 0 && number < INT_MAX && strcmp(end, ".sock") == 0 ? (int)number : 0;
}

// Whether someone listens; else the socket is removed.
static bool is_answered(const char *path)
{
    deft_error error      = DEFT_ERROR_INIT;
    const int  descriptor = deft__socket_connect(path, &error);
    if (descriptor >= 0) {
        close(descriptor);
        return true;
    } else if (error.status == DEFT_NOT_FOUND) {
        unlink(path);
    }
    return false;
}

size_t deft__control_find(const char *directory, deft__control_found found, void *context)
{
    running *all      = NULL;
    size_t   capacity = 0;
    size_t   count    = 0;
    DIR     *folder   = opendir(directory);
    if (folder == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char        path[PATH_MAX];
        struct stat about;
        const int   process_id = process_id_of(entry->d_name);
        if (process_id > 0 && make_path(directory, process_id, path) && lstat(path, &about) == 0 &&
            S_ISSOCK(about.st_mode) && is_answered(path) &&
            deft__grow(NULL, (void **)&all, &capacity, count, sizeof *all)) {
            all[count++] = (running){.process_id = process_id, .since = about.st_mtim};
        }
    }
    closedir(folder);
    if (count > 0) {
        qsort(all, count, sizeof *all, newest_first);
    }
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX];
        make_path(directory, all[i].process_id, path);
        found(context, path, all[i].process_id);
    }
    deft__free(NULL, all, capacity * sizeof *all);
    return count;
}

// --- Asking. --------------------------------------------------------------------------------------

static bool write_all(int descriptor, deft_view bytes)
{
    size_t sent = 0;
    while (sent < bytes.size) {
        const ssize_t size = send(descriptor, bytes.data + sent, bytes.size - sent, MSG_NOSIGNAL);
        if (size < 0 && errno != EINTR) {
            return false;
        }
        sent += size > 0 ? (size_t)size : 0;
    }
    return true;
}

static deft_status take_answer(deft_view line, deft_buffer *result, deft_error *error)
{
    deft__mcp_reader  reader;
    deft__mcp_message message = {0};
    deft__mcp_reader_init(&reader, result->allocator);
    deft_status status = deft__mcp_reader_take(&reader, line, error);
    if (status == DEFT_OK) {
        status = deft__mcp_reader_next(&reader, &message, error);
    }
    if (status == DEFT_OK && message.kind == DEFT__MCP_RESULT) {
        deft_buffer_append(result, deft__json_raw(message.result));
        status = result->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    } else if (status == DEFT_OK && message.kind == DEFT__MCP_ERROR) {
        const bool is_ours = message.error_code > DEFT_OK && message.error_code <= DEFT_CONFLICT;
        status = deft__fail(error, is_ours ? (deft_status)message.error_code : DEFT_INVALID, 0,
                            "%.*s", (int)message.error_message.size,
                            message.error_message.data != NULL ? message.error_message.data : "");
    } else if (status == DEFT_OK) {
        status = deft__fail(error, DEFT_INVALID, 0, "the gateway answers with something else");
    }
    deft__mcp_reader_clear(&reader);
    return status;
}

// Reads until the answer has come: a line.
static deft_status read_answer(int descriptor, deft_buffer *result, deft_error *error)
{
    deft__lines lines;
    deft_view   line   = deft_view_make(NULL, 0);
    deft_status status = DEFT_NOT_FOUND;
    char       *bytes  = deft__new(result->allocator, 64u * 1024);
    if (bytes == NULL) {
        return deft__fail_memory(error);
    }
    deft__lines_init(&lines, 0, result->allocator);
    while (status == DEFT_NOT_FOUND) {
        const ssize_t size = read(descriptor, bytes, 64u * 1024);
        if (size > 0) {
            deft__lines_feed(&lines, deft_view_make(bytes, (size_t)size));
            status = deft__lines_next(&lines, &line);
        } else if (size == 0 || errno != EINTR) {
            status = deft__fail(error, DEFT_INVALID, 0, "the gateway ended before it answered");
        }
    }
    if (status == DEFT_OK) {
        status = take_answer(line, result, error);
    } else if (status != DEFT_INVALID) {
        deft__fail(error, status, 0, "the gateway's answer is too long");
    }
    deft__lines_clear(&lines);
    deft__free(result->allocator, bytes, 64u * 1024);
    return status;
}

deft_status deft__control_ask(const char *path, const char *method, deft_view params,
                              deft_buffer *result, deft_error *error)
{
    deft_buffer line;
    deft_error  cause      = DEFT_ERROR_INIT;
    const int   descriptor = deft__socket_connect(path, &cause);
    if (descriptor < 0) {
        if (error != NULL) {
            *error = cause;
        }
        return cause.status;
    }
    deft_buffer_init(&line, result->allocator);
    deft__mcp_write_request(&line, deft_view_of("1"), method, params);
    deft_buffer_append_byte(&line, '\n');
    deft_status status = DEFT_OK;
    if (line.status != DEFT_OK) {
        status = deft__fail_memory(error);
    } else if (!write_all(descriptor, deft_buffer_view(&line))) {
        status = deft__fail(error, DEFT_INVALID, 0, "the gateway ended before it answered");
    } else {
        status = read_answer(descriptor, result, error);
    }
    deft_buffer_clear(&line);
    close(descriptor);
    return status;
}
