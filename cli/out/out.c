/* cli/out/out.c - standard output and standard error of the command. */
#include "out/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "out/hints.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/team.h"

/* Set once, before any thread exists. */
static bool coloured, quiet_asked;
static int failure_status;

void out_fail_as(int status)
{
    failure_status = status;
}

int out_failure(int usual)
{
    return failure_status != 0 ? failure_status : usual;
}

void out_setup(const char *colour, bool quiet)
{
    const char *forbidden = getenv("NO_COLOR"), *terminal = getenv("TERM");

    quiet_asked = quiet;
    if (strcmp(colour, "auto") != 0)
        coloured = strcmp(colour, "always") == 0;
    else
        coloured = out_is_terminal() && (forbidden == NULL || *forbidden == '\0') &&
                   terminal != NULL && strcmp(terminal, "dumb") != 0;
}

/* A standard stream may be closed at the start. No other file may get its descriptor, or output for
 * the stream would go there. Reading from it or writing to it fails. */
static void occupy(int fd, int mode)
{
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
        (void)!open("/dev/null", mode); /* the lowest free descriptor */
}

void out_guard(void)
{
    occupy(STDIN_FILENO, O_WRONLY);
    occupy(STDOUT_FILENO, O_RDONLY);
    occupy(STDERR_FILENO, O_WRONLY);
}

/* Why writing failed: stdio has forgotten the reason, but writing one more byte fails likewise. */
static int write_error(void)
{
    errno = 0;
    clearerr(stdout);
    return putchar('\n') == EOF || fflush(stdout) != 0 ? errno : EIO;
}

/* A failed write is often reported only when the file is closed. */
int out_close(int code)
{
    int failed = ferror(stdout) ? write_error() : 0;

    errno = 0;
    if (fflush(stdout) != 0 || close(STDOUT_FILENO) != 0)
        failed = errno != 0 ? errno : EIO;
    if (failed == 0)
        return code;
    if (failed != EPIPE)
        fprintf(stderr, "credence: standard output: %s\n", strerror(failed));
    return out_failure(code == EXIT_DONE ? EXIT_FAULT : code);
}

bool out_is_terminal(void)
{
    /* In an MPI job, standard output passes through a terminal of mpirun. */
    return team_of_process() == NULL && isatty(STDOUT_FILENO) != 0;
}

bool out_is_quiet(void)
{
    return quiet_asked;
}

size_t out_width(void)
{
    const char *asked = getenv("COLUMNS");
    struct winsize window;

    if (asked != NULL && atoi(asked) >= 20 && atoi(asked) < 10000)
        return (size_t)atoi(asked);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 20)
        return window.ws_col;
    return 0;
}

const char *out_style(style s)
{
    static const char *const sequence[] = {"\033[0m", "\033[1m", "\033[2m", "\033[32m", "\033[31m"};

    return coloured ? sequence[s] : "";
}

void out_line(const char *format, ...)
{
    size_t indent;
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        reserve_failed();
    va_end(args);
    indent = strspn(text, " ");
    printf("%*s", (int)indent, "");
    text_wrap(stdout, text + indent, indent, indent + 2, out_width());
    free(text);
}

/* Text from files may hold control characters, which must not reach a terminal. */
static void say(const char *before, const char *text, const char *after)
{
    char *shown = text_shown(text, 0);

    fprintf(stderr, "%s%s%s", before, shown, after);
    free(shown);
}

PRINTF_LIKE(2, 0)
static void say_formatted(const char *before, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    say(before, text, "\n");
}

void note(const char *format, ...)
{
    va_list args;

    if (quiet_asked)
        return;
    va_start(args, format);
    say_formatted("credence: note: ", format, args);
    va_end(args);
}

void warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_formatted("credence: note: ", format, args);
    va_end(args);
}

int complain(cr_status status, const cr_error *err)
{
    char text[1024];

    fputs("credence: ", stderr);
    if (err->file[0] != '\0') {
        say("", err->file, ":");
        if (err->line != 0)
            fprintf(stderr, "%zu:", err->line);
        if (err->line != 0 && err->column != 0)
            fprintf(stderr, "%zu:", err->column);
        fputc(' ', stderr);
    }
    cr_error_message(err, hint_option, NULL, text, sizeof text);
    say("", text[0] != '\0' ? text : cr_status_text(status), "\n");
    if (err->hint[0] != '\0')
        say("  hint: ", cr_error_hint(err, hint_option, NULL, text, sizeof text), "\n");
    return out_failure(status == CR_EARG ? EXIT_MISUSE : EXIT_FAULT);
}

int misuse(const char *hint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_formatted("credence: ", format, args);
    va_end(args);
    if (hint != NULL)
        say("  hint: ", hint, "\n");
    return out_failure(EXIT_MISUSE);
}
