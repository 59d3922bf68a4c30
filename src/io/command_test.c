// Why a command cannot be run, in words that help.
#include "io/command.h"

#include "deft/view.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/deft-command-XXXXXX";

static void make_file(const char *name, mode_t mode)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\n", file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/bin", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    make_file("bin/tool", 0700);
    make_file("bin/plain", 0600);
    make_file("server", 0700);
    make_file("text", 0600);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"bin/tool", "bin/plain", "server", "text"};
    char                     path[PATH_MAX];
    for (size_t i = 0; i < array_size(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/bin", folder);
    rmdir(path);
    return rmdir(folder);
}

// FOLDER stands for the folder of the test.
static const struct {
    const char *name;
    const char *command;
    const char *path;      // NULL: no PATH at all
    const char *directory; // NULL: ours
    const char *result;    // a path, or the message
    deft_status status;
} cases[] = {
    {"found in PATH", "tool", "PATH=/nowhere:FOLDER/bin:/bin", NULL, "FOLDER/bin/tool", DEFT_OK},
    {"found without PATH", "sh", NULL, NULL, "/usr/bin/sh", DEFT_OK},
    {"a path is a path", "FOLDER/server", "PATH=/bin", NULL, "FOLDER/server", DEFT_OK},
    {"a relative path starts in the directory", "./server", "PATH=/bin", "FOLDER", "./server",
     DEFT_OK},
    {"a relative folder of PATH starts in the directory", "tool", "PATH=bin", "FOLDER", "bin/tool",
     DEFT_OK},
    {"an empty folder of PATH is the directory", "server", "PATH=/nowhere:", "FOLDER", "server",
     DEFT_OK},
    {"nowhere in PATH", "no-such-tool", "PATH=FOLDER/bin", NULL,
     "command 'no-such-tool' was not found; install it, or give its full path", DEFT_NOT_FOUND},
    {"no command at all", "", "PATH=/bin", NULL,
     "command '' was not found; install it, or give its full path", DEFT_NOT_FOUND},
    {"no such file", "FOLDER/none", "PATH=/bin", NULL,
     "command 'FOLDER/none' was not found; there is no such file", DEFT_NOT_FOUND},
    {"a directory", "FOLDER/bin", "PATH=/bin", NULL,
     "command 'FOLDER/bin' is a directory, not a program", DEFT_INVALID},
    {"not executable", "FOLDER/text", "PATH=/bin", NULL,
     "command 'FOLDER/text' may not be executed; `chmod +x` would allow it", DEFT_INVALID},
    {"only a plain file in PATH", "plain", "PATH=/nowhere:FOLDER/bin", NULL,
     "command 'FOLDER/bin/plain' may not be executed; `chmod +x` would allow it", DEFT_INVALID},
    {"no such directory to run in", "sh", "PATH=/bin", "FOLDER/none",
     "its directory 'FOLDER/none' does not exist", DEFT_NOT_FOUND},
    {"a file to run in", "sh", "PATH=/bin", "FOLDER/text",
     "its directory 'FOLDER/text' is not a directory", DEFT_INVALID},
};

// `text` with FOLDER replaced.
static const char *in_folder(const char *text, char result[PATH_MAX])
{
    const char *place = text != NULL ? strstr(text, "FOLDER") : NULL;
    if (place == NULL) {
        return text;
    }
    snprintf(result, PATH_MAX, "%.*s%s%s", (int)(place - text), text, folder, place + 6);
    return result;
}

static void commands(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        char              a[PATH_MAX], b[PATH_MAX], c[PATH_MAX], d[PATH_MAX];
        const char *const environment[] = {"X=1", in_folder(cases[i].path, a), NULL};
        deft__command     command;
        deft_error        error = DEFT_ERROR_INIT;
        const deft_status status =
            deft__command_find(in_folder(cases[i].command, b), environment,
                               in_folder(cases[i].directory, c), &command, &error);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(status == DEFT_OK ? command.path : error.message,
                            in_folder(cases[i].result, d));
    }
}

static void names_may_be_too_long(void **state)
{
    (void)state;
    char name[PATH_MAX + 10];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1]           = '\0';
    const char *const environment[] = {"PATH=/bin", NULL};
    deft__command     command;
    assert_int_equal(deft__command_find(name, environment, NULL, &command, NULL), DEFT_NOT_FOUND);
    name[0] = '/';
    assert_int_equal(deft__command_find(name, environment, NULL, &command, NULL), DEFT_NOT_FOUND);
    name[0] = '.';
    name[1] = '/';
    assert_int_equal(deft__command_find(name, environment, "/tmp", &command, NULL), DEFT_NOT_FOUND);
}

static const struct {
    int         code;
    const char *message;
} failures[] = {
    {ENOENT, "command '/x/server' could not be started: the interpreter in its first line (#!) was "
             "not found"},
    {ENOEXEC, "command '/x/server' is not a program for this machine, nor a script with a first "
              "line (#!)"},
    {E2BIG, "command '/x/server' could not be started: argument list too long"},
};

static void failures_of_exec(void **state)
{
    (void)state;
    const deft__command command = {"/x/server"};
    for (size_t i = 0; i < array_size(failures); i++) {
        deft_error error = DEFT_ERROR_INIT;
        assert_int_equal(deft__command_fail(&command, failures[i].code, &error), DEFT_INVALID);
        assert_string_equal(error.message, failures[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands),
        cmocka_unit_test(names_may_be_too_long),
        cmocka_unit_test(failures_of_exec),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
