/* cli/help/help.c - help for people at a terminal. */
#include "help/help.h"

#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "verbs/external.h"

enum { INDENT = 2, TERM = 26, TERM_NARROW = 8, NARROW = 60, WIDEST = 100, USUAL = 80 };

const char help_slogan[] = "learns from tables and texts the Bayesian way and says how sure it is";

size_t help_width(void)
{
    size_t width = out_width();

    return width == 0 ? USUAL : width > WIDEST ? WIDEST : width;
}

/* The column where meanings begin. In a narrow window they go below their terms. */
static size_t meaning_column(void)
{
    return help_width() < NARROW ? TERM_NARROW : TERM;
}

void help_paragraph(const char *text)
{
    putchar('\n');
    text_wrap(stdout, text, 0, 0, help_width());
}

void help_entry(FILE *file, const char *term, const char *meaning)
{
    size_t width = INDENT + text_width(term), column = meaning_column();

    fprintf(file, "%*s%s", INDENT, "", term);
    if (width + 2 > column)
        fprintf(file, "\n%*s", (int)column, "");
    else
        fprintf(file, "%*s", (int)(column - width), "");
    text_wrap(file, meaning, column, column, help_width());
}

static void heading(FILE *file, const char *text)
{
    bool styled = file == stdout;

    fprintf(file, "\n%s%s%s\n", styled ? out_style(STYLE_BOLD) : "", text,
            styled ? out_style(STYLE_NONE) : "");
}

void help_overview(FILE *file)
{
    char slogan[160];
    const external *e;
    const verb *v;

    snprintf(slogan, sizeof slogan, "credence %s %s.", cr_version(), help_slogan);
    text_wrap(file, slogan, 0, 0, help_width());
    heading(file, "Usage");
    fputs("  credence VERB [OPTION...] [FILE...]\n", file);
    heading(file, "Verbs");
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        help_entry(file, v->name, v->summary);
    heading(file, "Programs of their own");
    for (size_t i = 0; (e = external_at(i)) != NULL; i++)
        help_entry(file, e->name, e->summary);
    heading(file, "A first walk");
    fputs("  credence train -o iris.model iris.csv          learn the last column\n"
          "  credence test iris.model iris.csv              how good is it?\n"
          "  credence predict --proba iris.model iris.csv   what is each row, how surely?\n"
          "  credence explain --work iris.model iris.csv    why?\n",
          file);
    heading(file, "More");
    help_entry(file, "credence help VERB", "all about a verb, with examples");
    help_entry(file, "credence help knobs", "what -p can turn, with the defaults");
    help_entry(file, "credence help formats", "what DATA can be");
    help_entry(file, "credence help metrics", "what answers are judged by");
}

static const char *help_spelling(const option *o, char *buffer, size_t size)
{
    char letter[8] = "    ";

    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    const bool may = o->kind == OPTION_FLAG && o->value != NULL; /* a value may follow = */

    snprintf(buffer, size, "%s--%s%s%s%s", letter, o->name,
             may                ? "[="
             : o->value != NULL ? " "
                                : "",
             o->value != NULL ? o->value : "", may ? "]" : "");
    return buffer;
}

/* Below -m LEARNER: the learners. */
static void print_learners(void)
{
    const size_t column = meaning_column() + INDENT;
    const char *name;
    char line[200];

    for (size_t i = 0; (name = cr_learner_name(i)) != NULL; i++) {
        snprintf(line, sizeof line, "%s: %s", name, cr_learner_summary(i));
        printf("%*s", (int)column, "");
        text_wrap(stdout, line, column, column + INDENT, help_width());
    }
}

static bool print_option(void *context, const option_group *group, const option *o)
{
    const option_group **last = context;
    char term[96];

    if (*last != group)
        heading(stdout, group->title);
    *last = group;
    help_entry(stdout, help_spelling(o, term, sizeof term), o->help);
    if (strcmp(o->name, "model") == 0 && o->value != NULL && strcmp(o->value, "LEARNER") == 0)
        print_learners();
    return true;
}

static void print_examples(const example *e)
{
    heading(stdout, "Examples");
    for (; e->command != NULL; e++) {
        printf("  %s# ", out_style(STYLE_DIM));
        text_wrap(stdout, e->comment, INDENT + 2, INDENT + 2, help_width());
        printf("%s  %s\n", out_style(STYLE_NONE), e->command);
    }
}

static void print_exits(const char *const *exits)
{
    char status[16];

    heading(stdout, "Exit status");
    for (int i = 0; exits[i] != NULL; i++) {
        snprintf(status, sizeof status, "%d", i);
        help_entry(stdout, status, exits[i]);
    }
}

static void print_see_also(const char *verbs)
{
    heading(stdout, "See also");
    while (*verbs != '\0') {
        int size = (int)strcspn(verbs, " ");

        printf("  credence help %.*s\n", size, verbs);
        verbs += size;
        verbs += *verbs == ' ';
    }
}

void help_verb(const verb *v)
{
    const option_group *last = NULL;

    printf("%scredence %s%s: %s\n", out_style(STYLE_BOLD), v->name, out_style(STYLE_NONE),
           v->summary);
    heading(stdout, "Usage");
    printf("  credence %s [OPTION...] %s\n", v->name, v->operands);
    for (const char *const *paragraph = v->about; *paragraph != NULL; paragraph++) {
        char *text = help_expanded(*paragraph);

        help_paragraph(text);
        free(text);
    }
    option_each(v, print_option, &last);
    if (v->exits != NULL)
        print_exits(v->exits);
    print_examples(v->examples);
    print_see_also(v->see_also);
}

/* --- keys of results ------------------------------------------------------------------------ */

char *help_expanded(const char *text)
{
    static const char mark[] = "{keys ";
    cr_output *out;
    const char *at, *data;
    char *copy, name[64];
    size_t size;

    if (cr_output_new(&out, NULL, NULL, NULL) != CR_OK)
        reserve_failed();
    while ((at = strstr(text, mark)) != NULL) {
        const size_t length = strcspn(at + strlen(mark), "}");

        cr_output_bytes(out, text, (size_t)(at - text));
        snprintf(name, sizeof name, "%.*s", (int)length, at + strlen(mark));
        cr_result_keys(name, out);
        text = at + strlen(mark) + length + 1;
    }
    cr_output_text(out, text);
    if (cr_output_flush(out) != CR_OK)
        reserve_failed();
    data = cr_output_data(out, &size);
    copy = reserve(size + 1, 1);
    memcpy(copy, data, size);
    cr_output_free(out);
    return copy;
}
