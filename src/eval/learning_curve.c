/* eval/learning_curve.c - the quality of answers as a function of the number of rows learned.
 *
 * Each model is what training on its rows would give: with the settings that the learner gets
 * unasked on so many, and calibrated, where the study wants that. The statistics grow by addition;
 * a calibration costs what it does in training (calibrate_trained.c): answers to some thousands of
 * rows, each fold taken back, or for a learner that cannot take rows back some trainings more.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/random.h"
#include "belief/posterior.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "eval/auto.h"
#include "eval/calibration_choose.h"
#include "eval/regression.h"
#include "eval/study.h"

enum { USUAL_REPEATS = 5, USUAL_POINTS = 10, FIRST_SIZE = 10 };

void cr_learning_curve_free(cr_learning_curve *c)
{
    if (c == NULL)
        return;
    cr__free(c->point);
    cr__free(c->accuracy);
    cr__free(c->log_loss);
    cr__free(c->rmse);
    cr__free(c->r2);
    cr__free(c->log_density);
    cr__free(c);
}

typedef struct climb {
    cr__candidate candidate;                         /* as given, */
    cr__candidate usual[(1 << CR__USUALS_MOST) - 1]; /* and with what the learner gets unasked */
    size_t usuals;
    const cr__candidate **of; /* [points] one of these */
    cr_learning_curve *curve;
    double *parameters; /* [points * repeats] */
    uint64_t seed;
    int calibrated;
    const cr__auto_options *choice; /* the learner is chosen each time, or NULL */
} climb;

/* --- sizes ------------------------------------------------------------------------------------ */

/* From some rows to all of them. */
static size_t spread_sizes(cr_learning_point *point, size_t least, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < USUAL_POINTS; i++) {
        const double share = (double)i / (USUAL_POINTS - 1);
        const size_t size =
            (size_t)rint(exp(log((double)least) * (1 - share) + log((double)most) * share));

        if (n == 0 || size > point[n - 1].size)
            point[n++].size = size;
    }
    return n;
}

/* Ten rows, or two for each class, or two for each weight of a regression. */
static size_t first_size(const cr__rowset *set)
{
    const cr_schema *schema = set->table->schema;
    size_t things = 0;

    if (set->class_code != NULL)
        things = set->table->column[schema->target].dict->words;
    for (size_t i = 0; set->class_code == NULL && i < schema->columns; i++) {
        if (!cr__stats_is_feature(schema, i))
            continue;
        if (schema->column[i].kind == CR_SYMBOL)
            things += set->table->column[i].dict->words;
        else
            things++;
    }
    return 2 * things > FIRST_SIZE ? 2 * things : FIRST_SIZE;
}

static cr_status take_sizes(cr_learning_curve *c, const cr_curve_options *o, const cr__rowset *set,
                            cr_error *err)
{
    const size_t most = set->rows - c->tested, least = first_size(set);

    if (o->sizes == NULL) {
        c->points = spread_sizes(c->point, least < most ? least : most, most);
        return CR_OK;
    }
    for (size_t i = 0; i < o->size_count; i++) {
        if (o->sizes[i] < 1 || o->sizes[i] > most)
            return cr__fail(err, CR_EARG, "%zu rows cannot be learned: there are %zu", o->sizes[i],
                            most);
        if (i > 0 && o->sizes[i] <= o->sizes[i - 1])
            return cr__fail(err, CR_EARG, "the sizes must rise, and %zu follows %zu", o->sizes[i],
                            o->sizes[i - 1]);
        c->point[c->points++].size = o->sizes[i];
    }
    return CR_OK;
}

/* --- one repeat --------------------------------------------------------------------------------
 */

/* Where a model's classes are in the table's dictionary. */
static cr_status table_places(const cr_model *model, const cr__dict *dict, size_t **place,
                              cr_error *err)
{
    if ((*place = cr__alloc(model->classes + 1, sizeof **place)) == NULL)
        return cr__fail_memory(err);
    for (size_t k = 0; k < model->classes; k++) {
        const char *name = cr_model_class(model, k);

        (*place)[k] = cr__dict_find(dict, name, strlen(name)) - 1;
    }
    return CR_OK;
}

/* Test a model of classes on rows of the row set (places in its list of rows). */
static cr_status test_classes(const cr__rowset *set, const cr_model *model, const uint32_t *at,
                              const uint32_t *row, size_t rows, cr_metrics *out, cr_error *err)
{
    const cr__dict *dict = set->table->column[set->table->schema->target].dict;
    const size_t K = dict->words;
    double *score = cr__alloc(rows + 1, K * sizeof *score);
    cr_evaluation *e = NULL;
    size_t *place = NULL;
    cr_status st = score == NULL ? cr__fail_memory(err) : table_places(model, dict, &place, err);

    if (st == CR_OK)
        st = cr_evaluation_new(&e, K, err);
    if (st == CR_OK)
        st = cr__score_rows(model, set->table, row, rows, place, K, NULL, score, err);
    for (size_t r = 0; st == CR_OK && r < rows; r++) {
        double *p = score + r * K;
        const int32_t decision = cr__posterior(p, K, p, NULL);

        cr_evaluation_add(e, p, decision, (int32_t)set->class_code[at[r]],
                          set->table->weight == NULL ? 1 : set->table->weight[row[r]]);
    }
    if (st == CR_OK)
        cr_evaluation_metrics(e, out);
    cr_evaluation_free(e);
    cr__free(place);
    cr__free(score);
    return st;
}

/* Test a model on the first rows in this order, and record the result. */
static cr_status test_rows(const climb *k, const cr_model *model, const uint32_t *order,
                           const uint32_t *row, size_t at, cr_error *err)
{
    const cr__rowset *set = k->candidate.set;
    cr_learning_curve *curve = k->curve;
    cr_regression_metrics numbers;
    cr_model_facts facts;
    cr_metrics m;
    cr_status st = curve->numbers
                       ? cr__regression_judge(model, set->table, row, curve->tested, &numbers, err)
                       : test_classes(set, model, order, row, curve->tested, &m, err);

    if (st != CR_OK)
        return st;
    cr_model_get_facts(model, &facts);
    k->parameters[at] = facts.parameters;
    curve->accuracy[at] = curve->numbers ? NAN : m.accuracy;
    curve->log_loss[at] = curve->numbers ? NAN : m.log_loss;
    curve->rmse[at] = curve->numbers ? numbers.rmse : NAN;
    curve->r2[at] = curve->numbers ? numbers.r2 : NAN;
    curve->log_density[at] = curve->numbers ? numbers.log_density : NAN;
    return CR_OK;
}

/* The model of the first rows, from the statistics so far, which grow. */
static cr_status grow(const cr__candidate *c, const uint32_t *row, size_t from, size_t size,
                      cr__stats **stats, cr_model **model, cr_error *err)
{
    cr__stats *more = NULL, *sum = NULL, *copy = NULL;
    cr_status st;

    if (!c->adds)
        return cr__candidate_train(c, row, size, NULL, 1, model, err);
    st = cr__candidate_gather(c, row + from, size - from, 1, &more, err);
    if (st == CR_OK && *stats != NULL) {
        st = cr__stats_combine(&sum, *stats, more, 1, err);
        cr__stats_free(more);
        more = sum;
    }
    cr__stats_free(*stats);
    *stats = more;
    if (st == CR_OK)
        st = cr__stats_sum(&copy, stats, 1, err);
    if (st == CR_OK)
        st = cr__candidate_train(c, row, size, copy, 1, model, err);
    return st;
}

/* The model of `size` rows as training would give it; *from and *stats are what has been gathered
 * for the point before. */
static cr_status train_point(const climb *k, size_t point, const uint32_t *row, size_t *from,
                             cr__stats **stats, cr_model **model, cr_error *err)
{
    const cr__candidate *c = k->of[point];
    const cr_run one = {.threads = 1, .seed = c->study->run.seed};
    const size_t size = k->curve->point[point].size;
    int done;
    cr_status st;

    if (point > 0 && c != k->of[point - 1]) { /* other statistics */
        cr__stats_free(*stats);
        *stats = NULL;
        *from = 0;
    }
    st = grow(c, row, *from, size, stats, model, err);
    *from = size;
    if (st == CR_OK && k->calibrated)
        st = cr__calibrate_on_table(*model, c->set->table, row, size, -1, &one, &done, err);
    return st;
}

static cr_status climb_once(void *context, size_t repeat, cr_error *err)
{
    const climb *k = context;
    const cr__rowset *set = k->candidate.set;
    cr_learning_curve *curve = k->curve;
    uint32_t *order = cr__alloc(set->rows, sizeof *order), *row = cr__alloc(set->rows, sizeof *row);
    cr__stats *stats = NULL;
    size_t from = 0;
    cr__random random;
    cr_status st = order == NULL || row == NULL ? cr__fail_memory(err) : CR_OK;

    for (size_t r = 0; st == CR_OK && r < set->rows; r++)
        order[r] = (uint32_t)r;
    if (st == CR_OK) {
        cr__random_seed(&random, k->seed + repeat);
        cr__random_shuffle(&random, order, set->rows);
    }
    for (size_t r = 0; st == CR_OK && r < set->rows; r++)
        row[r] = set->row[order[r]];
    for (size_t i = 0; st == CR_OK && i < curve->points; i++) {
        const size_t at = i * curve->repeats + repeat;
        cr_model *model = NULL;

        st = k->choice != NULL
                 ? cr__auto_choose_part(k->candidate.study, k->choice, order + curve->tested,
                                        curve->point[i].size, &model, err)
                 : train_point(k, i, row + curve->tested, &from, &stats, &model, err);
        if (st == CR_OK)
            st = test_rows(k, model, order, row, at, err);
        cr_model_free(model);
    }
    cr__stats_free(stats);
    cr__free(order);
    cr__free(row);
    return st;
}

/* A choice runs its own candidates and folds in parallel, so its repeats do not. */
static cr_status climb_all(climb *k, cr_error *err)
{
    cr_status st = CR_OK;

    if (k->choice == NULL)
        return cr__parallel_for(&k->candidate.study->run, k->curve->repeats, climb_once, k, err);
    for (size_t i = 0; st == CR_OK && i < k->curve->repeats; i++)
        st = climb_once(k, i, err);
    return st;
}

/* --- all together -------------------------------------------------------------------------------
 */

static void summarise(cr_learning_curve *c, const double *parameters, size_t learnable)
{
    for (size_t i = 0; i < c->points; i++) {
        cr_learning_point *p = &c->point[i];
        const double share = (double)p->size / (double)learnable;
        const double overlap = (double)c->tested / (double)learnable * share;

        cr_corrected_spread(c->accuracy + i * c->repeats, c->repeats, overlap, &p->accuracy);
        cr_corrected_spread(c->log_loss + i * c->repeats, c->repeats, overlap, &p->log_loss);
        cr_corrected_spread(c->rmse + i * c->repeats, c->repeats, overlap, &p->rmse);
        cr_corrected_spread(c->r2 + i * c->repeats, c->repeats, overlap, &p->r2);
        cr_corrected_spread(c->log_density + i * c->repeats, c->repeats, overlap, &p->log_density);
        for (size_t k = 0; k < c->repeats; k++)
            p->parameters += parameters[i * c->repeats + k] / (double)c->repeats;
    }
}

static cr_status make_room(cr_learning_curve *c, size_t points, double **parameters, cr_error *err)
{
    double **const list[] = {&c->accuracy, &c->log_loss,    &c->rmse,
                             &c->r2,       &c->log_density, parameters};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if ((*list[i] = cr__alloc_zero(points * c->repeats + 1, sizeof **list[i])) == NULL)
            return cr__fail_memory(err);
    c->point = cr__alloc_zero(points + 1, sizeof *c->point);
    return c->point == NULL ? cr__fail_memory(err) : CR_OK;
}

/* The candidate with these parameters, which are the given ones and perhaps others after them. */
static cr_status find_candidate(climb *k, const cr__candidate **out, const char *learner,
                                const char *const *params, size_t count, size_t given,
                                cr_error *err)
{
    *out = count == given ? &k->candidate : NULL;
    for (size_t u = 0; *out == NULL && u < k->usuals; u++) {
        const cr__candidate *c = &k->usual[u];
        size_t same = given;

        while (same < count && c->param_count == count &&
               strcmp(c->params[same], params[same]) == 0)
            same++;
        if (same == count && c->param_count == count)
            *out = c;
    }
    if (*out != NULL)
        return CR_OK;
    *out = &k->usual[k->usuals];
    return cr__candidate_open(&k->usual[k->usuals++], k->candidate.study, learner, params, count,
                              err);
}

/* What the learner gets unasked on so many rows, of each size. */
static cr_status find_usual(climb *k, const char *learner, const char *const *given, size_t count,
                            cr_error *err)
{
    cr_learning_curve *c = k->curve;
    cr_status st = CR_OK;

    if ((k->of = cr__alloc_zero(c->points + 1, sizeof *k->of)) == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && k->choice == NULL && i < c->points; i++) {
        const char *const *params = given;
        size_t n = count;

        st = cr__study_usual(k->candidate.study, learner, c->point[i].size, &params, &n, err);
        if (st == CR_OK)
            st = find_candidate(k, &k->of[i], learner, params, n, count, err);
    }
    return st;
}

static cr_status draw(climb *k, const cr_curve_options *o, const char *learner,
                      const char *const *params, size_t count, cr_error *err)
{
    cr_learning_curve *c = k->curve;
    const size_t rows = k->candidate.set->rows;
    const double withheld = o->withheld > 0 ? o->withheld : 1.0 / 3;
    cr_status st;

    if (!(withheld < 1))
        return cr__fail(err, CR_EARG, "all rows would be withheld");
    c->repeats = o->repeats == 0 ? USUAL_REPEATS : o->repeats;
    c->tested = (size_t)rint((double)rows * withheld);
    c->tested = c->tested < 1 ? 1 : c->tested < rows ? c->tested : rows - 1;
    c->numbers = k->candidate.set->class_code == NULL;
    st = make_room(c, o->sizes == NULL ? USUAL_POINTS : o->size_count, &k->parameters, err);
    if (st == CR_OK)
        st = take_sizes(c, o, k->candidate.set, err);
    if (st == CR_OK)
        st = find_usual(k, learner, params, count, err);
    if (st == CR_OK)
        st = climb_all(k, err);
    if (st == CR_OK)
        summarise(c, k->parameters, rows - c->tested);
    return st;
}

cr_status cr_study_curve(cr_study *study, const char *learner, const char *const *params,
                         size_t param_count, const cr_curve_options *options,
                         cr_learning_curve **out, cr_error *err)
{
    cr_curve_options own;
    climb k = {.curve = cr__alloc_zero(1, sizeof *k.curve)};
    cr__auto_options choice = {0};
    int bare = 0;
    cr_status st = cr__sized_take(&own, sizeof own, options, "cr_curve_options", err);

    *out = NULL;
    if (st == CR_OK && k.curve == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        st = cr__study_take_none(study, learner, &params, &param_count, &bare, err);
    if (st == CR_OK && cr__auto_named(learner, params, param_count)) {
        st = cr__study_usual(study, learner, 0, &params, &param_count, err);
        if (st == CR_OK)
            st =
                cr__auto_candidate(&k.candidate, &choice, study, learner, params, param_count, err);
        choice.same_words = 1; /* as those of the rows that are tested */
        k.choice = &choice;
    } else if (st == CR_OK)
        st = cr__candidate_open(&k.candidate, study, learner, params, param_count, err);
    k.seed = own.seed;
    k.calibrated = study->calibrated && !bare;
    if (st == CR_OK)
        st = draw(&k, &own, learner, params, param_count, err);
    cr__free(k.parameters);
    cr__free(k.of);
    if (st != CR_OK)
        cr_learning_curve_free(k.curve);
    else
        *out = k.curve;
    return st;
}
