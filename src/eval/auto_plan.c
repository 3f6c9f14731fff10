/* eval/auto_plan.c - which candidates suit the data, and what they cost.
 *
 * Costs are seconds of one core for a row to be learned and answered once, as measured on tables of
 * typical shapes; only their proportions matter. They depend on the numbers of rows, columns,
 * classes and words alone, so that the choice is the same everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/auto.h"
#include "learners/registry.h"

/* What a candidate needs of the data. */
enum {
    ON_TABLES = 1, /* no texts */
    ON_TEXTS = 2,
    ON_MAIL = 4,
    ON_NUMBERS = 8,    /* a number is the target */
    WITH_REALS = 16,   /* there are real features, */
    WITH_SEVERAL = 32, /* two features at least, */
    OF_TWO = 64        /* two classes */
};

/* How its cost grows. */
typedef enum growth {
    BY_CELL,
    BY_REAL,
    BY_PAIR,
    BY_PAIR_CLASS,
    BY_PRODUCT,
    BY_WEIGHT,
    BY_WORD,
    BY_WORD_CLASS
} growth;

typedef struct outline {
    const char *learner;
    const char *param[8];
    int needs;
    growth growth;
    double nanoseconds;
} outline;

#define LOGISTIC_TEXT "epsilon=1e-3", "length-norm=l2"

/* Simple ones first: those that assume most, and that learn exactly. */
static const outline outlines[] = {
    {"nb", {NULL}, ON_TABLES, BY_CELL, 11},
    {"nb", {"real=auto"}, ON_TABLES | WITH_REALS, BY_REAL, 600},
    {"nb", {"real=kde"}, ON_TABLES | WITH_REALS, BY_REAL, 700},
    {"nb", {"real=bins:mdl"}, ON_TABLES | WITH_REALS, BY_CELL, 40},
    {"tan", {NULL}, ON_TABLES | WITH_SEVERAL, BY_PAIR, 7},
    {"aode", {NULL}, ON_TABLES | WITH_SEVERAL, BY_PAIR_CLASS, 5},
    {"kdb", {NULL}, ON_TABLES | WITH_SEVERAL, BY_PAIR, 8},
    {"gda", {"covariance=shared"}, ON_TABLES | WITH_REALS | WITH_SEVERAL, BY_PRODUCT, 0.04},
    {"gda", {NULL}, ON_TABLES | WITH_REALS | WITH_SEVERAL, BY_PRODUCT, 0.04},
    {"logistic", {"lambda=0.1"}, ON_TABLES, BY_WEIGHT, 60},
    {"logistic", {"lambda=1"}, ON_TABLES, BY_WEIGHT, 50},
    {"logistic", {"lambda=10"}, ON_TABLES, BY_WEIGHT, 40},
    {"tree", {NULL}, ON_TABLES, BY_CELL, 1300},

    {"nb", {NULL}, ON_TEXTS | ON_MAIL, BY_WORD, 60},
    {"nb", {"preset=mail"}, ON_TEXTS | ON_MAIL | OF_TWO, BY_WORD, 400},
    {"nb",
     {"event=complement", "prior=uniform", "weight=sublinear-tfidf", "length-norm=l2",
      "ngrams=1..2", "text-alpha=0.03"},
     ON_TEXTS | ON_MAIL,
     BY_WORD,
     500},
    {"logistic",
     {LOGISTIC_TEXT, "weight=tfidf", "min-count=2", "lambda=0.1"},
     ON_TEXTS,
     BY_WORD_CLASS,
     60},
    {"logistic",
     {LOGISTIC_TEXT, "weight=sublinear-tfidf", "min-count=2", "ngrams=1..2", "lambda=0.03"},
     ON_TEXTS | OF_TWO,
     BY_WORD_CLASS,
     150},
    {"logistic", {"preset=mail", "epsilon=1e-4"}, ON_TEXTS | OF_TWO, BY_WORD_CLASS, 200},

    {"linear", {NULL}, ON_NUMBERS, BY_PAIR, 4},
    {"linear", {"lambda=evidence"}, ON_NUMBERS, BY_PAIR, 6},
    {"linear", {"lambda=1"}, ON_NUMBERS, BY_PAIR, 4},
    {"linear", {"lambda=100"}, ON_NUMBERS, BY_PAIR, 4},
    {"network-number", {NULL}, ON_NUMBERS | WITH_REALS, BY_PAIR, 40},
};

/* The shape of the data. */
typedef struct shape {
    double cells, reals, words, classes;
    int kinds; /* needs that it can meet */
} shape;

static shape shape_of(const cr__rowset *set, int mail)
{
    const cr__table *table = set->table;
    shape s = {0};

    for (size_t i = 0; i < table->schema->columns; i++) {
        const cr__table_column *column = &table->column[i];

        if (!cr__stats_is_feature(table->schema, i))
            continue;
        s.cells += column->kind != CR_BAG;
        s.reals += column->kind == CR_REAL;
        if (column->kind == CR_BAG) {
            s.kinds |= mail ? ON_MAIL : ON_TEXTS;
            s.words += (double)column->start[table->rows] / (double)(table->rows + 1) + 1;
        }
    }
    if (set->class_code != NULL)
        s.classes = (double)table->column[table->schema->target].dict->words;
    if (set->class_code == NULL)
        s.kinds = ON_NUMBERS;
    else if (s.kinds == 0)
        s.kinds = ON_TABLES;
    s.kinds |= s.reals > 0 ? WITH_REALS : 0;
    s.kinds |= s.cells > 1 ? WITH_SEVERAL : 0;
    s.kinds |= s.classes == 2 ? OF_TWO : 0;
    return s;
}

static double cost_of(const outline *o, const shape *s)
{
    const double sets = s->classes > 2 ? s->classes : 1, d = s->cells + 1;
    double units = 0;

    switch (o->growth) {
    case BY_CELL: units = d; break;
    case BY_REAL: units = s->reals + d / 10; break;
    case BY_PAIR: units = d * d; break;
    case BY_PAIR_CLASS: units = d * d * s->classes; break;
    case BY_PRODUCT: units = 300 * d + d * d * (1 + 0.15 * s->classes); break;
    case BY_WEIGHT: units = d * sets; break;
    case BY_WORD: units = s->words + d; break;
    case BY_WORD_CLASS: units = (s->words + d) * (2 + sets); break;
    }
    return units * o->nanoseconds * 1e-9;
}

/* The search of gda for the form of its covariances (learners/gda/shrink.c): 34 forms of so many
 * rows, or a few factors where there are many features. */
static void set_search_cost(cr__trial *t, const shape *s)
{
    const double d = s->reals, rows_work = 34 * 0.4e-9 * d * d * (s->classes + 1);

    if (strcmp(t->learner, "gda") != 0 || t->params > 0)
        return;
    t->search_cost = rows_work;
    t->search_most = fmax(34 * 0.4e-9 * 2e7, 3e-10 * d * d * d * s->classes);
}

double cr__trial_cost(const cr__trial *t, size_t rows)
{
    return t->row_cost * (double)rows + fmin(t->search_cost * (double)rows, t->search_most);
}

/* --- the list --------------------------------------------------------------------------------- */

static int has_knob(const cr__learner *learner, const char *setting)
{
    const size_t length = strcspn(setting, "=");

    for (size_t i = 0; i < learner->knob_count; i++)
        if (strlen(learner->knobs[i].name) == length &&
            strncmp(learner->knobs[i].name, setting, length) == 0)
            return 1;
    return strncmp(setting, "preset=", 7) == 0 || strncmp(setting, "impute=", 7) == 0;
}

static int add_param(cr__trial *t, const char *param)
{
    if (t->params == CR__TRIAL_PARAMS)
        return 1;
    t->param[t->params] = cr__strndup(param, strlen(param));
    return t->param[t->params++] != NULL;
}

/* LEARNER:KNOB=VALUE… with the knobs that distinguish it from others; how texts are answered does
 * not. */
static char *name_of(const cr__trial *t)
{
    char name[400];
    size_t at = (size_t)snprintf(name, sizeof name, "%s", t->learner);

    for (size_t i = 0; i < t->params && at < sizeof name; i++)
        if (strncmp(t->param[i], "posterior=", 10) != 0 && strncmp(t->param[i], "epsilon=", 8) != 0)
            at += (size_t)snprintf(name + at, sizeof name - at, ":%s", t->param[i]);
    return cr__strndup(name, strlen(name));
}

/* Whether its statistics are exact and sufficient later; products of pairs are rounded. */
static int is_exact(const cr__learner *kind)
{
    cr__knobs knobs = {0};
    cr__needs needs = {.rows = CR__ROWS_ALWAYS};

    if (cr__knobs_new(&knobs, kind->knobs, kind->knob_count, NULL) == CR_OK)
        needs = cr__learner_needs(kind, &knobs);
    cr__knobs_free(&knobs);
    return needs.rows != CR__ROWS_ALWAYS && needs.cross == CR__CROSS_NONE &&
           kind->regresses == NULL;
}

/* Whether a candidate uses words of texts other than the default ones. */
static int has_other_words(const outline *o)
{
    for (size_t i = 0; i < sizeof o->param / sizeof *o->param && o->param[i] != NULL; i++)
        if (strncmp(o->param[i], "ngrams=", 7) == 0 || strncmp(o->param[i], "tokens=", 7) == 0 ||
            strncmp(o->param[i], "preset=", 7) == 0)
            return 1;
    return 0;
}

static cr_status add_trial(cr__auto *a, const outline *o, double row_cost, cr_error *err)
{
    const cr__learner *kind = cr__learner_find(o->learner, err);
    cr__trial *t;
    int kept = 1;

    if (kind == NULL)
        return CR_EARG;
    if (!cr__grow(&a->trial, &a->capacity, a->count + 1, sizeof *a->trial))
        return cr__fail_memory(err);
    t = &a->trial[a->count++];
    *t = (cr__trial){.learner = o->learner,
                     .place = a->count - 1,
                     .row_cost = row_cost,
                     .exact = is_exact(kind)};
    for (size_t i = 0; i < sizeof o->param / sizeof *o->param && o->param[i] != NULL; i++)
        kept = kept && add_param(t, o->param[i]);
    for (size_t i = 0; i < a->options.fixed_count; i++)
        if (a->options.only != NULL || has_knob(kind, a->options.fixed[i]))
            kept = kept && add_param(t, a->options.fixed[i]);
    t->name = name_of(t);
    return kept && t->name != NULL ? CR_OK : cr__fail_memory(err);
}

/* A multiple of the cost of a pass of naive Bayes, within bounds. */
static double usual_budget(const shape *s, size_t rows)
{
    const double pass = (double)rows * (11e-9 * (s->cells + 1) + 60e-9 * s->words);
    const double budget = (s->words > 0 ? 200 : 60) * pass;

    return budget < 4 ? 4 : budget > 40 ? 40 : budget;
}

/* A target of numbers that hardly ever repeat is predicted as a number. */
cr_status cr__auto_use(cr_study *study, const char **learner, cr_error *err)
{
    cr__candidate c;
    cr_study *whole = study;
    double values;
    cr_status st;

    while (whole->whole != NULL)
        whole = whole->whole;
    *learner = "nb";
    whole->undecided = 1;
    st = cr__candidate_open(&c, study, "nb", NULL, 0, err);
    whole->undecided = 0;
    if (st == CR_OK)
        st = cr__study_target(whole, err);
    if (st != CR_OK)
        return st;
    values = (double)c.set->table->column[c.set->table->schema->target].dict->words;
    if (whole->real_target && values > 20 && 10 * values > (double)c.set->rows)
        *learner = "linear";
    else
        cr__study_note_target(whole, c.set);
    return CR_OK;
}

cr_status cr__auto_plan(cr__auto *a, cr_error *err)
{
    const char *learner = a->options.only;
    cr__candidate c;
    shape s;
    cr_status st = learner == NULL ? cr__auto_use(a->study, &learner, err) : CR_OK;

    if (st == CR_OK)
        st = cr__candidate_open(&c, a->study, learner,
                                a->options.only == NULL ? NULL : a->options.fixed,
                                a->options.only == NULL ? 0 : a->options.fixed_count, err);
    if (st != CR_OK)
        return st;
    s = shape_of(c.set, cr__source_is_mail(a->study->source));
    a->rows = c.set->rows;
    a->classes = (size_t)s.classes;
    a->members = s.words > 0 ? 3 : 6;
    a->options.exact = a->options.exact || (s.kinds & ON_MAIL) != 0;
    a->budget = a->options.budget > 0 ? a->options.budget : usual_budget(&s, a->rows);
    if (a->options.only != NULL)
        return add_trial(a, &(outline){.learner = a->options.only}, 0, err);
    for (size_t i = 0; st == CR_OK && i < sizeof outlines / sizeof *outlines; i++) {
        const outline *o = &outlines[i];
        const int data = ON_TABLES | ON_TEXTS | ON_MAIL | ON_NUMBERS;
        const int others = o->needs & ~data;

        if ((o->needs & s.kinds & data) == 0 || (a->options.same_words && has_other_words(o)) ||
            (others & s.kinds) != others ||
            (a->options.exact && !is_exact(cr__learner_find(o->learner, NULL)) &&
             (s.kinds & ON_NUMBERS) == 0))
            continue;
        st = add_trial(a, o, cost_of(o, &s), err);
        if (st == CR_OK)
            set_search_cost(&a->trial[a->count - 1], &s);
    }
    return st;
}
