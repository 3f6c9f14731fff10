/* cli/help/man.c - man pages in roff, from the table of verbs. */
#include "help/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"

/* Text that roff must not interpret: backslashes, hyphens that must be copied as minus signs, and a
 * control character at the beginning of a line. */
static void plain(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void line(const char *text)
{
    plain(text);
    putchar('\n');
}

static void bold(const char *text)
{
    fputs("\\fB", stdout);
    plain(text);
    fputs("\\fR", stdout);
}

static void title(const char *name)
{
    fputs(".TH \"", stdout);
    for (; *name != '\0'; name++)
        putchar(toupper((unsigned char)*name));
    printf("\" \"1\" \"\" \"credence %s\" \"Credence\"\n", cr_version());
}

static bool man_option(void *context, const option_group *group, const option *o)
{
    const option_group **last = context;
    char name[64];

    if (*last != group) {
        fputs(".SS \"", stdout);
        plain(group->title);
        fputs("\"\n", stdout);
    }
    *last = group;
    fputs(".TP\n", stdout);
    if (o->letter != 0) {
        snprintf(name, sizeof name, "-%c", o->letter);
        bold(name);
        fputs(", ", stdout);
    }
    snprintf(name, sizeof name, "--%s", o->name);
    bold(name);
    if (o->value != NULL) {
        const bool may = o->kind == OPTION_FLAG; /* a value may follow = */

        fputs(may ? "[=\\fI" : " \\fI", stdout);
        plain(o->value);
        fputs(may ? "\\fR]" : "\\fR", stdout);
    }
    putchar('\n');
    line(o->help);
    return true;
}

static void man_end(const char *const *exits)
{
    static const char *const usual[] = {"Done.", "The data, the model or the machine is at fault.",
                                        "The command line is.", NULL};

    fputs(".SH \"EXIT STATUS\"\n", stdout);
    if (exits == NULL)
        exits = usual;
    for (int status = 0; exits[status] != NULL; status++)
        printf(".TP\n%d\n%s\n", status, exits[status]);
    fputs(".SH ENVIRONMENT\n", stdout);
    fputs(".TP\nNO_COLOR\nWhen set and not empty, no colours unless \\fB\\-\\-color\\fR asks for "
          "them.\n.TP\nCOLUMNS\nWidth that tables must fit in, instead of the terminal's.\n",
          stdout);
}

static void man_verb(const verb *v)
{
    const option_group *last = NULL;
    char page[64];

    snprintf(page, sizeof page, "credence-%s", v->name);
    title(page);
    fputs(".SH NAME\n", stdout);
    plain(page);
    fputs(" \\- ", stdout);
    line(v->summary);
    fputs(".SH SYNOPSIS\n", stdout);
    snprintf(page, sizeof page, "credence %s", v->name);
    bold(page);
    fputs(" [\\fIOPTION\\fR...] ", stdout);
    line(v->operands);
    fputs(".SH DESCRIPTION\n", stdout);
    for (const char *const *paragraph = v->about; *paragraph != NULL; paragraph++) {
        char *text = help_expanded(*paragraph);

        if (paragraph != v->about)
            fputs(".PP\n", stdout);
        line(text);
        free(text);
    }
    fputs(".SH OPTIONS\n", stdout);
    option_each(v, man_option, &last);
    fputs(".SH EXAMPLES\n", stdout);
    for (const example *e = v->examples; e->command != NULL; e++) {
        fputs(".PP\n", stdout);
        line(e->comment);
        fputs(".PP\n.RS 4\n.EX\n", stdout);
        line(e->command);
        fputs(".EE\n.RE\n", stdout);
    }
    man_end(v->exits);
    fputs(".SH \"SEE ALSO\"\n.BR credence (1)", stdout);
    for (const char *other = v->see_also; *other != '\0';) {
        int size = (int)strcspn(other, " ");

        printf(",\n.BR credence\\-%.*s (1)", size, other);
        other += size;
        other += *other == ' ';
    }
    putchar('\n');
}

static void man_command(void)
{
    const verb *v;

    title("credence");
    fputs(".SH NAME\ncredence \\- ", stdout);
    line(help_slogan);
    fputs(".SH SYNOPSIS\n\\fBcredence\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
          ".SH DESCRIPTION\n",
          stdout);
    line("Credence learns models from tables, predicts with the probability of every class, "
         "explains its answers, and takes back what it has learned. A model is one file that "
         "keeps exact counts and sums, so it can be merged, corrected and refitted without the "
         "data.");
    fputs(".PP\n", stdout);
    line("DATA is one or more files in any of the formats below, plain or compressed; - and no "
         "file at all are standard input. Results go to standard output as a table for people, "
         "or for programs with --json or --csv; notes and progress go to standard error.");
    fputs(".SH VERBS\n", stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        printf(".TP\n.BR credence\\-%s (1)\n", v->name);
        line(v->summary);
    }
    fputs(".SH FORMATS\n", stdout);
    for (size_t i = 0; cr_source_format_name(i) != NULL; i++) {
        printf(".TP\n.B %s\n", cr_source_format_name(i));
        line(cr_source_format_summary(i));
    }
    man_end(NULL);
}

void help_man(const verb *v)
{
    if (v != NULL)
        man_verb(v);
    else
        man_command();
}
