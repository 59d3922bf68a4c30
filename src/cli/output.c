#include "cli/output.h"

#include "cli/commands.h"
#include "cli/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_variable_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

static size_t terminal_width(void)
{
    struct winsize size = {.ws_col = 0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    } else {
        return 80;
    }
}

void deft__output_init(deft__output *output)
{
    const char *terminal = getenv("TERM");
    *output              = (deft__output){.is_terminal = isatty(STDOUT_FILENO) == 1};
    deft_buffer_init(&output->text, NULL);
    output->is_colored = output->is_terminal && !is_variable_set("NO_COLOR") && terminal != NULL &&
                         strcmp(terminal, "dumb") != 0;
    output->width = output->is_terminal ? terminal_width() : 0;
}

void deft__output_clear(deft__output *output)
{
    deft_buffer_clear(&output->text);
}

void deft__print(deft__output *output, const char *text)
{
    deft_buffer_append_text(&output->text, text);
}

void deft__color_begin(deft__output *output, deft__color color)
{
    static const char *const codes[] = {"",         "\x1b[1m",  "\x1b[2m",
                                        "\x1b[32m", "\x1b[33m", "\x1b[36m"};
    if (output->is_colored) {
        deft__print(output, codes[color]);
    }
}

void deft__color_end(deft__output *output, deft__color color)
{
    if (output->is_colored && color != DEFT__COLOR_NONE) {
        deft__print(output, "\x1b[0m");
    }
}

void deft__print_colored(deft__output *output, deft__color color, deft_view text)
{
    deft__color_begin(output, color);
    deft_buffer_append(&output->text, text);
    deft__color_end(output, color);
}

void deft__print_result(deft__output *output, deft_buffer *json)
{
    if (json->status != DEFT_OK) {
        output->text.status = json->status;
    } else if (output->is_terminal) {
        deft__append_safe_json(&output->text, deft_buffer_view(json));
    } else {
        deft_buffer_append(&output->text, deft_buffer_view(json));
    }
    deft_buffer_append_byte(&output->text, '\n');
    deft_buffer_clear(json);
}

// All of `text` to a descriptor; the error number, 0 on success.
static int write_all(int descriptor, deft_view text)
{
    while (text.size > 0) {
        const ssize_t written = write(descriptor, text.data, text.size);
        if (written < 0 && errno == EINTR) {
            continue;
        } else if (written < 0) {
            return errno;
        }
        text = deft_view_slice(text, (size_t)written, text.size);
    }
    return 0;
}

DEFT__PRINTF(1, 0) static void speak(const char *format, va_list arguments)
{
    // Long enough for any message of the library with a long path in it; longer ones are cut.
    char message[4096 + DEFT_ERROR_MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, arguments);

    deft_buffer line;
    deft_buffer_init(&line, NULL);
    deft_buffer_append_text(&line, "deft: ");
    deft__append_safe_text(&line, deft_view_of(message));
    deft_buffer_append_byte(&line, '\n');
    // There is nobody left to tell when stderr does not take it.
    (void)write_all(STDERR_FILENO, deft_buffer_view(&line));
    deft_buffer_clear(&line);
}

void deft__complain(const deft__output *output, const char *format, ...)
{
    (void)output;
    va_list arguments;
    va_start(arguments, format);
    speak(format, arguments);
    va_end(arguments);
}

void deft__note(const deft__output *output, const char *format, ...)
{
    if (!output->is_quiet) {
        va_list arguments;
        va_start(arguments, format);
        speak(format, arguments);
        va_end(arguments);
    }
}

void deft__detail(const deft__output *output, const char *format, ...)
{
    if (output->is_verbose) {
        va_list arguments;
        va_start(arguments, format);
        speak(format, arguments);
        va_end(arguments);
    }
}

int deft__output_finish(deft__output *output, int exit_code)
{
    if (output->text.status != DEFT_OK) {
        deft__complain(output, "out of memory");
        return DEFT__EXIT_WRONG;
    }
    const int failure = write_all(STDOUT_FILENO, deft_buffer_view(&output->text));
    if (failure != 0 && failure != EPIPE) {
        deft__complain(output, "cannot write the output: %s", strerror(failure));
        return DEFT__EXIT_WRONG;
    } else {
        return exit_code;
    }
}
