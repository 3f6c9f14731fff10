/* cli/help/completion.c - completions for bash, zsh and fish, from the table of verbs. */
#include "help/help.h"

#include <string.h>

#include "credence/credence.h"

/* Copy text without the characters that are special in the shell's completion. */
static void harmless(const char *text, const char *special)
{
    for (; *text != '\0'; text++)
        if (strchr(special, *text) == NULL)
            putchar(*text);
}

static bool has_words(const option *o)
{
    return o->kind == OPTION_CHOICE || strcmp(o->name, "format") == 0 ||
           strcmp(o->name, "model") == 0 || strcmp(o->name, "param") == 0;
}

static bool takes_file(const option *o)
{
    return o->kind == OPTION_TEXT && strcmp(o->value, "MODEL") == 0;
}

/* Each word of "one|two|three", with a prefix. */
static void print_choices(const char *before, const char *choices)
{
    while (*choices != '\0') {
        size_t size = strcspn(choices, "|");

        printf("%s%.*s", before, (int)size, choices);
        choices += size;
        choices += *choices == '|';
    }
}

/* Several learners may have a knob of the same name; the first one is used. */
static bool met_before(size_t learner, const char *name)
{
    cr_knob knob;

    for (size_t l = 0; l < learner; l++)
        for (size_t i = 0; cr_learner_knob(cr_learner_name(l), i, &knob) == CR_OK; i++)
            if (strcmp(knob.name, name) == 0)
                return true;
    return false;
}

typedef void (*knob_visit)(const verb *v, const cr_knob *knob);

static void each_knob(const verb *v, knob_visit visit)
{
    const char *learner;
    cr_knob knob;

    for (size_t l = 0; (learner = cr_learner_name(l)) != NULL; l++)
        for (size_t i = 0; cr_learner_knob(learner, i, &knob) == CR_OK; i++)
            if (!met_before(l, knob.name))
                visit(v, &knob);
}

static void print_knob(const verb *v, const cr_knob *knob)
{
    (void)v;
    printf(" %s=", knob->name);
}

/* KEY=VALUE in full, for shells that do not split words at the equals sign. */
static void print_settings(const verb *v, const cr_knob *knob)
{
    char before[80];

    (void)v;
    snprintf(before, sizeof before, " %s=", knob->name);
    if (knob->choices != NULL)
        print_choices(before, knob->choices);
    else
        fputs(before, stdout);
}

/* The words that an option takes, separated by blanks; nothing if it takes any value. */
static void print_words(const option *o, knob_visit settings)
{
    if (o->kind == OPTION_CHOICE)
        for (const char *c = o->value; *c != '\0'; c++)
            putchar(*c == '|' ? ' ' : *c);
    else if (strcmp(o->name, "format") == 0)
        for (size_t i = 0; cr_source_format_name(i) != NULL; i++)
            printf("%s%s", i != 0 ? " " : "", cr_source_format_name(i));
    else if (strcmp(o->name, "model") == 0)
        for (size_t i = 0; cr_learner_name(i) != NULL; i++)
            printf("%s%s", i != 0 ? " " : "", cr_learner_name(i));
    else if (strcmp(o->name, "param") == 0)
        each_knob(NULL, settings);
}

/* --- bash --------------------------------------------------------------------------------- */

static bool bash_name(void *context, const option_group *group, const option *o)
{
    (void)context;
    (void)group;
    if (o->letter != 0)
        printf(" -%c", o->letter);
    printf(" --%s", o->name);
    return true;
}

static bool bash_value(void *context, const option_group *group, const option *o)
{
    const verb *v = *(const verb **)context;

    (void)group;
    if (o->kind == OPTION_FLAG)
        return true;
    printf("    %s:--%s", v->name, o->name);
    if (o->letter != 0)
        printf("|%s:-%c", v->name, o->letter);
    fputs(") words='", stdout);
    print_words(o, print_knob);
    printf("' ;;\n");
    return true;
}

/* Bash splits -p smoothing=none at the equals sign: the word before it is the knob. */
static void bash_choices(const verb *v, const cr_knob *knob)
{
    if (knob->choices == NULL)
        return;
    printf("    %s:%s) words='", v->name, knob->name);
    print_choices(" ", knob->choices);
    fputs("' ;;\n", stdout);
}

static void bash(void)
{
    const verb *v;

    fputs("# bash completion for credence\n_credence()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    local verb=${COMP_WORDS[1]}\n"
          "    COMPREPLY=()\n"
          "    if [[ $cur == = ]]; then\n        cur=\n"
          "    elif [[ $prev == = ]]; then\n        prev=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
          "    if ((COMP_CWORD == 1)); then\n        words='",
          stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        printf("%s%s", i != 0 ? " " : "", v->name);
    fputs("'\n    elif [[ $cur == -* ]]; then\n        case $verb in\n", stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        printf("        %s) words='", v->name);
        option_each(v, bash_name, NULL);
        fputs("' ;;\n", stdout);
    }
    fputs("        esac\n    elif [[ $verb == help ]]; then\n        words='knobs formats metrics",
          stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        printf(" %s", v->name);
    fputs("'\n    else\n        case $verb:$prev in\n", stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        option_each(v, bash_value, &v);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        if (option_find(v, "param") != NULL)
            each_knob(v, bash_choices);
    fputs("        esac\n    fi\n"
          "    [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
          "    return 0\n}\n"
          "complete -o default -F _credence credence\n",
          stdout);
}

/* --- zsh ---------------------------------------------------------------------------------- */

static bool zsh_option(void *context, const option_group *group, const option *o)
{
    bool repeats = o->kind == OPTION_PAIR, flag = o->kind == OPTION_FLAG;

    (void)context;
    (void)group;
    fputs("            ", stdout);
    if (o->letter != 0)
        printf("'%s'{-%c%s,--%s%s}'[", repeats ? "*" : "", o->letter, flag ? "" : "+", o->name,
               flag ? "" : "=");
    else
        printf("'%s--%s%s[", repeats ? "*" : "", o->name, flag ? "" : "=");
    harmless(o->help, "'[]:\\`$");
    putchar(']');
    if (!flag) {
        putchar(':');
        harmless(o->value, "'[]:\\`$");
        putchar(':');
        if (has_words(o)) {
            putchar('(');
            print_words(o, print_settings);
            putchar(')');
        } else {
            fputs(takes_file(o) ? "_files" : " ", stdout);
        }
    }
    fputs("' \\\n", stdout);
    return true;
}

static void zsh(void)
{
    const verb *v;

    fputs("#compdef credence\n\n_credence() {\n    local -a verbs\n    verbs=(\n", stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        printf("        '%s:", v->name);
        harmless(v->summary, "'[]:\\`$");
        fputs("'\n", stdout);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n"
          "        return\n    fi\n    local verb=$words[2]\n"
          "    shift words\n    (( CURRENT-- ))\n    case $verb in\n",
          stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        printf("    %s)\n        _arguments -s \\\n", v->name);
        option_each(v, zsh_option, NULL);
        printf("            '*:%s:%s'\n        ;;\n", v == &verb_help ? "page" : "file",
               v == &verb_help ? "(knobs formats metrics)" : "_files");
    }
    fputs("    esac\n}\n\n_credence \"$@\"\n", stdout);
}

/* --- fish --------------------------------------------------------------------------------- */

static bool fish_option(void *context, const option_group *group, const option *o)
{
    const verb *v = *(const verb **)context;

    (void)group;
    printf("complete -c credence -n '__fish_seen_subcommand_from %s'", v->name);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    printf(" -l %s", o->name);
    if (o->kind != OPTION_FLAG)
        fputs(takes_file(o) ? " -r" : " -x", stdout);
    if (has_words(o)) {
        fputs(" -a '", stdout);
        print_words(o, print_settings);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    harmless(o->help, "'\\");
    fputs("'\n", stdout);
    return true;
}

static void fish(void)
{
    const verb *v;

    fputs("# fish completion for credence\n", stdout);
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++) {
        printf("complete -c credence -n __fish_use_subcommand -f -a %s -d '", v->name);
        harmless(v->summary, "'\\");
        fputs("'\n", stdout);
    }
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        option_each(v, fish_option, &v);
}

bool help_completion(const char *shell)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write();
            return true;
        }
    return false;
}
