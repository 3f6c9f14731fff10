/* cli/evaluate/study.c - how rows are dealt out, and to whom. */
#include "evaluate/study.h"

#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

/* --- the deal ----------------------------------------------------------------------------- */

static const option deal_list[] = {
    {"folds", 'k', OPTION_TEXT, "K|loo",
     "How many folds; loo leaves out one row at a time. Default: 10."},
    {"repeats", 'r', OPTION_COUNT, "N", "Deal and measure this often. Default: once."},
    {"group", 'g', OPTION_TEXT, "COLUMN",
     "Rows of equal value stay in one fold. The column is no feature then."},
    {"stratified", 0, OPTION_CHOICE, "yes|no",
     "Every fold gets its share of each class. Default: yes."},
    {0},
};
const option_group deal_options = {"Folds", deal_list};

int read_deal(cr_deal *out, const request *r)
{
    const char *folds = option_text(r, "folds"), *stratified = option_text(r, "stratified");
    char *end = NULL;

    *out = (cr_deal){.repeats = option_count(r, "repeats", 1),
                     .group = option_text(r, "group"),
                     .unstratified = stratified != NULL && strcmp(stratified, "no") == 0,
                     .seed = r->run.seed};
    if (folds == NULL)
        return EXIT_DONE;
    if (strcmp(folds, "loo") == 0) {
        out->folds = CR_LEAVE_ONE_OUT;
        return EXIT_DONE;
    }
    out->folds = strtoul(folds, &end, 10);
    if (end == folds || *end != '\0' || folds[0] == '-' || out->folds < 2)
        return misuse("two or more, or loo", "--folds is '%s'", folds);
    return EXIT_DONE;
}

/* --- what was done ------------------------------------------------------------------------ */

static const char *way_name(cr_cv_way way)
{
    return way == CR_CV_RETRAINED    ? "retrained"
           : way == CR_CV_SUBTRACTED ? "subtracted"
                                     : "decremented";
}

void cv_headline(const request *r, const cr_cv_facts *facts, const char *learner, double seconds)
{
    char from[256], time[NUMBER_ROOM];

    data_name(r, 0, from, sizeof from);
    number_seconds(time, seconds);
    if (facts->folds == facts->rows)
        out_line("%s on %s: each of %zu rows left out once, in %s (%s)", learner, from, facts->rows,
                 time, way_name(facts->way));
    else
        out_line("%s on %s: %zu rows in %zu folds%s, in %s (%s)", learner, from, facts->rows,
                 facts->folds, facts->repeats > 1 ? ", repeated" : "", time, way_name(facts->way));
    putchar('\n');
}

void cv_facts_json(json *j, const cr_cv_facts *facts, const char *learner)
{
    json_text(j, "learner", learner);
    json_number(j, "folds", (double)facts->folds);
    json_number(j, "repeats", (double)facts->repeats);
    json_text(j, "way", way_name(facts->way));
}

void fold_name(char *buffer, size_t size, size_t fold, const cr_cv_facts *facts)
{
    if (facts->repeats > 1)
        snprintf(buffer, size, "%zu.%zu", fold / facts->folds + 1, fold % facts->folds + 1);
    else
        snprintf(buffer, size, "%zu", fold + 1);
}

/* --- learners with knobs ------------------------------------------------------------------ */

static bool is_learner(const char *text, size_t size)
{
    const char *name;

    for (size_t i = 0; (name = cr_learner_name(i)) != NULL; i++)
        if (strlen(name) == size && memcmp(name, text, size) == 0)
            return true;
    return false;
}

/* The end of a specification: a comma after which a learner's name comes. Other commas belong to
 * the value of a knob, once there is one. */
static size_t spec_size(const char *text)
{
    size_t size = strcspn(text, ",");

    while (text[size] == ',' && memchr(text, '=', size) != NULL &&
           !is_learner(text + size + 1, strcspn(text + size + 1, ":,")))
        size += 1 + strcspn(text + size + 1, ",");
    return size;
}

static char *copy_text(const char *text, size_t size)
{
    char *copy = reserve(size + 1, 1);

    memcpy(copy, text, size);
    return copy;
}

/* A colon before something without = belongs to the value of a knob: prior=no:0.7. */
static size_t param_size(const char *text)
{
    size_t size = strcspn(text, ":");

    while (text[size] == ':' && memchr(text + size + 1, '=', strcspn(text + size + 1, ":")) == NULL)
        size += 1 + strcspn(text + size + 1, ":");
    return size;
}

static void add_param(candidate_spec *c, const char *text, size_t size)
{
    c->params = reserve_more(c->params, c->param_count + 1, sizeof *c->params);
    c->params[c->param_count++] = copy_text(text, size);
}

static void add_candidate(candidate_spec **list, size_t *count, const char *text, size_t size)
{
    candidate_spec c = {.name = copy_text(text, size)};
    const char *at = c.name + strcspn(c.name, ":");

    c.learner = copy_text(c.name, (size_t)(at - c.name));
    while (*at == ':') {
        const size_t length = param_size(at + 1);

        add_param(&c, at + 1, length);
        at += 1 + length;
    }
    *list = reserve_more(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = c;
}

static void add_candidates(candidate_spec **list, size_t *count, const char *text)
{
    for (;;) {
        const size_t size = spec_size(text);

        add_candidate(list, count, text, size);
        if (text[size] == '\0')
            return;
        text += size + 1;
    }
}

void read_candidates(candidate_spec **out, size_t *count, const request *r)
{
    size_t pairs;
    const char **pair = option_pairs(r, "param", &pairs);

    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < r->setting_count; i++)
        if (strcmp(r->settings[i].option->name, "model") == 0)
            add_candidates(out, count, r->settings[i].value);
    if (*count == 0)
        add_candidate(out, count, "nb", 2);
    for (size_t i = 0; i < *count; i++)
        for (size_t p = 0; p < pairs; p++)
            add_param(&(*out)[i], pair[p], strlen(pair[p]));
    free(pair);
}

int check_alike(const candidate_spec *specs, size_t i, int first, int numbers)
{
    if (!first == !numbers)
        return EXIT_DONE;
    return misuse("learners of classes, or of numbers", "%s predicts a number and %s a class",
                  specs[numbers ? i : 0].name, specs[numbers ? 0 : i].name);
}

void free_candidates(candidate_spec *specs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < specs[i].param_count; p++)
            free(specs[i].params[p]);
        free(specs[i].params);
        free(specs[i].learner);
        free(specs[i].name);
    }
    free(specs);
}
