/* eval/auto_plan.c - which candidates suit the data, and what they cost.
 *
 * Costs are seconds of one core for a row to be learned and answered once, about, as measured on
 * nine tables of 2,000 to 200,000 rows, 8 to 64 columns and 2 to 26 classes: most are within a
 * factor of 2, and too large rather than too small; those of logistic regression of many rows and
 * few classes are six times too large. Those of texts are about twice the time. They depend on the
 * numbers of rows, columns, classes and words alone, so that the choice is the same everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "learners/logistic/logistic.h"
#include "learners/registry.h"
#include "source/format.h"

/* What a candidate needs of the data. */
enum {
    ON_TABLES = 1, /* no texts */
    ON_TEXTS = 2,
    ON_MAIL = 4,
    ON_NUMBERS = 8,    /* a number is the target */
    WITH_REALS = 16,   /* there are real features, */
    WITH_SEVERAL = 32, /* two features at least, */
    OF_TWO = 64,       /* two classes */
    SPARE = 128,       /* like another one: the first to be left out */
    OF_FEW = 256,      /* few rows, */
    OF_MORE = 512      /* more than these, and not too many products of features */
};

/* How its cost grows; cost_of() has the formulas. */
typedef enum growth {
    BY_CELL,
    BY_CUT,
    BY_DENSITY,
    BY_PAIR,
    BY_PAIR_CLASS,
    BY_TUPLE,
    BY_PRODUCT,
    BY_WEIGHT,
    BY_INTERACTION,
    BY_GRAM,
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

/* Simple ones first: those that assume most, and that learn exactly. */
static const outline outlines[] = {
    {"nb", {NULL}, ON_TABLES, BY_CELL, 2},
    {"nb", {"real=auto"}, ON_TABLES | WITH_REALS, BY_DENSITY, 40},
    {"nb", {"real=kde"}, ON_TABLES | WITH_REALS | SPARE, BY_DENSITY, 40},
    {"nb", {"real=bins:mdl"}, ON_TABLES | WITH_REALS, BY_CUT, 32},
    {"tan", {NULL}, ON_TABLES | WITH_SEVERAL, BY_PAIR, 0.5},
    {"aode", {NULL}, ON_TABLES | WITH_SEVERAL, BY_PAIR_CLASS, 0.08},
    {"kdb", {NULL}, ON_TABLES | WITH_SEVERAL, BY_TUPLE, 50},
    {"gda", {"covariance=shared"}, ON_TABLES | WITH_REALS | WITH_SEVERAL, BY_PRODUCT, 0.016},
    {"gda", {NULL}, ON_TABLES | WITH_REALS | WITH_SEVERAL, BY_PRODUCT, 0.016},
    {"logistic", {"lambda=0.1"}, ON_TABLES | SPARE, BY_WEIGHT, 40},
    {"logistic", {"lambda=1"}, ON_TABLES, BY_WEIGHT, 36},
    {"logistic", {"lambda=10"}, ON_TABLES | SPARE, BY_WEIGHT, 32},
    {"logistic", {"lambda=1", "moderate=yes"}, ON_TABLES | SPARE | OF_FEW, BY_WEIGHT, 36},
    {"tree", {NULL}, ON_TABLES, BY_CELL, 100},
    {"logistic",
     {"interactions=yes", "lambda=30", "epsilon=1e-4"},
     ON_TABLES | OF_MORE | SPARE,
     BY_INTERACTION,
     300},
    {"logistic",
     {"interactions=yes", "lambda=1", "epsilon=1e-4"},
     ON_TABLES | OF_MORE,
     BY_INTERACTION,
     300},
    {"logistic",
     {"interactions=yes", "lambda=0.03", "epsilon=1e-4"},
     ON_TABLES | OF_MORE | SPARE,
     BY_INTERACTION,
     300},

    {"nb", {NULL}, ON_TEXTS | ON_MAIL, BY_WORD, 60},
    {"nb", {"preset=mail"}, ON_TEXTS | ON_MAIL | OF_TWO, BY_WORD, 400},
    {"nb", {"preset=tfidf-pairs"}, ON_TEXTS | ON_MAIL, BY_WORD, 500},
    {"logistic", {"preset=tfidf"}, ON_TEXTS, BY_WORD_CLASS, 60},
    {"logistic", {"preset=tfidf-pairs"}, ON_TEXTS | OF_TWO, BY_WORD_CLASS, 150},
    {"logistic", {"preset=mail", "epsilon=1e-4"}, ON_TEXTS | OF_TWO, BY_WORD_CLASS, 200},

    {"linear", {NULL}, ON_NUMBERS, BY_GRAM, 1.6},
    {"linear", {"lambda=evidence"}, ON_NUMBERS, BY_GRAM, 2.4},
    {"linear", {"lambda=1"}, ON_NUMBERS, BY_GRAM, 1.6},
    {"linear", {"lambda=100"}, ON_NUMBERS, BY_GRAM, 1.6},
    {"network-number", {NULL}, ON_NUMBERS | WITH_REALS, BY_GRAM, 16},
};

/* The shape of the data. */
typedef struct shape {
    double cells, reals, words, classes;
    double products; /* of the features of logistic regression, two by two */
    int kinds;       /* needs that it can meet */
    int rare;        /* some class has hardly any rows */
} shape;

/* Products must not take the time that all others need: of the budget, to judge one candidate. */
#define INTERACTIONS_SHARE 0.5

#define WEIGHTS_MOST 3e5 /* of products: a search has some dozens of vectors of them */

static double sets_of(const shape *s)
{
    return s->classes > 2 ? s->classes : 1;
}

/* Whether a class that the table knows has fewer than three rows here. */
static cr_status find_rare(const cr__rowset *set, shape *s, cr_error *err)
{
    const size_t classes = (size_t)s->classes;
    size_t *count = cr__alloc_zero(classes + 1, sizeof *count);

    if (count == NULL)
        return cr__fail_memory(err);
    for (size_t r = 0; r < set->rows; r++)
        count[set->class_code[r]]++;
    for (size_t c = 0; c < classes; c++)
        s->rare |= count[c] < 3;
    cr__free(count);
    return CR_OK;
}

static shape shape_of(const cr__rowset *set, int mail)
{
    const cr__table *table = set->table;
    shape s = {0};
    double features = 0;

    for (size_t i = 0; i < table->schema->columns; i++) {
        const cr__table_column *column = &table->column[i];

        if (!cr__stats_is_feature(table->schema, i))
            continue;
        s.cells += column->kind != CR_BAG;
        s.reals += column->kind == CR_REAL;
        const double own = column->kind == CR_REAL     ? 1
                           : column->kind == CR_SYMBOL ? (double)column->dict->words
                                                       : 0;

        s.products += features * own + (column->kind == CR_REAL);
        features += own;
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
    s.kinds |= (s.classes == 2 ? OF_TWO : 0) | SPARE;
    if (set->rows < CR__AUTO_FEW_ROWS)
        s.kinds |= OF_FEW;
    else if (s.products > 0 && s.products * sets_of(&s) <= WEIGHTS_MOST &&
             s.products <= CR__LR_MOST_PRODUCTS)
        s.kinds |= OF_MORE;
    return s;
}

/* Of learning a row and answering it. */
static double cost_of(const outline *o, const shape *s)
{
    const double sets = sets_of(s), d = s->cells + 1, ns = o->nanoseconds;
    const double symbols = s->cells - s->reals; /* a product of numbers is quicker */
    const double dense = s->reals * (s->reals + 1) / 2;
    double own = 0;

    switch (o->growth) {
    case BY_CELL: own = ns * d; break;
    case BY_CUT: own = ns * s->reals + 2 * d; break;
    case BY_DENSITY: own = s->reals * (ns + 10 * s->classes) + 2 * d; break;
    case BY_PAIR: own = 20 * s->reals + ns * d * d; break;
    case BY_PAIR_CLASS: own = 20 * s->reals + (0.5 + ns * s->classes) * d * d; break;
    case BY_TUPLE: own = 20 * s->reals + ns * d + 0.5 * d * d; break;
    case BY_PRODUCT: own = 5 * d + ns * d * d * (1 + 0.15 * s->classes); break;
    case BY_WEIGHT: own = ns * (2 * d - s->reals) * sets; break;
    case BY_INTERACTION:
        own = ns * (d + 0.7 * dense + symbols * s->reals + symbols * (symbols - 1) / 2) *
              (1 + sets) / 2;
        break;
    case BY_GRAM: own = ns * d * d; break;
    case BY_WORD: own = ns * (s->words + d); break;
    case BY_WORD_CLASS: own = ns * (s->words + d) * (2 + sets); break;
    }
    return (12 * sets + own) * 1e-9;
}

/* Of learning at all, and of calibrating: both do not depend on the learner much. */
static void set_other_costs(cr__trial *t, const outline *o, const shape *s)
{
    const double d = s->cells + 1, sets = sets_of(s);
    const int pairs = o->growth == BY_PAIR || o->growth == BY_PAIR_CLASS || o->growth == BY_TUPLE;

    t->fit_cost = (o->growth == BY_CUT || o->growth == BY_DENSITY ? 8e-6 : 4e-6) * d +
                  (pairs ? 40e-9 * d * d : 0) +
                  (o->growth == BY_INTERACTION ? 3e-6 * s->products * sets : 0);
    if (s->classes > 0 && s->words == 0) {
        t->calibrate_cost = 100e-9 * sets;
        t->calibrate_most =
            t->calibrate_cost * (double)cr__calibration_rows_most((size_t)s->classes);
    }
}

/* Searches that do not grow with the rows beyond some: that of gda for the form of its covariances
 * (learners/gda/shrink.c), 34 forms, or a few factors where there are many features; that of naive
 * Bayes for the density of each column (learners/naive_bayes/choose_real.c), 6 kernels on 2,048
 * rows. */
static void set_search_cost(cr__trial *t, const outline *o, const shape *s)
{
    const double d = s->reals, K = s->classes;
    const int wide = d * d * d * K >= 2e6;
    double rows = 0;

    if (strcmp(t->learner, "gda") == 0 && o->param[0] == NULL) {
        t->search_cost = (wide ? 6 : 34) * (60 + 2.5 * d * fmin(K, 10)) * 1e-9;
        rows = fmax(1000, fmax(3 * d, 2e7 / ((d * d + 1) * (K + 1))));
    } else if (o->growth == BY_DENSITY) {
        t->search_cost = 350e-9 * d * fmin(K, 8);
        rows = 2048;
    }
    t->search_most = t->search_cost * rows;
    if (wide && rows > 0 && o->growth == BY_PRODUCT)
        t->search_most += 1e-10 * d * d * d * K;
}

double cr__trial_cost(const cr__trial *t, size_t rows)
{
    const double n = (double)rows;

    return t->fit_cost + t->row_cost * n + fmin(t->search_cost * n, t->search_most) +
           fmin(t->calibrate_cost * n, t->calibrate_most);
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
            (strncmp(o->param[i], "preset=", 7) == 0 && strcmp(o->param[i], "preset=tfidf") != 0))
            return 1;
    return 0;
}

/* Whether a lesson costs the more the more was learned: numbers are kept one by one, or the weight
 * of a word depends on all texts. */
static int lessons_grow(const outline *o)
{
    for (size_t i = 0; i < sizeof o->param / sizeof *o->param && o->param[i] != NULL; i++)
        if (strncmp(o->param[i], "real=", 5) == 0 || strstr(o->param[i], "tfidf") != NULL)
            return 1;
    return 0;
}

/* Whether the shares of classes are this candidate's to choose: with the fallback, a class without
 * a row is impossible. */
static int shares_are_open(const cr__auto *a, const outline *o, const cr__learner *kind)
{
    if ((o->needs & ON_TABLES) == 0)
        return 0;
    for (size_t i = 0; i < a->options.fixed_count; i++)
        if (strncmp(a->options.fixed[i], "prior=", 6) == 0)
            return 0;
    for (size_t i = 0; i < kind->knob_count; i++)
        if (strcmp(kind->knobs[i].name, "prior") == 0)
            return strcmp(kind->knobs[i].fallback, "empirical") == 0;
    return 0;
}

static cr_status add_trial(cr__auto *a, const outline *o, const shape *s, cr_error *err)
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
                     .row_cost = cost_of(o, s),
                     .spare = (o->needs & SPARE) != 0,
                     .share = o->growth != BY_INTERACTION ? 0
                              : o->needs & SPARE          ? INTERACTIONS_SHARE / 3
                                                          : INTERACTIONS_SHARE,
                     .exact = is_exact(kind)};
    for (size_t i = 0; i < sizeof o->param / sizeof *o->param && o->param[i] != NULL; i++)
        kept = kept && add_param(t, o->param[i]);
    if (s->rare && a->rows >= CR__AUTO_LEAST_ROWS && shares_are_open(a, o, kind))
        kept = kept && add_param(t, "prior=map");
    for (size_t i = 0; i < a->options.fixed_count; i++)
        if (a->options.only != NULL || has_knob(kind, a->options.fixed[i]))
            kept = kept && add_param(t, a->options.fixed[i]);
    t->name = name_of(t);
    return kept && t->name != NULL ? CR_OK : cr__fail_memory(err);
}

/* A multiple of the cost of a pass of naive Bayes, reading included, within bounds. */
static double usual_budget(const shape *s, size_t rows)
{
    const double pass = (double)rows * (25 * (s->cells + 1) + 600 * s->words) * 1e-9;

    return fmin(fmax(20 * pass, s->words > 0 ? 4 : 8), s->words > 0 ? 40 : 16);
}

/* Whether some of the values are numbers with a fraction. */
static int has_fractions(const cr__dict *dict)
{
    for (uint32_t code = 1; code <= dict->words; code++) {
        size_t length;
        const double x = strtod(cr__dict_word(dict, code, &length), NULL);

        if (x != floor(x))
            return 1;
    }
    return 0;
}

/* How many different values a target must have to be a quantity; fractions are hardly names. */
static double quantity_values(const cr__dict *dict)
{
    return has_fractions(dict) ? 10 : 20;
}

/* The same for every fold: a source says it once. */
static void note_number(cr_study *study, const cr_schema *schema)
{
    const char *name = schema->column[schema->target].name;

    cr__source_note(study->source,
                    "the target '%s' is a number, and is predicted as one; " CR__SET(
                        "type %s=symbol") " takes its values as names",
                    name, name);
}

/* A target of numbers that hardly ever repeat is predicted as a number. */
cr_status cr__auto_use(cr_study *study, const char **learner, cr_error *err)
{
    cr__candidate c;
    cr_study *whole = study;
    const cr__dict *dict;
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
    dict = c.set->table->column[c.set->table->schema->target].dict;
    values = (double)dict->words;
    if (whole->real_target && values > quantity_values(dict) && 10 * values > (double)c.set->rows) {
        *learner = "linear";
        note_number(whole, c.set->table->schema);
    } else
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
    /* the candidates for texts are few, and a second round would leave out some that blend well */
    a->first_share = s.words > 0 ? 0.5 : 0.4;
    a->worth = s.words > 0 ? 3 : 2;
    a->options.exact = a->options.exact || (s.kinds & ON_MAIL) != 0;
    a->options.blend = a->options.blend && !a->options.live;
    a->budget = a->options.budget > 0 ? a->options.budget : usual_budget(&s, a->rows);
    if (a->options.only != NULL)
        return add_trial(a, &(outline){.learner = a->options.only}, &(shape){0}, err);
    if (a->classes > 0 && (st = find_rare(c.set, &s, err)) != CR_OK)
        return st;
    for (size_t i = 0; st == CR_OK && i < sizeof outlines / sizeof *outlines; i++) {
        const outline *o = &outlines[i];
        const int data = ON_TABLES | ON_TEXTS | ON_MAIL | ON_NUMBERS;
        const int others = o->needs & ~data;

        if ((o->needs & s.kinds & data) == 0 || (a->options.same_words && has_other_words(o)) ||
            (others & s.kinds) != others || (a->options.live && lessons_grow(o)) ||
            (a->options.among != NULL && !cr__auto_is_among(a->options.among, o->learner)) ||
            (a->options.exact && !is_exact(cr__learner_find(o->learner, NULL)) &&
             (s.kinds & ON_NUMBERS) == 0))
            continue;
        st = add_trial(a, o, &s, err);
        if (st == CR_OK) {
            set_search_cost(&a->trial[a->count - 1], o, &s);
            set_other_costs(&a->trial[a->count - 1], o, &s);
        }
    }
    if (st == CR_OK && a->count == 0)
        return cr__fail(err, CR_EARG, "none of '%s' is a candidate for these data",
                        a->options.among == NULL ? "all" : a->options.among);
    return st;
}
