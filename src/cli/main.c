// The program: reads its arguments, runs one command of the table, writes what it gathered.
#include "cli/cli.h"
#include "cli/help.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

// A file that is opened while stdin, stdout or stderr is closed would take its place, and a message
// would be written into it. So the places are filled first: reading and writing there still fails,
// as it should.
static void fill_standard_descriptors(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) == -1) {
            (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static int run(deft__cli *cli)
{
    const deft__command *command = cli->invocation.command;
    if (deft__invocation_has(&cli->invocation, DEFT__FLAG_VERSION)) {
        return deft__command_version(cli);
    } else if (command == NULL) {
        deft__help_write(&cli->output.text);
        return DEFT__EXIT_FOUND;
    } else if (deft__invocation_has(&cli->invocation, DEFT__FLAG_HELP)) {
        deft__help_write_command(&cli->output.text, command);
        return DEFT__EXIT_FOUND;
    } else {
        return command->run(cli);
    }
}

int main(int argument_count, char **arguments)
{
    fill_standard_descriptors();
    // A reader that goes away shows as EPIPE then, which is not an error.
    (void)signal(SIGPIPE, SIG_IGN);

    deft__cli  cli;
    deft_error error = DEFT_ERROR_INIT;
    deft__output_init(&cli.output);
    deft__invocation_init(&cli.invocation);
    const size_t word_count = argument_count > 0 ? (size_t)argument_count - 1 : 0;
    int          exit_code  = DEFT__EXIT_WRONG;
    if (deft__invocation_parse(&cli.invocation, word_count, (const char *const *)arguments + 1,
                               &error) == DEFT_OK) {
        cli.output.is_quiet   = deft__invocation_has(&cli.invocation, DEFT__FLAG_QUIET);
        cli.output.is_verbose = deft__invocation_has(&cli.invocation, DEFT__FLAG_VERBOSE);
        exit_code             = run(&cli);
        exit_code             = deft__output_finish(&cli.output, exit_code);
    } else {
        deft__complain(&cli.output, "%s", error.message);
        const deft__command *command = cli.invocation.command;
        deft__complain(&cli.output, "'deft help%s%s' lists what there is",
                       command != NULL ? " " : "", command != NULL ? command->name : "");
    }
    deft__invocation_clear(&cli.invocation);
    deft__output_clear(&cli.output);
    return exit_code;
}
