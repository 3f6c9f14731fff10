/* cli/estimate/data.c - read the user's observations and prior. */
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate/estimate.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"

/* --- numbers ------------------------------------------------------------------------------ */

/* A finite decimal number: no hexadecimal, no infinity. */
static bool read_number(const char *text, size_t size, double *out)
{
    char copy[64], *end;

    if (size == 0 || size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (strspn(copy, "0123456789.eE+-") != size)
        return false;
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite(*out);
}

static bool read_fraction(const char *text, double *top, double *bottom)
{
    const char *slash = strchr(text, '/');

    return slash != NULL && read_number(text, (size_t)(slash - text), top) &&
           read_number(slash + 1, strlen(slash + 1), bottom);
}

/* --- samples ------------------------------------------------------------------------------ */

static void add_value(sample *s, double value, double exposure)
{
    if (s->count == s->room) {
        s->room = s->room != 0 ? 2 * s->room : 64;
        s->value = reserve_more(s->value, s->room, sizeof *s->value);
        s->exposure = reserve_more(s->exposure, s->room, sizeof *s->exposure);
    }
    s->value[s->count] = value;
    s->exposure[s->count++] = exposure;
}

/* A name and its index, as the tree stores them. */
typedef struct named {
    char *name;
    size_t index;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static void enter(estimate_data *d, size_t index, const char *name)
{
    named *e = reserve(1, sizeof *e);

    *e = (named){reserve_text(name), index};
    d->outcome[index] = e->name;
    if (tsearch(e, &d->by_name, by_name) == NULL)
        reserve_failed();
}

static named *find_name(const estimate_data *d, const char *name)
{
    const named wanted = {.name = (char *)name};
    named *const *found = tfind(&wanted, &d->by_name, by_name);

    return found != NULL ? *found : NULL;
}

static void free_name(void *item)
{
    free(((named *)item)->name);
    free(item);
}

bool estimate_has_outcome(const estimate_data *d, const char *name)
{
    return find_name(d, name) != NULL;
}

size_t estimate_outcome(estimate_data *d, const char *name)
{
    const named *known = find_name(d, name);

    if (known != NULL)
        return known->index;
    if ((d->outcomes & (d->outcomes - 1)) == 0) /* grows by doubling: 0, 1, 2, 4 ... */
        d->outcome = reserve_more(d->outcome, 2 * d->outcomes + 1, sizeof *d->outcome);
    enter(d, d->outcomes, name);
    return d->outcomes++;
}

void estimate_rename(estimate_data *d, size_t index, const char *name)
{
    named *old = find_name(d, d->outcome[index]);

    tdelete(old, &d->by_name, by_name);
    free_name(old);
    enter(d, index, name);
}

static void count_outcome(estimate_data *d, sample *s, const char *name, double count)
{
    size_t i = estimate_outcome(d, name);

    while (s->count <= i)
        add_value(s, 0, 1);
    s->value[i] += count;
}

static sample *find_sample(estimate_data *d, const char *name, size_t size)
{
    for (size_t i = 0; i < d->samples; i++)
        if (strlen(d->sample[i].name) == size && memcmp(d->sample[i].name, name, size) == 0)
            return &d->sample[i];
    if (d->samples == 2)
        return NULL;
    d->sample[d->samples].name = strndup(name, size);
    if (d->sample[d->samples].name == NULL)
        reserve_failed();
    return &d->sample[d->samples++];
}

sample *estimate_only_sample(estimate_data *d)
{
    return find_sample(d, "", 0);
}

/* --- operands ----------------------------------------------------------------------------- */

/* A sequence such as HHTHT: capital letters only, each the name of an outcome. A coin has two sides
 * even if only one came up. */
static bool take_sequence(estimate_data *d, sample *s, const char *text)
{
    char name[2] = "";

    if (strlen(text) < 2 || strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(text))
        return false;
    if (strspn(text, "HT") == strlen(text)) {
        count_outcome(d, s, "H", 0);
        count_outcome(d, s, "T", 0);
    }
    for (; *text != '\0'; text++) {
        name[0] = *text;
        count_outcome(d, s, name, 1);
    }
    return true;
}

/* NAME=COUNT, K/N for K successes among N, or a sequence. */
static int take_share(estimate_data *d, sample *s, const char *text)
{
    const char *equals = strrchr(text, '=');
    double count, of;
    char *name;

    if (read_fraction(text, &count, &of)) {
        if (!(count >= 0 && count <= of))
            return misuse(NULL, "'%s' should be successes out of trials, such as 51/100", text);
        count_outcome(d, s, "yes", count);
        count_outcome(d, s, "no", of - count);
        return EXIT_DONE;
    }
    if (take_sequence(d, s, text))
        return EXIT_DONE;
    if (equals == NULL || equals == text)
        return misuse("such as heads=51, 51/100 for 51 of 100, or HHTHT; numbers need --gaussian "
                      "or --poisson",
                      "'%s' is not NAME=COUNT", text);
    if (!read_number(equals + 1, strlen(equals + 1), &count) || !(count >= 0))
        return misuse(NULL, "the count of '%.*s' is '%s'; it must be a number, 0 or more",
                      (int)(equals - text), text, equals + 1);
    if (!(count < 0x1p53))
        return misuse(NULL, "the count of '%.*s' is %s; counts must stay below 2^53",
                      (int)(equals - text), text, equals + 1);
    name = reserve_text(text);
    name[equals - text] = '\0';
    count_outcome(d, s, name, count);
    free(name);
    return EXIT_DONE;
}

bool estimate_take_word(estimate_data *d, sample *s, const char *word)
{
    double value, exposure = NAN;

    if (d->kind == CR_PRIOR_SHARES) {
        count_outcome(d, s, word, 1);
        return true;
    }
    if (d->kind == CR_PRIOR_RATE && strchr(word, '/') != NULL) {
        if (!read_fraction(word, &value, &exposure) || !(exposure > 0))
            return false;
    } else if (!read_number(word, strlen(word), &value)) {
        return false;
    }
    if (d->kind == CR_PRIOR_RATE && (!(value >= 0) || value != floor(value)))
        return false;
    add_value(s, value, exposure);
    return true;
}

static const char *wanted_word(cr_prior_of kind)
{
    return kind == CR_PRIOR_RATE ? "a count such as 12, or 12/100 for 12 in an exposure of 100"
                                 : "a number";
}

static int take_item(estimate_data *d, sample *s, const char *text)
{
    if (d->kind == CR_PRIOR_SHARES)
        return take_share(d, s, text);
    if (estimate_take_word(d, s, text))
        return EXIT_DONE;
    return misuse(NULL, "'%s' is not %s", text, wanted_word(d->kind));
}

/* "A:" before an item, or alone, names the sample of that item and those after it. */
static const char *sample_of(const char *text, size_t *size)
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');

    if (colon == NULL || colon == text || (equals != NULL && equals < colon))
        return text;
    *size = (size_t)(colon - text);
    return colon + 1;
}

int estimate_take_operands(estimate_data *d, const request *r)
{
    sample *s = NULL;
    int code = EXIT_DONE;

    for (size_t i = 0; i < r->operand_count && code == EXIT_DONE; i++) {
        const char *text = r->operands[i];
        size_t size = 0;
        const char *item = sample_of(text, &size);

        if (item != text && s != NULL && *s->name == '\0')
            return misuse("begin with A: for the first sample", "'%s' belongs to no sample",
                          r->operands[0]);
        if (item != text || s == NULL)
            s = find_sample(d, text, size);
        if (s == NULL)
            return misuse(NULL, "'%.*s' is a third sample; estimate compares two", (int)size, text);
        if (*item != '\0')
            code = take_item(d, s, item);
    }
    return code;
}

/* --- standard input ----------------------------------------------------------------------- */

static char *trimmed(char *line)
{
    char *end;

    line += strspn(line, " \t\r\n");
    end = line + strlen(line);
    while (end > line && strchr(" \t\r\n", end[-1]) != NULL)
        *--end = '\0';
    return line;
}

static int bad_input(size_t line, const char *word, cr_prior_of kind)
{
    cr_error err = {.line = line, .file = "standard input"};
    char *shown = text_shown(word, 60);

    snprintf(err.message, sizeof err.message, "'%s' is not %s", shown, wanted_word(kind));
    free(shown);
    return complain(CR_EFORMAT, &err);
}

/* Outcomes are one to a line; numbers are separated by blanks, commas or semicolons. */
int estimate_take_input(estimate_data *d)
{
    sample *s = estimate_only_sample(d);
    char *line = NULL, *rest, *word;
    size_t room = 0, number = 0;
    int code = EXIT_DONE;

    while (code == EXIT_DONE && getline(&line, &room, stdin) > 0) {
        number++;
        word = trimmed(line);
        if (d->kind == CR_PRIOR_SHARES) {
            if (*word != '\0')
                estimate_take_word(d, s, word);
            continue;
        }
        for (word = strtok_r(word, " \t,;", &rest); word != NULL && code == EXIT_DONE;
             word = strtok_r(NULL, " \t,;", &rest))
            if (!estimate_take_word(d, s, word))
                code = bad_input(number, word, d->kind);
    }
    free(line);
    if (code == EXIT_DONE && s->count == 0) {
        cr_error err = {.file = "standard input",
                        .message = "there is nothing in it",
                        .hint = "such as credence estimate heads=51 tails=49, or HHTHT"};

        code = complain(CR_EFORMAT, &err);
    }
    return code;
}

/* --- exposures ---------------------------------------------------------------------------- */

static bool read_exposure(const char **list, double *out)
{
    size_t size = strcspn(*list, ",");
    bool sound = read_number(*list, size, out) && *out > 0;

    *list += size + ((*list)[size] == ',');
    return sound;
}

/* One exposure for all counts, or one for each; exposures given as K/T are kept. */
int estimate_take_exposure(estimate_data *d, const char *list)
{
    const char *rest = list != NULL ? list : "1";
    size_t total = 0, given = 1;

    for (size_t i = 0; i < d->samples; i++)
        total += d->sample[i].count;
    for (const char *c = rest; *c != '\0'; c++)
        given += *c == ',';
    if (given != 1 && given != total)
        return misuse("give one for all, or one for each", "%zu exposures for %zu counts", given,
                      total);
    if (given == 1 && !read_exposure(&rest, &d->exposure))
        return misuse(NULL, "the exposure '%s' is not a number above 0", list);
    for (size_t i = 0; i < d->samples; i++)
        for (size_t k = 0; k < d->sample[i].count; k++) {
            double exposure = d->exposure;

            if (given != 1 && !read_exposure(&rest, &exposure))
                return misuse(NULL, "one of the exposures '%s' is not a number above 0", list);
            if (isnan(d->sample[i].exposure[k]))
                d->sample[i].exposure[k] = exposure;
        }
    return EXIT_DONE;
}

/* --- priors ------------------------------------------------------------------------------- */

/* The text of a prior; for shares it depends on the outcomes. */
static void show_prior(estimate_prior *p, const cr_prior *prior)
{
    const double *v = prior->value;

    if (prior->of == CR_PRIOR_RATE)
        snprintf(p->shown, sizeof p->shown, "Gamma(%g, %g)", v[0], v[1]);
    else if (prior->count == 4)
        snprintf(p->shown, sizeof p->shown, "normal-inverse-gamma(%g, %g, %g, %g)", v[0], v[1],
                 v[2], v[3]);
    else
        snprintf(p->shown, sizeof p->shown, "reference");
}

int estimate_take_prior(estimate_prior *p, const estimate_data *d, const char *text)
{
    cr_error err = {0};

    *p = (estimate_prior){0};
    if (cr_prior_parse(&p->own, d->kind, text, &err) != CR_OK)
        return misuse(err.hint, "%s", err.message);
    show_prior(p, &p->own);
    return EXIT_DONE;
}

/* "Beta(2, 2)", "Dirichlet(1, 1, 1)", or "Dirichlet(1, ...)" if there are many. */
static void show_share_prior(estimate_prior *p, size_t outcomes)
{
    size_t used =
        (size_t)snprintf(p->shown, sizeof p->shown, outcomes == 2 ? "Beta(" : "Dirichlet(");

    for (size_t i = 0; i < outcomes; i++) {
        if (i >= 6 || used + 24 > sizeof p->shown) {
            used += (size_t)snprintf(p->shown + used, sizeof p->shown - used, ", ...");
            break;
        }
        used += (size_t)snprintf(p->shown + used, sizeof p->shown - used, "%s%g", i > 0 ? ", " : "",
                                 cr_prior_parameter(&p->own, i));
    }
    snprintf(p->shown + used, sizeof p->shown - used, ")");
}

int estimate_fit_prior(estimate_prior *p, const estimate_data *d)
{
    if (d->kind != CR_PRIOR_SHARES)
        return EXIT_DONE;
    if (p->own.count != 0 && p->own.count != d->outcomes)
        return misuse(NULL, "the prior has %zu parameters for %zu outcomes", p->own.count,
                      d->outcomes);
    show_share_prior(p, d->outcomes);
    return EXIT_DONE;
}

void estimate_free(estimate_data *d, estimate_prior *p)
{
    tdestroy(d->by_name, free_name); /* the names with it */
    free(d->outcome);
    for (size_t i = 0; i < d->samples; i++) {
        free(d->sample[i].name);
        free(d->sample[i].value);
        free(d->sample[i].exposure);
    }
    cr_prior_free(&p->own);
}
