/* cli/options/options.c - parse a command line by the tables of a verb. */
#include "options/options.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "credence/model.h"
#include "credence/spec.h"
#include "out/out.h"
#include "session/team.h"
#include "session/reserve.h"
#include "verbs/verbs.h"

/* --- the tables of a verb ----------------------------------------------------------------- */

static bool each_in(const option_group *group, option_visit visit, void *context)
{
    for (const option *o = group->options; o->name != NULL; o++)
        if (!visit(context, group, o))
            return false;
    return true;
}

void option_each(const verb *v, option_visit visit, void *context)
{
    for (const option_group *const *group = v->options; *group != NULL; group++)
        if (!each_in(*group, visit, context))
            return;
    each_in(&common_options, visit, context);
}

typedef struct search {
    const char *name;
    size_t size; /* where the name ends */
    char letter;
    const option *found;
    cr_nearest near;
} search;

static bool matches(void *context, const option_group *group, const option *o)
{
    search *s = context;

    (void)group;
    if (s->letter != 0 ? o->letter == s->letter
                       : strlen(o->name) == s->size && memcmp(o->name, s->name, s->size) == 0)
        s->found = o;
    else if (s->near.wanted != NULL)
        cr_nearest_offer(&s->near, o->name);
    return s->found == NULL;
}

const option *option_find(const verb *v, const char *name)
{
    search s = {.name = name, .size = strlen(name)};

    option_each(v, matches, &s);
    return s.found;
}

/* --- values ------------------------------------------------------------------------------- */

static bool read_count(const char *text, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* 1500, 1.5G, 512 MiB: K, M, G and T are powers of 1024. */
static bool read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    double size;
    char *end;
    const char *unit;

    if (*text < '0' || *text > '9')
        return false;
    size = strtod(text, &end);
    end += strspn(end, " ");
    if (*end != '\0' && (unit = strchr(units, *end & ~0x20)) != NULL && *unit != '\0') {
        size = ldexp(size, 10 * (int)(unit - units + 1));
        end++;
        end += *end == 'i';
    }
    end += *end == 'B' || *end == 'b';
    if (*end != '\0' || !(size >= 1) || size >= 0x1p63)
        return false;
    *out = (uint64_t)size;
    return true;
}

static bool read_choice(const char *text, const char *choices)
{
    size_t size = strlen(text);

    while (size != 0) {
        size_t word = strcspn(choices, "|");

        if (word == size && memcmp(choices, text, size) == 0)
            return true;
        if (choices[word] == '\0')
            return false;
        choices += word + 1;
    }
    return false;
}

static bool read_byte(const char *text, char *out)
{
    static const struct {
        const char *name;
        char byte;
    } named[] = {{"tab", '\t'},      {"\\t", '\t'},  {"comma", ','},
                 {"semicolon", ';'}, {"space", ' '}, {"pipe", '|'}};

    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(text, named[i].name) == 0) {
            *out = named[i].byte;
            return true;
        }
    *out = text[0];
    return text[0] != '\0' && text[1] == '\0' && (unsigned char)text[0] < 0x80;
}

/* The form the value must have, or NULL if it has it. */
static const char *fault_of(const option *o, const char *value)
{
    uint64_t number;
    char byte;

    switch (o->kind) {
    case OPTION_COUNT: return read_count(value, &number) ? NULL : "a whole number";
    case OPTION_SIZE: return read_size(value, &number) ? NULL : "a size such as 800M or 1.5G";
    case OPTION_CHOICE: return read_choice(value, o->value) ? NULL : o->value;
    case OPTION_BYTE:
        return read_byte(value, &byte)
                   ? NULL
                   : "one ASCII character, tab, comma, semicolon, space or pipe";
    case OPTION_PAIR: return strchr(value, '=') != NULL && value[0] != '=' ? NULL : o->value;
    default: return NULL;
    }
}

/* --- parsing ------------------------------------------------------------------------------ */

static const char of_the_model[] =
    "target, weight and kinds of columns are the model's, as it was trained";

static int add_setting(request *r, const option *o, const char *value)
{
    const char *wanted = value != NULL ? fault_of(o, value) : NULL;

    if (wanted != NULL)
        return misuse(NULL, "--%s takes %s, not '%s'", o->name, wanted, value);
    r->settings = reserve_more(r->settings, r->setting_count + 1, sizeof *r->settings);
    r->settings[r->setting_count++] = (setting){o, value};
    return EXIT_DONE;
}

static bool has_group(const verb *v, const option_group *wanted)
{
    for (const option_group *const *group = v->options; *group != NULL; group++)
        if (*group == wanted)
            return true;
    return false;
}

/* Whether the option is about columns and the verb reads them from a model. */
static bool left_to_the_model(const verb *v, search s)
{
    each_in(&column_options, matches, &s);
    each_in(&basis_options, matches, &s);
    return s.found != NULL && has_group(v, &data_options) && !has_group(v, &column_options);
}

/* Whether -p of the verb can set a knob of this name, of any learner. */
static bool is_knob(const verb *v, const char *name)
{
    const char *learner;
    cr_knob knob;

    if (option_find(v, "param") == NULL)
        return false;
    for (size_t l = 0; (learner = cr_learner_name(l)) != NULL; l++)
        for (size_t i = 0; cr_learner_knob(learner, i, &knob) == CR_OK; i++)
            if (strcmp(knob.name, name) == 0)
                return true;
    return strcmp(name, "calibrate") == 0;
}

/* The option of the verb that other programs call by this name, or NULL. */
static const char *called_here(const verb *v, const char *name)
{
    static const char *const words[][2] = {
        {"label", "target"},        {"response", "target"},  {"class", "target"},
        {"algorithm", "model"},     {"classifier", "model"}, {"learner", "model"},
        {"separator", "delimiter"}, {"sep", "delimiter"},    {"na", "missing"},
        {"exclude", "ignore"},      {"drop", "ignore"},      {"threshold", "cost"},
        {"probabilities", "proba"}, {"test-size", "split"},  {"random-state", "seed"},
        {"jobs", "threads"},        {"loss", "cost"},        {"save", "output"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], name) == 0 && option_find(v, words[i][1]) != NULL)
            return words[i][1];
    return NULL;
}

/* "credence plot, learn have that option", where other verbs have it: as many as there is room for.
 */
static void name_verbs(char *out, size_t size, const char *name)
{
    char list[100] = "";
    size_t used = 0;
    const verb *v;

    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        if (option_find(v, name) != NULL && used + strlen(v->name) + 3 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     v->name);
    if (used > 0)
        snprintf(out, size, "that is an option of credence %s", list);
}

/* An option that this verb lacks: it may be a knob, an option of another verb, or mistyped. */
static int unknown_option(const verb *v, const char *name, size_t size)
{
    char typed[64], hint[160];
    search s = {.near = {.wanted = typed}};

    snprintf(typed, sizeof typed, "%.*s", (int)(size < 60 ? size : 60), name);
    s.name = typed;
    s.size = strlen(typed);
    if (left_to_the_model(v, s))
        return misuse(of_the_model, "%s has no option --%s", v->name, typed);
    option_each(v, matches, &s);
    snprintf(hint, sizeof hint, "credence %s --help lists its options", v->name);
    if (called_here(v, typed) != NULL) {
        snprintf(hint, sizeof hint, "did you mean --%s?", called_here(v, typed));
    } else if (is_knob(v, typed)) {
        snprintf(hint, sizeof hint, "that is a knob: -p %s=VALUE", typed);
    } else if (s.near.best != NULL) {
        snprintf(hint, sizeof hint, "did you mean --%s?", s.near.best);
    } else {
        name_verbs(hint, sizeof hint, typed);
    }
    return misuse(hint, "%s has no option --%s", v->name, typed);
}

/* Whether a word is an option of the verb: --name, --name=VALUE, -x, or letters joined as in -qo.
 * No option begins with a digit, so that -1 is a number. */
static bool is_option(const verb *v, const char *word)
{
    search s = {.name = word + 2};

    if (word[0] != '-' || word[1] == '\0')
        return false;
    if (word[1] == '-') {
        s.size = strcspn(s.name, "=");
        option_each(v, matches, &s);
        return s.found != NULL;
    }
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        s = (search){.letter = *letter};
        option_each(v, matches, &s);
        if (s.found == NULL || (s.found->kind != OPTION_FLAG && letter[1] != '\0'))
            return false;
    }
    return true;
}

/* The value of an option is the next word, unless that is an option itself: it was forgotten
 * then. */
static int add_next(request *r, const option *o, char **argv, int argc, int *at)
{
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    char hint[160];

    snprintf(hint, sizeof hint,
             "--%s %s; a value that looks like an option is joined to it: --%s=", o->name, o->value,
             o->name);
    if (next != NULL && is_option(r->verb, next))
        return misuse(hint, "--%s needs a value, and %s is an option", o->name, next);
    ++*at;
    return add_setting(r, o, next);
}

/* -1.5 and -.5 are negative numbers: no option begins with a digit. */
static bool is_operand(const char *word)
{
    return word[0] != '-' || word[1] == '\0' || strchr(".0123456789", word[1]) != NULL;
}

/* A flag. One that may have a value takes it after = only; another word is an operand, and must
 * then be a file: --keep id,name means --keep=id,name. */
static int add_flag(request *r, const option *o, const char *next)
{
    char hint[160];

    if (o->value == NULL || next == NULL || !is_operand(next) || strchr(next, ',') == NULL ||
        access(next, F_OK) == 0)
        return add_setting(r, o, NULL);
    snprintf(hint, sizeof hint, "a value is joined to this option: --%s=%.80s", o->name, next);
    return misuse(hint, "there is no file '%s'", next);
}

static int parse_long(request *r, char **argv, int argc, int *at)
{
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    search s = {.name = name, .size = equals != NULL ? (size_t)(equals - name) : strlen(name)};

    option_each(r->verb, matches, &s);
    if (s.found == NULL)
        return unknown_option(r->verb, name, s.size);
    if (s.found->kind == OPTION_FLAG && s.found->value != NULL && equals != NULL)
        return add_setting(r, s.found, equals + 1);
    if (s.found->kind == OPTION_FLAG && equals != NULL)
        return misuse(NULL, "--%s takes no value", s.found->name);
    if (s.found->kind == OPTION_FLAG)
        return add_flag(r, s.found, *at + 1 < argc ? argv[*at + 1] : NULL);
    if (equals != NULL)
        return add_setting(r, s.found, equals + 1);
    if (*at + 1 >= argc)
        return misuse(NULL, "--%s needs a value: --%s %s", name, name, s.found->value);
    return add_next(r, s.found, argv, argc, at);
}

/* -q, -qo FILE, -oFILE: flags may be joined, the last may have a value. */
static int parse_short(request *r, char **argv, int argc, int *at)
{
    for (const char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
        search s = {.letter = *letter};
        char hint[80];
        int code;

        option_each(r->verb, matches, &s);
        if (s.found == NULL) {
            snprintf(hint, sizeof hint, "credence %s --help lists its options", r->verb->name);
            return misuse(left_to_the_model(r->verb, s) ? of_the_model : hint,
                          "%s has no option -%c", r->verb->name, *letter);
        }
        if (s.found->kind != OPTION_FLAG) {
            if (letter[1] != '\0')
                return add_setting(r, s.found, letter + 1);
            if (*at + 1 >= argc)
                return misuse(NULL, "-%c needs a value: -%c %s", *letter, *letter, s.found->value);
            return add_next(r, s.found, argv, argc, at);
        }
        code = add_flag(r, s.found, letter[1] == '\0' && *at + 1 < argc ? argv[*at + 1] : NULL);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

/* Options that take effect before the verb runs. */
static int settle(request *r)
{
    const char *colour = option_text(r, "color");
    uint64_t threads = option_count(r, "threads", 0);

    out_setup(colour != NULL ? colour : "auto", option_given(r, "quiet"));
    r->json = option_given(r, "json");
    r->csv = option_given(r, "csv");
    if (r->json && r->csv)
        return misuse(NULL, "--json and --csv exclude each other");
    if (threads > 4096)
        return misuse(NULL, "--threads takes at most 4096");
    r->run.threads = (int)threads;
    r->run.seed = option_count(r, "seed", 0);
    r->run.memory = option_count(r, "memory", 0);
    team_configure(option_find(r->verb, "local") != NULL && option_given(r, "local"),
                   option_find(r->verb, "checkpoint") != NULL ? option_text(r, "checkpoint")
                                                              : NULL);
    r->run.team = team_of_process();
    return EXIT_DONE;
}

static int check_operands(const request *r)
{
    const verb *v = r->verb;
    char hint[160];

    snprintf(hint, sizeof hint, "usage: credence %s [OPTION...] %s", v->name, v->operands);
    if (r->operand_count < v->least)
        return misuse(hint, "%s needs %s", v->name, v->operands);
    if (r->operand_count > v->most)
        return misuse(hint, "%s does not know what to do with '%s'", v->name, r->operands[v->most]);
    return EXIT_DONE;
}

int request_parse(request *r, const verb *v, int argc, char **argv)
{
    bool only_operands = false;
    int code = EXIT_DONE;

    *r = (request){.verb = v};
    r->operands = reserve((size_t)argc + 1, sizeof *r->operands);
    for (int i = 0; i < argc && code == EXIT_DONE; i++) {
        if (only_operands || is_operand(argv[i]))
            r->operands[r->operand_count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (argv[i][1] == '-')
            code = parse_long(r, argv, argc, &i);
        else
            code = parse_short(r, argv, argc, &i);
    }
    if (code == EXIT_DONE)
        code = settle(r);
    if (code == EXIT_DONE && !option_given(r, "help"))
        code = check_operands(r);
    return code;
}

void request_free(request *r)
{
    free(r->settings);
    free(r->operands);
}

/* --- what was given ----------------------------------------------------------------------- */

static const setting *last_setting(const request *r, const char *name)
{
    assert(option_find(r->verb, name) != NULL);
    for (size_t i = r->setting_count; i-- > 0;)
        if (strcmp(r->settings[i].option->name, name) == 0)
            return &r->settings[i];
    return NULL;
}

bool option_given(const request *r, const char *name)
{
    return last_setting(r, name) != NULL;
}

const char *option_text(const request *r, const char *name)
{
    const setting *s = last_setting(r, name);

    return s != NULL ? s->value : NULL;
}

uint64_t option_count(const request *r, const char *name, uint64_t otherwise)
{
    const setting *s = last_setting(r, name);

    if (s == NULL)
        return otherwise;
    if (s->option->kind == OPTION_SIZE)
        read_size(s->value, &otherwise);
    else
        read_count(s->value, &otherwise);
    return otherwise;
}

char option_byte(const request *r, const char *name)
{
    const setting *s = last_setting(r, name);
    char byte = 0;

    if (s != NULL)
        read_byte(s->value, &byte);
    return byte;
}

const char **option_pairs(const request *r, const char *name, size_t *count)
{
    const char **pairs = reserve(r->setting_count, sizeof *pairs);

    *count = 0;
    for (size_t i = 0; i < r->setting_count; i++)
        if (strcmp(r->settings[i].option->name, name) == 0)
            pairs[(*count)++] = r->settings[i].value;
    return pairs;
}

cr_on_error read_on_error(const request *r)
{
    const bool asked = option_find(r->verb, "on-error") != NULL;
    const char *what = asked ? option_text(r, "on-error") : NULL;

    return what == NULL || strcmp(what, "stop") == 0 ? CR_ON_ERROR_STOP
           : strcmp(what, "skip") == 0               ? CR_ON_ERROR_SKIP
                                                     : CR_ON_ERROR_ROW;
}
