/* draw/kinds.c - the kinds of pictures of models: one table, one call. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/schema.h"
#include "draw/draw.h"
#include "model/model.h"

enum { FEATURES_DRAWN = 6, WORDS_DRAWN = 20, WORDS_MOST = 200, BINS_MOST = 200, WORD_CLASSES = 6 };
enum { NO_ROWS, SOME_ROWS, NEEDS_ROWS };

/* A model that has no statistics, such as an ensemble, is ready too. */
cr_status cr__draw_ready(const cr_model *model, cr_error *err)
{
    const cr__stats *stats;

    return cr__model_catch_up(model, NULL) == CR_ENOMEM ||
                   cr__model_stats(model, &stats, NULL) == CR_ENOMEM
               ? cr__fail_memory(err)
               : CR_OK;
}

/* One picture being made. */
typedef struct drawing {
    cr_figure *figure;
    const cr_model *model;
    cr_source *source;
    cr_draw_options how;
    const cr_run *run;
    cr_json *numbers; /* or NULL */
    cr_sheet *sheet;  /* or NULL */
    cr_drawn drawn;
    size_t only; /* the requested class, or SIZE_MAX */
    cr_scored scored;
    char title[600];
    cr_error *err;
} drawing;

typedef struct kind {
    const char *name, *title;
    int rows;      /* NO_ROWS, SOME_ROWS, NEEDS_ROWS */
    int numbers;   /* of a regression, not of a classifier; -1: of any model */
    int has_sheet; /* its numbers are a table */
    cr_status (*draw)(drawing *d);
} kind;

/* --- decisions -------------------------------------------------------------------------------- */

static cr_status draw_roc(drawing *d)
{
    cr_status st = cr_draw_roc(d->figure, d->title, d->model, d->scored.evaluation, d->only,
                               &d->drawn.drawn, d->err);

    return st != CR_OK ? st
                       : cr__sweep_numbers(d->numbers, d->sheet, &d->scored, d->only,
                                           &cr__roc_sweep, d->err);
}

static cr_status draw_precision_recall(drawing *d)
{
    cr_status st = cr_draw_precision_recall(d->figure, d->title, d->model, d->scored.evaluation,
                                            d->only, &d->drawn.drawn, d->err);

    return st != CR_OK ? st
                       : cr__sweep_numbers(d->numbers, d->sheet, &d->scored, d->only, &cr__pr_sweep,
                                           d->err);
}

static cr_status draw_reliability(drawing *d)
{
    cr_status st =
        cr_draw_reliability(d->figure, d->title, d->model, d->scored.evaluation, d->only, d->err);

    return st != CR_OK ? st
                       : cr__reliability_numbers(d->numbers, d->sheet, &d->scored, d->only, d->err);
}

static cr_status draw_confusion(drawing *d)
{
    cr_status st = cr_draw_confusion(d->figure, d->title, d->model, d->scored.evaluation, d->err);

    return st != CR_OK ? st : cr__confusion_numbers(d->numbers, d->sheet, &d->scored, d->err);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static cr_status scored_numbers(drawing *d, cr_status st)
{
    if (st == CR_OK && d->numbers != NULL)
        cr__scored_json(d->numbers, &d->scored);
    return st;
}

static cr_status draw_predicted(drawing *d)
{
    return scored_numbers(d, cr_draw_predicted(d->figure, d->title, &d->scored, d->err));
}

static cr_status draw_residuals(drawing *d)
{
    return scored_numbers(d, cr_draw_residuals(d->figure, d->title, &d->scored, d->err));
}

static cr_status draw_errors(drawing *d)
{
    return scored_numbers(d, cr_draw_errors(d->figure, d->title, &d->scored, d->err));
}

static cr_status draw_coverage(drawing *d)
{
    cr_status st = cr_draw_coverage(d->figure, d->title, &d->scored, d->err);

    if (st == CR_OK)
        st = cr_draw_places(d->figure, d->title, &d->scored, d->err);
    st = scored_numbers(d, st);
    if (st == CR_OK && d->numbers != NULL)
        cr__coverage_json(d->numbers, &d->scored);
    return st;
}

/* --- features --------------------------------------------------------------------------------- */

static cr_status unknown_feature(const drawing *d)
{
    const char *nearest = cr__schema_nearest(cr_model_schema(d->model), d->how.feature);

    cr__fail(d->err, CR_EARG, "the model has no feature '%s' to draw", d->how.feature);
    if (nearest != NULL)
        cr__fail_hint(d->err, CR_EARG, "did you mean '%s'?", nearest);
    return CR_EARG;
}

/* The columns to be drawn into column, which has room for all. */
static cr_status pick_features(drawing *d, cr_feature_rank *rank, size_t *column, size_t *count)
{
    const cr_schema *schema = cr_model_schema(d->model);
    const size_t all = cr_model_rank_features(d->model, rank);
    const size_t most = d->how.top > 0 ? d->how.top : FEATURES_DRAWN;

    *count = 0;
    for (size_t i = 0; i < all; i++)
        if (cr_schema_kind(schema, rank[i].column) != CR_BAG &&
            (d->how.feature == NULL
                 ? *count < most
                 : strcmp(cr_schema_name(schema, rank[i].column), d->how.feature) == 0))
            column[(*count)++] = rank[i].column;
    if (*count > 0)
        return CR_OK;
    if (d->how.feature != NULL)
        return unknown_feature(d);
    cr__fail(d->err, CR_EARG, "the model has no numbers or symbols to draw");
    return cr__fail_hint(d->err, CR_EARG, "a picture of words is of texts");
}

static cr_status draw_columns(drawing *d, const size_t *column, size_t count, const cr_values *v)
{
    const cr_schema *schema = cr_model_schema(d->model);
    cr_status st = CR_OK;
    size_t panels = 0;
    int made;

    for (size_t i = 0; st == CR_OK && i < count; i++) {
        const char *name = cr_schema_name(schema, column[i]);

        st = cr_draw_feature(d->figure, d->how.title != NULL ? d->how.title : name, d->model,
                             column[i], v, i, d->how.bins, &made, d->err);
        if (!made)
            d->drawn.no_density = name;
        panels += made != 0;
    }
    if (st == CR_OK && panels == 0) {
        cr__fail(d->err, CR_EARG, "a model of '%s' has no densities of its features",
                 cr_model_learner(d->model));
        return cr__fail_hint(d->err, CR_EARG, "histograms and shares can be drawn of rows");
    }
    if (st != CR_OK || d->numbers == NULL)
        return st;
    cr_json_array(d->numbers, "features", CR_JSON_BLOCK);
    for (size_t i = 0; st == CR_OK && i < count; i++)
        st = cr__feature_numbers(d->numbers, d->model, column[i], v, i, d->how.bins, d->err);
    cr_json_end(d->numbers);
    return st;
}

static cr_status draw_densities(drawing *d)
{
    const size_t columns = cr_schema_columns(cr_model_schema(d->model));
    cr_feature_rank *rank = cr__alloc(columns + 1, sizeof *rank);
    size_t *column = cr__alloc(columns + 1, sizeof *column), count;
    cr_values v = {0};
    cr_status st = cr__draw_ready(d->model, d->err);

    if (st != CR_OK || rank == NULL || column == NULL)
        st = cr__fail_memory(d->err);
    else if (d->how.bins > BINS_MOST)
        st = cr__fail(d->err, CR_EARG, "%zu bins; at most %d", d->how.bins, BINS_MOST);
    else
        st = pick_features(d, rank, column, &count);
    if (st == CR_OK && d->source != NULL)
        st = cr_values_read(&v, d->model, d->source, column, count, d->run, d->err);
    if (st == CR_OK)
        st = draw_columns(d, column, count, v.rows > 0 ? &v : NULL);
    cr_values_free(&v);
    cr__free(rank);
    cr__free(column);
    return st;
}

static cr_status draw_means(drawing *d)
{
    cr_status st = cr_draw_means(d->figure, d->how.title, d->model, d->only, d->how.width,
                                 d->how.height, &d->drawn.drawn, d->err);

    return st == CR_OK && d->numbers != NULL
               ? cr__means_numbers(d->numbers, d->model, d->how.width, d->how.height, d->err)
               : st;
}

/* --- p(mistake) ------------------------------------------------------------------------------- */

/* The requested number, or the most informative one; SIZE_MAX: there is none. */
static cr_status pick_number(const drawing *d, size_t *column)
{
    const cr_schema *schema = cr_model_schema(d->model);
    cr_feature_rank *rank = cr__alloc(cr_schema_columns(schema) + 1, sizeof *rank);
    size_t count;

    *column = SIZE_MAX;
    if (rank == NULL || cr__draw_ready(d->model, NULL) != CR_OK) {
        cr__free(rank);
        return cr__fail_memory(d->err);
    }
    count = cr_model_rank_features(d->model, rank);
    for (size_t i = 0; i < count && *column == SIZE_MAX; i++)
        if (cr_schema_kind(schema, rank[i].column) == CR_REAL &&
            (d->how.feature == NULL ||
             strcmp(cr_schema_name(schema, rank[i].column), d->how.feature) == 0))
            *column = rank[i].column;
    cr__free(rank);
    if (*column != SIZE_MAX)
        return CR_OK;
    return d->how.feature != NULL ? unknown_feature(d)
                                  : cr__fail(d->err, CR_EARG, "the model has no number to draw");
}

static cr_status draw_mistake(drawing *d)
{
    cr_mistake *m = NULL;
    size_t column;
    cr_status st = pick_number(d, &column);

    if (st == CR_OK)
        st = cr_model_mistake(&m, d->model, column, d->how.rule, d->err);
    if (st == CR_OK)
        st = cr_draw_mistake(d->figure, d->how.title, d->model, m, d->err);
    if (st == CR_OK && d->numbers != NULL)
        st = cr__mistake_numbers(d->numbers, d->model, m, d->err);
    d->drawn.drawn = d->drawn.classes < CR__CURVES ? d->drawn.classes : CR__CURVES;
    cr_mistake_free(m);
    return st;
}

/* --- surfaces --------------------------------------------------------------------------------- */

static cr_status draw_surface(drawing *d)
{
    cr_model *model = (cr_model *)d->model; /* is only read */
    cr_drawn left = {0};
    cr_status st = cr_draw_surfaces(d->figure, &model, &d->how.model, 1, d->source, &d->how, d->run,
                                    d->numbers, &left, d->err);

    d->drawn.rows = left.rows;
    d->drawn.every = left.every;
    d->drawn.no_density = left.no_density;
    return st;
}

/* --- words ------------------------------------------------------------------------------------ */

/* The requested text, or the first one; SIZE_MAX: there is none. */
static size_t find_text(const drawing *d)
{
    const cr_schema *schema = cr_model_schema(d->model);

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_kind(schema, i) == CR_BAG && cr_model_words(d->model, i) > 0 &&
            (d->how.feature == NULL || strcmp(d->how.feature, cr_schema_name(schema, i)) == 0))
            return i;
    return SIZE_MAX;
}

static cr_status no_text(const drawing *d)
{
    if (d->how.feature != NULL)
        cr__fail(d->err, CR_EARG, "the model has no text '%s'", d->how.feature);
    else
        cr__fail(d->err, CR_EARG, "the model has no text");
    return cr__fail_hint(d->err, CR_EARG, "a picture of densities is of numbers and symbols");
}

/* Of two classes the words for the second one are those against the first. */
static cr_status draw_words(drawing *d)
{
    const size_t classes = cr_model_classes(d->model);
    const size_t top = d->how.top > 0 ? d->how.top : WORDS_DRAWN;
    const int one = d->only != SIZE_MAX;
    const size_t first = one ? d->only : classes == 2;
    const size_t last = one ? first + 1 : classes < WORD_CLASSES ? classes : WORD_CLASSES;
    size_t column;
    cr_status st = cr__draw_ready(d->model, d->err);

    if (st != CR_OK)
        return st;
    if (top > WORDS_MOST)
        return cr__fail(d->err, CR_EARG, "%zu words; 1 to %d can be drawn", top, WORDS_MOST);
    if ((column = find_text(d)) == SIZE_MAX)
        return no_text(d);
    d->drawn.drawn = one || last == classes ? classes : last;
    for (size_t c = first; st == CR_OK && c < last; c++) {
        if (d->how.title == NULL)
            snprintf(d->title, sizeof d->title, "Words for %s", cr_model_class(d->model, c));
        st = cr_draw_words(d->figure, d->title, d->model, column, c, top, d->err);
    }
    if (st != CR_OK || d->numbers == NULL)
        return st;
    cr_json_array(d->numbers, "classes", CR_JSON_BLOCK);
    for (size_t c = first; st == CR_OK && c < last; c++)
        st = cr__words_numbers(d->numbers, d->model, column, c, top, d->err);
    cr_json_end(d->numbers);
    return st;
}

/* --- networks --------------------------------------------------------------------------------- */

static cr_status draw_network(drawing *d)
{
    const char *title = d->how.title != NULL ? d->how.title : cr__short_name(d->how.model, "");
    cr_status st = cr_draw_beliefs(d->figure, title, d->model, d->how.condition, d->err);

    return st == CR_OK && d->numbers != NULL
               ? cr__network_numbers(d->numbers, d->model, d->how.condition, d->err)
               : st;
}

static cr_status draw_tree(drawing *d)
{
    const char *title = d->how.title != NULL ? d->how.title : cr__short_name(d->how.model, "");
    cr_status st = cr_draw_tree(d->figure, title, d->model, d->err);

    return st == CR_OK && d->numbers != NULL ? cr__tree_numbers(d->numbers, d->model, d->err) : st;
}

/* --- the table -------------------------------------------------------------------------------- */

static const kind kinds[] = {
    {"roc", "ROC", NEEDS_ROWS, 0, 1, draw_roc},
    {"pr", "Precision and recall", NEEDS_ROWS, 0, 1, draw_precision_recall},
    {"reliability", "Reliability", NEEDS_ROWS, 0, 1, draw_reliability},
    {"confusion", "Confusion", NEEDS_ROWS, 0, 1, draw_confusion},
    {"predicted", "Predictions", NEEDS_ROWS, 1, 0, draw_predicted},
    {"residuals", "Residuals", NEEDS_ROWS, 1, 0, draw_residuals},
    {"errors", "Errors", NEEDS_ROWS, 1, 0, draw_errors},
    {"coverage", "Coverage", NEEDS_ROWS, 1, 0, draw_coverage},
    {"densities", "", SOME_ROWS, 0, 0, draw_densities},
    {"means", "", NO_ROWS, 0, 0, draw_means},
    {"mistake", "", NO_ROWS, 0, 0, draw_mistake},
    {"surface", "", SOME_ROWS, 0, 0, draw_surface},
    {"words", "", NO_ROWS, -1, 0, draw_words},
    {"network", "", NO_ROWS, -1, 0, draw_network},
    {"tree", "", NO_ROWS, -1, 0, draw_tree},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *cr_draw_kind(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

static const kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int cr_draw_takes_rows(const char *name)
{
    const kind *k = find_kind(name);

    return k == NULL ? -1 : k->rows;
}

/* --- the call --------------------------------------------------------------------------------- */

static cr_status no_kind(const char *name, cr_error *err)
{
    cr_nearest n = {.wanted = name};

    for (size_t i = 0; i < KINDS; i++)
        cr_nearest_offer(&n, kinds[i].name);
    cr__fail(err, CR_EARG, "there is no picture '%s' of a model", name);
    if (n.best != NULL)
        cr__fail_hint(err, CR_EARG, "did you mean %s?", n.best);
    return CR_EARG;
}

static cr_status check_model(const drawing *d, const kind *k)
{
    if (k->numbers < 0 || k->numbers == cr_model_is_regression(d->model))
        return k->rows == NEEDS_ROWS && d->source == NULL
                   ? cr__fail(d->err, CR_EARG, "a picture '%s' needs rows", k->name)
                   : CR_OK;
    if (k->numbers) {
        cr__fail(d->err, CR_EARG, "the model decides between classes and predicts no number");
        return cr__fail_hint(d->err, CR_EARG,
                             "roc, pr, reliability and confusion are pictures of classes");
    }
    cr__fail(d->err, CR_EARG, "the model predicts a number and has no classes to draw");
    return cr__fail_hint(d->err, CR_EARG,
                         "predicted, residuals, errors and coverage are pictures of numbers");
}

static cr_status find_class(drawing *d)
{
    d->only = SIZE_MAX;
    return d->how.class_name == NULL
               ? CR_OK
               : cr_model_find_class(&d->only, d->model, d->how.class_name, d->err);
}

static void make_title(drawing *d, const kind *k)
{
    if (d->how.title != NULL)
        snprintf(d->title, sizeof d->title, "%s", d->how.title);
    else
        snprintf(d->title, sizeof d->title, "%s of %s on %s", k->title,
                 cr__short_name(d->how.model, "the model"),
                 cr__short_name(d->how.data, "the data"));
}

/* The rows first, where the kind needs them, and then the picture. */
static cr_status draw(drawing *d, const kind *k)
{
    cr_status st = CR_OK;

    make_title(d, k);
    if (k->rows == NEEDS_ROWS)
        st = cr_scored_read(&d->scored, d->model, d->source, 0, d->how.allow_absent_columns, d->run,
                            d->err);
    d->drawn.unlabelled = d->scored.unlabelled;
    if (st == CR_OK && k->rows == NEEDS_ROWS && !k->numbers && d->numbers != NULL)
        cr_json_number(d->numbers, "rows", d->scored.metrics.rows);
    return st == CR_OK ? k->draw(d) : st;
}

cr_status cr_draw(cr_figure *figure, const char *kind_name, const cr_model *model,
                  cr_source *source, const cr_draw_options *options, const cr_run *run,
                  cr_json *numbers, cr_sheet **sheet, cr_drawn *drawn, cr_error *err)
{
    const kind *k = find_kind(kind_name);
    drawing d = {.figure = figure,
                 .model = model,
                 .source = source,
                 .run = run,
                 .numbers = numbers,
                 .drawn = {.classes = cr_model_classes(model), .drawn = cr_model_classes(model)},
                 .err = err};
    cr_status st;

    if (sheet != NULL)
        *sheet = NULL;
    if (k == NULL)
        return no_kind(kind_name, err);
    if ((st = cr__sized_take(&d.how, sizeof d.how, options, "cr_draw_options", err)) != CR_OK ||
        (st = check_model(&d, k)) != CR_OK || (st = find_class(&d)) != CR_OK)
        return st;
    if (sheet != NULL && k->has_sheet && (st = cr__sheet_new(&d.sheet, err)) != CR_OK)
        return st;
    st = draw(&d, k);
    cr_scored_free(&d.scored);
    if (drawn != NULL)
        *drawn = d.drawn;
    if (d.sheet != NULL && st == CR_OK)
        st = cr__sheet_done(&d.sheet, err);
    else
        cr_sheet_free(d.sheet);
    if (d.sheet != NULL && st == CR_OK)
        *sheet = d.sheet;
    return st;
}
