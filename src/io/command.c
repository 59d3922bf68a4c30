#include "io/command.h"

#include "base/fail.h"
#include "deft/view.h"
#include "io/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// What exec() searches where PATH is not set.
static const char path_default[] = "/usr/local/bin:/usr/bin:/bin";

static const char *quote_text(deft__quoted *quoted, const char *text)
{
    return deft__quote(quoted, deft_view_of(text));
}

static const char *search_path(const char *const *environment)
{
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, "PATH=", 5) == 0) {
            return *environment + 5;
        }
    }
    return path_default;
}

// Where a path leads from `directory`; false: it is too long.
static bool join(const char *directory, const char *path, char joined[PATH_MAX])
{
    const bool is_alone = directory == NULL || path[0] == '/';
    const int  size =
        snprintf(joined, PATH_MAX, "%s%s%s", is_alone ? "" : directory, is_alone ? "" : "/", path);
    return size >= 0 && size < PATH_MAX;
}

typedef enum find_kind {
    FIND_MISSING,
    FIND_DIRECTORY,
    FIND_NOT_EXECUTABLE,
    FIND_GOOD
} find_kind;

static find_kind look_at(const char *directory, const char *path)
{
    char        joined[PATH_MAX];
    struct stat about;
    if (!join(directory, path, joined) || stat(joined, &about) != 0) {
        return FIND_MISSING;
    } else if (S_ISDIR(about.st_mode)) {
        return FIND_DIRECTORY;
    } else if (faccessat(AT_FDCWD, joined, X_OK, AT_EACCESS) != 0) {
        return FIND_NOT_EXECUTABLE;
    } else {
        return FIND_GOOD;
    }
}

// Tries every folder of PATH. What is found but cannot be run is remembered and passed over, as the
// shell does it.
static find_kind search(const char *name, const char *path, const char *directory,
                        deft__command *command)
{
    find_kind best = FIND_MISSING;
    while (best != FIND_GOOD) {
        const size_t size = strcspn(path, ":");
        char         try[PATH_MAX];
        const int    try_size =
            snprintf(try, sizeof try, "%.*s%s%s", (int)size, path, size > 0 ? "/" : "",
                     name); // an empty folder is the present one
        const find_kind kind = try_size < (int)sizeof try ? look_at(directory, try) : FIND_MISSING;
        if (kind == FIND_GOOD || (kind == FIND_NOT_EXECUTABLE && best == FIND_MISSING)) {
            memcpy(command->path, try, (size_t)try_size + 1);
            best = kind;
        }
        if (path[size] == '\0') {
            break;
        }
        path += size + 1;
    }
    return best;
}

static deft_status check_directory(const char *directory, deft_error *error)
{
    struct stat  about;
    deft__quoted quoted;
    if (directory == NULL) {
        return DEFT_OK;
    } else if (stat(directory, &about) != 0) {
        return deft__fail(error, DEFT_NOT_FOUND, 0, "its directory '%s' does not exist",
                          quote_text(&quoted, directory));
    } else if (!S_ISDIR(about.st_mode)) {
        return deft__fail(error, DEFT_INVALID, 0, "its directory '%s' is not a directory",
                          quote_text(&quoted, directory));
    } else {
        return DEFT_OK;
    }
}

deft_status deft__command_find(const char *name, const char *const *environment,
                               const char *directory, deft__command *command, deft_error *error)
{
    const deft_status status = check_directory(directory, error);
    if (status != DEFT_OK) {
        return status;
    }
    deft__quoted quoted;
    const bool   is_path = strchr(name, '/') != NULL;
    find_kind    kind    = FIND_MISSING;
    if (is_path) {
        const int size = snprintf(command->path, sizeof command->path, "%s", name);
        kind           = size < (int)sizeof command->path ? look_at(directory, name) : FIND_MISSING;
    } else if (name[0] != '\0') {
        kind = search(name, search_path(environment), directory, command);
    }

    switch (kind) {
    case FIND_GOOD:
        return DEFT_OK;
    case FIND_DIRECTORY:
        return deft__fail(error, DEFT_INVALID, 0, "command '%s' is a directory, not a program",
                          quote_text(&quoted, name));
    case FIND_NOT_EXECUTABLE:
        return deft__fail(error, DEFT_INVALID, 0,
                          "command '%s' may not be executed; `chmod +x` would allow it",
                          quote_text(&quoted, command->path));
    case FIND_MISSING:
    default:
        return deft__fail(error, DEFT_NOT_FOUND, 0,
                          is_path ? "command '%s' was not found; there is no such file"
                                  : "command '%s' was not found; install it, or give its full path",
                          quote_text(&quoted, name));
    }
}

deft_status deft__command_fail(const deft__command *command, int code, deft_error *error)
{
    deft__quoted quoted;
    const char  *path = quote_text(&quoted, command->path);
    if (code == ENOENT) { // the file was there a moment ago, so it is the one in its first line
        return deft__fail(error, DEFT_INVALID, 0,
                          "command '%s' could not be started: the interpreter in its first line "
                          "(#!) was not found",
                          path);
    } else if (code == ENOEXEC) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "command '%s' is not a program for this machine, nor a script with a "
                          "first line (#!)",
                          path);
    } else {
        char what[200];
        snprintf(what, sizeof what, "command '%s' could not be started", path);
        return deft__fail_system(error, code, what);
    }
}
