// A process is followed by a descriptor of its own (pidfd), so there is no handler for SIGCHLD; only
// where the system has none, SIGCHLD has every process looked at. There is no race with the numbers of
// processes: one is looked at without being reaped (WNOWAIT), and reaped only when its group has got its
// last signal. Until then the number, which is also the group's, cannot be given away.
#include "io/process.h"

#include "base/fail.h"
#include "base/memory.h"
#include "io/command.h"
#include "io/inside.h"
#include "io/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERMINATE_MS  2000
#define KILL_MS       3000
#define LAST_WORDS_MS 500
#define EXIT_MS       100

typedef enum stop_phase {
    STOP_NOT,    // nobody asked it to
    STOP_ASKED,  // its stdin is closed
    STOP_FORCED, // SIGTERM was sent
    STOP_KILLED  // SIGKILL was sent
} stop_phase;

struct deft__process {
    deft__loop           *loop;
    deft__process_options options;
    pid_t                 id;    // also of its group; 0: not started
    int                   pidfd; // -1: there is none
    union {
        uv_handle_t any;
        uv_poll_t   poll;   // the pidfd's
        uv_signal_t signal; // SIGCHLD, where there is none
    } exit;
    bool              has_exit; // one of these is open
    deft__stream     *input;    // its stdin; NULL: closed, as are the others
    deft__stream     *output;
    deft__stream     *errors;
    deft__alarm      *alarm; // of the stop's next phase
    deft__alarm      *limit; // for the other half of the end
    stop_phase        phase;
    bool              has_exited;
    bool              has_told;
    bool              is_last_look; // its output is looked at once more, and then closed
    bool              is_reaped;
    bool              is_freed; // by its owner
    deft__process_end end;
    int               end_code;
};

// --- Signals. -------------------------------------------------------------------------------------

static void signal_group(const deft__process *process, int number)
{
    if (!process->is_reaped) {
        kill(-process->id, number);
    }
}

static void next_phase(void *context)
{
    deft__process *process = context;
    if (process->phase == STOP_ASKED) {
        process->phase = STOP_FORCED;
        signal_group(process, SIGTERM);
        signal_group(process, SIGCONT); // one that was stopped could not hear it
        deft__alarm_set(process->alarm, process->options.kill_ms);
    } else {
        deft__process_kill(process);
    }
}

void deft__process_stop(deft__process *process)
{
    if (process->phase == STOP_NOT && !process->has_exited) {
        process->phase = STOP_ASKED;
        if (process->input != NULL) {
            deft__stream_finish(process->input);
        }
        deft__alarm_stop(process->limit);
        deft__alarm_set(process->alarm, process->options.terminate_ms);
    }
}

void deft__process_stop_within(deft__process *process, uint64_t terminate_ms, uint64_t kill_ms)
{
    process->options.terminate_ms = terminate_ms;
    process->options.kill_ms      = kill_ms;
    if (process->phase == STOP_NOT) {
        deft__process_stop(process);
    } else if (!process->has_exited && process->phase != STOP_KILLED) {
        deft__alarm_set(process->alarm, process->phase == STOP_ASKED ? terminate_ms : kill_ms);
    }
}

void deft__process_kill(deft__process *process)
{
    process->phase = STOP_KILLED;
    deft__alarm_stop(process->alarm);
    signal_group(process, SIGKILL);
}

// --- The end. -------------------------------------------------------------------------------------

static void close_stream(deft__stream **stream)
{
    deft__stream_close(*stream);
    *stream = NULL;
}

static void tell(deft__process *process, deft__process_end end, int code)
{
    if (!process->has_told) {
        process->has_told = true;
        process->options.ended(process->options.context, end, code);
    }
}

static void tell_if_over(deft__process *process)
{
    if (process->has_exited && process->output == NULL && process->errors == NULL) {
        deft__alarm_stop(process->limit);
        tell(process, process->end, process->end_code);
    }
}

// Half of the end has come and the other half is late.
static void limit_reached(void *context)
{
    deft__process *process = context;
    if (process->has_exited && !process->is_last_look) {
        // On a busy machine the loop itself may be late: what is there by now is read first.
        process->is_last_look = true;
        deft__alarm_set(process->limit, 1); // not 0: that would be before the next look
    } else if (process->has_exited) {
        // Something that it started holds its output: that goes now, or at least our end does.
        signal_group(process, SIGKILL);
        close_stream(&process->output);
        close_stream(&process->errors);
        tell_if_over(process);
    } else {
        tell(process, DEFT__PROCESS_CLOSED_OUTPUT, 0);
    }
}

static void learn_exit(deft__process *process, const siginfo_t *about)
{
    if (about->si_code == CLD_EXITED) {
        process->end      = DEFT__PROCESS_EXITED;
        process->end_code = about->si_status;
    } else {
        process->end      = DEFT__PROCESS_KILLED;
        process->end_code = about->si_status;
    }
}

static void give_back(uv_handle_t *handle)
{
    deft__process *process = handle->data;
    deft__free(process->loop->allocator, process, sizeof *process);
}

// The group gets its last signal, the process is reaped, and its memory goes.
static void reap(deft__process *process)
{
    siginfo_t about = {0};
    signal_group(process, SIGKILL);
    waitid(P_PID, (id_t)process->id, &about, WEXITED | WNOHANG);
    process->is_reaped = true;
    uv_close(&process->exit.any, give_back);
    if (process->pidfd >= 0) {
        close(process->pidfd);
        process->pidfd = -1;
    }
}

static void stop_watching(deft__process *process)
{
    if (process->pidfd >= 0) {
        uv_poll_stop(&process->exit.poll);
    } else {
        uv_signal_stop(&process->exit.signal);
    }
}

// Looks whether it has exited.
static void look(deft__process *process)
{
    siginfo_t about = {0};
    int       code  = 0;
    do {
        code = waitid(P_PID, (id_t)process->id, &about, WEXITED | WNOHANG | WNOWAIT);
    } while (code != 0 && errno == EINTR);
    if (code == 0 && about.si_pid == 0) {
        return; // not yet
    }
    stop_watching(process);
    if (process->is_freed) {
        reap(process);
        return;
    }
    process->has_exited = true;
    process->end        = DEFT__PROCESS_UNKNOWN; // ECHILD: who embeds us ignores SIGCHLD
    if (code == 0) {
        learn_exit(process, &about);
    }
    deft__alarm_stop(process->alarm);
    close_stream(&process->input);
    signal_group(process, SIGTERM); // what it started has no one to serve any more
    signal_group(process, SIGCONT);
    deft__alarm_set(process->limit, process->options.last_words_ms);
    tell_if_over(process);
}

static void exit_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    look(poll->data);
}

static void signal_came(uv_signal_t *signal, int number)
{
    (void)number;
    look(signal->data);
}

// --- Its pipes. -----------------------------------------------------------------------------------

static void output_read(void *context, deft_view bytes)
{
    const deft__process *process = context;
    process->options.output(process->options.context, bytes);
}

static void errors_read(void *context, deft_view bytes)
{
    const deft__process *process = context;
    process->options.errors(process->options.context, bytes);
}

static void output_ended(void *context, deft__stream_end end, int code)
{
    (void)end;
    (void)code;
    deft__process *process = context;
    close_stream(&process->output);
    if (process->has_exited) {
        tell_if_over(process);
    } else if (process->phase == STOP_NOT) {
        // Most often its exit is the next thing that we hear. One that was asked to stop has the
        // time that it was given.
        deft__alarm_set(process->limit, process->options.exit_ms);
    }
}

static void errors_ended(void *context, deft__stream_end end, int code)
{
    (void)end;
    (void)code;
    deft__process *process = context;
    close_stream(&process->errors);
    tell_if_over(process);
}

static void input_ended(void *context, deft__stream_end end, int code)
{
    (void)code;
    deft__process *process = context;
    close_stream(&process->input);
    if (end == DEFT__STREAM_FULL) {
        tell(process, DEFT__PROCESS_UNREAD_INPUT, 0);
    }
    // One that has only closed its stdin may still have something to say.
}

void deft__process_write(deft__process *process, deft_view bytes)
{
    if (process->input != NULL) {
        deft__stream_write(process->input, bytes);
    }
}

int deft__process_id(const deft__process *process)
{
    return process->id;
}

// --- Starting. ------------------------------------------------------------------------------------

typedef struct pipes {
    int theirs[3]; // what becomes 0, 1 and 2 of the child; -1: not there
    int ours[3];
} pipes;

static void close_all(int descriptors[3])
{
    for (int i = 0; i < 3; i++) {
        if (descriptors[i] >= 0) {
            close(descriptors[i]);
            descriptors[i] = -1;
        }
    }
}

// A pipe whose ends are above 2, so that none is overwritten while the child's 0 to 2 are set.
static int pipe_above(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    int code = 0;
    for (int i = 0; i < 2; i++) {
        if (ends[i] <= 2) {
            const int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
            code            = moved < 0 ? errno : code;
            close(ends[i]);
            ends[i] = moved;
        }
    }
    return code;
}

static int open_pipes(pipes *all)
{
    *all = (pipes){{-1, -1, -1}, {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        int       ends[2] = {-1, -1};
        const int code    = pipe_above(ends);
        // The child reads its stdin and writes the others.
        all->theirs[i] = ends[i == 0 ? 0 : 1];
        all->ours[i]   = ends[i == 0 ? 1 : 0];
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int prepare(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions,
                   const pipes *all, const char *directory)
{
    sigset_t none;
    sigset_t every;
    sigemptyset(&none);
    sigfillset(&every);
    int code = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
    code     = code != 0 ? code : posix_spawnattr_setpgroup(attributes, 0);
    code     = code != 0 ? code : posix_spawnattr_setsigmask(attributes, &none);
    code     = code != 0 ? code : posix_spawnattr_setsigdefault(attributes, &every);
    for (int i = 0; i < 3 && code == 0; i++) {
        code = posix_spawn_file_actions_adddup2(actions, all->theirs[i], i);
    }
    code = code != 0 ? code : posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (directory != NULL && code == 0) {
        code = posix_spawn_file_actions_addchdir_np(actions, directory);
    }
    return code;
}

// posix_spawn() reports what exec() says: it shares our memory until then, and costs the same
// however much of that there is.
static int spawn(const deft__loop *loop, const deft__command *command,
                 const deft__process_options *options, const pipes *all, pid_t *id)
{
    posix_spawnattr_t          attributes;
    posix_spawn_file_actions_t actions;
    int                        code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        return code;
    }
    code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        posix_spawnattr_destroy(&attributes);
        return code;
    }
    code = prepare(&attributes, &actions, all, options->directory);
    if (code == 0) {
        struct rlimit now = {0};
        if (loop->is_limit_raised && getrlimit(RLIMIT_NOFILE, &now) == 0) {
            setrlimit(RLIMIT_NOFILE, &loop->limit_before);
        }
        code = posix_spawn(id, command->path, &actions, &attributes,
                           (char *const *)(uintptr_t)options->arguments,
                           (char *const *)(uintptr_t)options->environment);
        if (loop->is_limit_raised) {
            setrlimit(RLIMIT_NOFILE, &now);
        }
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static uint64_t or_default(uint64_t value, uint64_t fallback)
{
    return value != 0 ? value : fallback;
}

static deft__process *process_new(deft__loop *loop, const deft__process_options *options,
                                  deft_error *error)
{
    deft__process *process = deft__new(loop->allocator, sizeof *process);
    if (process == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    process->loop                  = loop;
    process->options               = *options;
    process->options.terminate_ms  = or_default(options->terminate_ms, TERMINATE_MS);
    process->options.kill_ms       = or_default(options->kill_ms, KILL_MS);
    process->options.last_words_ms = or_default(options->last_words_ms, LAST_WORDS_MS);
    process->options.exit_ms       = or_default(options->exit_ms, EXIT_MS);
    process->pidfd                 = -1;
    process->alarm                 = deft__alarm_new(loop, next_phase, process);
    process->limit                 = deft__alarm_new(loop, limit_reached, process);
    if (process->alarm == NULL || process->limit == NULL) {
        deft__fail_memory(error);
        deft__process_free(process);
        return NULL;
    }
    return process;
}

// Opens the streams over our ends of the pipes, which become theirs. DEFT_OK or why not.
static deft_status open_streams(deft__process *process, pipes *all, deft_error *error)
{
    const deft__stream_options options[3] = {
        {.context = process, .ended = input_ended, .queue_max = process->options.queue_max},
        {.context = process, .read = output_read, .ended = output_ended},
        {.context = process, .read = errors_read, .ended = errors_ended}};
    deft__stream **const streams[3] = {&process->input, &process->output, &process->errors};
    for (int i = 0; i < 3; i++) {
        *streams[i]  = deft__stream_new(process->loop, all->ours[i], &options[i], error);
        all->ours[i] = -1;
        if (*streams[i] == NULL) {
            return DEFT_INVALID;
        }
    }
    return DEFT_OK;
}

static bool has_pidfd(void)
{
    const int pidfd = pidfd_open(getpid(), 0);
    if (pidfd >= 0) {
        close(pidfd);
    }
    return pidfd >= 0 || (errno != ENOSYS && errno != EPERM);
}

// Before it is started: it may exit at once, and its signal must find us listening. 0, or an error
// number.
static int listen_for_exit(deft__process *process)
{
    process->exit.any.data = process;
    int code               = uv_signal_init(&process->loop->uv, &process->exit.signal);
    if (code == 0) {
        process->has_exit = true;
        code              = uv_signal_start(&process->exit.signal, signal_came, SIGCHLD);
    }
    return -code;
}

// After it was started: with a descriptor. 0, or an error number.
static int poll_for_exit(deft__process *process, pid_t id)
{
    process->pidfd = pidfd_open(id, 0);
    if (process->pidfd < 0) {
        return errno;
    }
    const int code = uv_poll_init(&process->loop->uv, &process->exit.poll, process->pidfd);
    if (code != 0) {
        close(process->pidfd);
        process->pidfd = -1;
        return -code;
    }
    process->has_exit      = true;
    process->exit.any.data = process;
    return -uv_poll_start(&process->exit.poll, UV_READABLE, exit_ready);
}

// Starts it and follows it. False: why not is in `error`.
static bool start(deft__process *process, const deft__command *command, const pipes *all,
                  deft_error *error)
{
    const bool is_by_signal = process->options.is_by_signal || !has_pidfd();
    pid_t      id           = 0;
    int        code         = is_by_signal ? listen_for_exit(process) : 0;
    if (code == 0) {
        code = spawn(process->loop, command, &process->options, all, &id);
        if (code != 0) {
            deft__command_fail(command, code, error);
            return false;
        }
        code = is_by_signal ? 0 : poll_for_exit(process, id);
    }
    if (code != 0) {
        if (id > 0) { // it is ours to end
            kill(-id, SIGKILL);
            waitpid(id, NULL, 0);
        }
        deft__fail_system(error, code, "could not follow a process");
        return false;
    }
    process->id = id;
    return true;
}

deft__process *deft__process_start(deft__loop *loop, const deft__process_options *options,
                                   deft_error *error)
{
    deft__command  command;
    pipes          all     = {{-1, -1, -1}, {-1, -1, -1}};
    deft__process *process = NULL;
    if (deft__command_find(options->arguments[0], options->environment, options->directory,
                           &command, error) != DEFT_OK) {
        return NULL;
    }
    process = process_new(loop, options, error);
    if (process == NULL) {
        return NULL;
    }
    const int code = open_pipes(&all);
    if (code != 0) {
        deft__fail_system(error, code, "could not make pipes to a server");
        goto failed;
    }
    if (open_streams(process, &all, error) != DEFT_OK) {
        goto failed;
    }
    if (!start(process, &command, &all, error)) {
        goto failed;
    }
    close_all(all.theirs);
    return process;

failed:
    close_all(all.theirs);
    close_all(all.ours);
    deft__process_free(process);
    return NULL;
}

void deft__process_free(deft__process *process)
{
    if (process == NULL) {
        return;
    }
    assert(!process->is_freed);
    process->is_freed = true;
    process->has_told = true;
    close_stream(&process->input);
    close_stream(&process->output);
    close_stream(&process->errors);
    deft__alarm_free(process->alarm);
    deft__alarm_free(process->limit);
    if (process->id == 0 && process->has_exit) { // it was never started, as in the next case
        uv_close(&process->exit.any, give_back);
        if (process->pidfd >= 0) {
            close(process->pidfd);
        }
    } else if (process->id == 0) {
        deft__free(process->loop->allocator, process, sizeof *process);
    } else if (process->has_exited) {
        reap(process);
    } else {
        signal_group(process, SIGKILL); // look() does the rest
    }
}
