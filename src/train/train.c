/* train/train.c - passes that learn: train, learn, unlearn. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "source/format.h"
#include "base/sized.h"
#include "learners/registry.h"
#include "train/advice.h"
#include "train/training.h"
#include "train/keep.h"
#include "train/recode.h"
#include "model/model.h"
#include "model/presets.h"
#include "stats/tfidf.h"
#include "stats/collect.h"
#include "stats/gather_cells.h"
#include "stats/gather_tuples.h"
#include "base/team.h"
#include "source/team_pass.h"
#include "stats/table_read.h"
#include "stats/values_read.h"

/* Knobs of the learner, and one that all have: the treatment of missing values. */
static cr_status set_knobs(cr__knobs *knobs, cr__impute_how *how, const cr__learner *learner,
                           const char *const *params, size_t count, cr_error *err)
{
    cr_status st = cr__knobs_new(knobs, learner->knobs, learner->knob_count, err);

    for (size_t i = 0; st == CR_OK && i < count; i++)
        if (strncmp(params[i], "impute=", 7) == 0)
            st = cr__impute_read(how, params[i] + 7, err);
        else
            st = cr__knobs_choose(knobs, params[i], err);
    return st;
}

cr_status cr__training_numbers(const cr__learner *learner, const char *const *params, size_t count,
                               int *numbers, cr_error *err)
{
    cr__knobs knobs = {0};
    cr__impute_how how;
    cr_status st = set_knobs(&knobs, &how, learner, params, count, err);

    *numbers = st == CR_OK && cr__learner_needs(learner, &knobs).whole;
    cr__knobs_free(&knobs);
    return st;
}

static cr_status check_classes(const cr__stats *stats, const cr_tally *tally, cr_error *err)
{
    const char *target = stats->schema->column[stats->schema->target].name;

    for (size_t c = 0; c < stats->classes; c++)
        if (!cr__count_zero(cr__stats_class(stats, c)))
            return CR_OK;
    if (tally->unlabelled == 0)
        return cr__fail(err, CR_EFORMAT, "no row has a weight above 0");
    cr__fail(err, CR_EFORMAT, "no row has a %s: '%s' is missing in all %llu",
             stats->schema->column[stats->schema->target].kind == CR_REAL ? "number to learn"
                                                                          : "class",
             target, (unsigned long long)tally->unlabelled);
    return cr__fail_hint(err, CR_EFORMAT, CR__SET("target") " names the column to learn");
}

/* Members of a team that read files of their own must find columns of the same kinds in them. */
static cr_status infer_together(cr_source *source, cr__target_use use, cr__training *c,
                                cr_error *err)
{
    const cr_team *team = cr__team_of(c->run);
    cr_status st = cr__source_infer(source, use, &c->schema, err);

    return team != NULL && team->local ? cr__team_agree_columns(source, c->schema, team, st, err)
                                       : st;
}

/* All columns are alike where nothing in particular is learned, unless a target is named: then that
 * one has the classes, or where numbers can be learned it may be one. */
static cr_status infer(cr_source *source, cr__training *c, cr_error *err)
{
    const cr_schema **schema = &c->schema;
    cr_status st;

    cr__source_leave_names(source);
    st = infer_together(source, c->learner->target, c, err);

    c->needs = cr__learner_needs(c->learner, &c->knobs);
    if (st != CR_OK || c->learner->target != CR__TARGET_NONE || (*schema)->target == SIZE_MAX)
        return st;
    if (!c->needs.whole || (*schema)->column[(*schema)->target].kind != CR_REAL)
        return infer_together(source, CR__TARGET_CLASS, c, err);
    c->learner = c->learner->of_numbers;
    c->needs = cr__learner_needs(c->learner, &c->knobs);
    return infer_together(source, CR__TARGET_REAL, c, err);
}

/* Counts of all triples are for a few features; with more, cells are counted. */
static void limit_tuples(cr__needs *needs, const cr_schema *schema)
{
    size_t features = 0;

    for (size_t i = 0; i < schema->columns; i++)
        features += (size_t)cr__stats_is_feature(schema, i);
    if (needs->tuples > 2 && features > CR__TRIPLES_FEATURES) {
        needs->tuples = 0;
        needs->cells = 1;
    }
}

/* The cuts of real columns, or the rule that will find them; nothing is cut for learners that do
 * not count cells. */
static cr_status read_bins(cr__training *c, cr_error *err)
{
    const char *text = cr__knobs_text(&c->knobs, "bins");
    int rule;

    if (!cr__needs_cuts(&c->needs))
        return CR_OK;
    limit_tuples(&c->needs, c->schema);
    if (c->needs.whole)
        return cr__bins_whole(&c->bins, c->schema, err);
    if ((rule = cr__cut_rule_read(&c->rule, text)) < 0)
        return cr__fail(err, CR_EARG, "bins is '%s'; a number of intervals is 2 to %d", text,
                        CR__CUT_BINS_MOST);
    if (rule && !cr__values_any(c->schema))
        c->rule = (cr__cut_rule){0};
    return rule ? CR_OK : cr__bins_read(&c->bins, text, c->schema, err);
}

/* The cuts of a model that has been trained. */
static cr_status own_bins(cr__bins *bins, const cr_model *model, cr_error *err)
{
    *bins = (cr__bins){0};
    return cr__needs_cuts(&model->learner->needs) ? cr__bins_declared(bins, model->schema, err)
                                                  : CR_OK;
}

/* --- train ------------------------------------------------------------------------------------ */

void cr__training_close(cr__training *c)
{
    cr_source_close(c->inner);
    for (size_t i = 0; c->shared_words && i < c->own->schema->columns; i++)
        c->own->column[i].dict = NULL;
    cr__table_free(c->own);
    cr__impute_free(c->impute);
    cr__free(c->complete);
    cr__table_free(c->coded);
    cr__bins_free(&c->bins);
    cr__recipe_free(&c->recipe);
    cr__knobs_free(&c->knobs);
}

/* Whether the learner learns from the rows themselves. */
static int learns_rows(const cr__training *c)
{
    return c->needs.rows != CR__ROWS_NONE && !c->needs.stream;
}

/* Whether they are needed for that, or to fill in missing values. */
static int wants_rows(const cr__training *c)
{
    return learns_rows(c) || c->how != CR__IMPUTE_NONE || c->kept != NULL;
}

/* For a learner that needs rows: read them once, and take the statistics from there. */
static cr_status hold_rows(cr__training *c, cr_source **source, cr_error *err)
{
    const uint32_t *row;
    size_t rows;
    cr_status st;

    if (!wants_rows(c) || cr__source_table(*source, &row, &rows) != NULL)
        return CR_OK;
    if ((st = cr__table_read(&c->own, *source, c->schema, &c->recipe, c->run, err)) != CR_OK ||
        (st = cr__source_open_table(&c->inner, c->own, NULL, 0, err)) != CR_OK)
        return st;
    *source = c->inner;
    return cr__source_bind(c->inner, c->schema, 1, 0, err);
}

static cr_status take_coded(cr__training *c, const cr_source *source, const cr__stats *stats,
                            cr_error *err)
{
    const uint32_t *row;
    size_t rows;
    const cr__table *table;

    if (!learns_rows(c))
        return CR_OK;
    table = cr__source_table(source, &row, &rows);
    return cr__recode_rows(&c->coded, table, row, rows, c->needs.rows_most, stats, err);
}

/* The rows of someone else's table, to be filled in. */
static cr_status copy_rows(cr__training *c, const cr__table *table, const uint32_t *row,
                           size_t rows, cr_error *err)
{
    cr_status st = cr__table_new(&c->own, table->schema, err);

    if (st == CR_OK &&
        cr__table_extend(c->own, table, row, row == NULL ? table->rows : rows, NULL) != CR_OK)
        st = cr__fail_memory(err);
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++)
        c->own->column[i].dict = table->column[i].dict;
    c->shared_words = st == CR_OK;
    return st;
}

/* Missing values: learn the imputer, unless it is given, and apply it. */
static cr_status fill_rows(cr__training *c, cr_source **source, cr_error *err)
{
    const uint32_t *row;
    size_t rows, complete = 0;
    const cr__table *table = cr__source_table(*source, &row, &rows);
    const cr__impute *impute = c->kept;
    cr_status st = CR_OK;

    if (c->how == CR__IMPUTE_NONE && impute == NULL)
        return CR_OK;
    if (c->own == NULL)
        st = copy_rows(c, table, row, rows, err);
    if (st == CR_OK && impute == NULL &&
        (st = cr__impute_learn(&c->impute, c->how, c->own, cr__run_threads(c->run), err)) == CR_OK)
        impute = c->impute;
    if (st == CR_OK)
        st = cr__impute_fill_table(impute, c->own, err);
    if (st == CR_OK && impute->how == CR__IMPUTE_DROP &&
        (c->complete = cr__impute_complete(c->own, NULL, 0, &complete)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK && c->complete != NULL && complete == 0)
        st = cr__fail(err, CR_EFORMAT, "every row lacks something: with impute=drop none is left");
    cr_source_close(c->inner);
    c->inner = NULL;
    if (st == CR_OK)
        st = cr__source_open_table(&c->inner, c->own, c->complete, complete, err);
    if (st == CR_OK) {
        *source = c->inner;
        st = cr__source_bind(c->inner, c->schema, 1, 0, err);
    }
    return st;
}

/* Whether only the first member of a team gets the sum and the model: nothing that follows needs
 * all members. */
static int is_for_first(const cr__training *c)
{
    const cr_team *team = cr__team_of(c->run);

    return team != NULL && team->first_only && !c->changes && !wants_rows(c) && !c->needs.stream &&
           c->needs.cross == CR__CROSS_NONE && !cr__tfidf_needed(c->schema, &c->knobs);
}

/* What the learner gets unasked that needs the numbers, or NULL. */
static const cr__usual *usual_numbers(const cr__training *c)
{
    for (size_t u = 0; u < CR__USUALS_MOST; u++)
        if (c->usual[u] != NULL && c->usual[u]->numbers)
            return c->usual[u];
    return NULL;
}

static cr_status gather(cr__training *c, cr_source *source, cr_tally *tally, cr_error *err)
{
    const cr__usual *unasked = c->needs.values ? NULL : usual_numbers(c);
    const cr__collect what = {.schema = c->schema,
                              .recipe = &c->recipe,
                              .bins = cr__needs_cuts(&c->needs) ? &c->bins : NULL,
                              .tuples = c->needs.tuples,
                              .limited = !c->changes,
                              .values = c->needs.values || unasked != NULL,
                              .values_most =
                                  unasked == NULL ? 0 : cr__usual_rows_most(unasked, c->schema),
                              .cross = c->needs.cross,
                              .first_only = is_for_first(c)};

    return cr__stats_collect(&c->stats, source, &what, c->run, tally, err);
}

/* Make a note when the members of a team cannot divide all work: they divide the reading where
 * parts are contiguous, but learners of rows need all rows together again. */
static void note_undivided(const cr__training *c, cr_source *source)
{
    const cr_team *team = cr__team_of(c->run);

    if (team != NULL && team->checkpoint != NULL &&
        (team->local || wants_rows(c) || c->needs.cross != CR__CROSS_NONE))
        cr__source_note(source, "no pieces are kept: %s",
                        team->local ? "each process has files of its own"
                                    : "this learner needs rows, not only what was counted");
    if (team == NULL || team->ranks == 1)
        return;
    if ((wants_rows(c) || c->needs.cross != CR__CROSS_NONE) && !team->local &&
        !cr__source_is_ordered(source))
        cr__source_note(source, "every process reads all rows: '%s' needs them in their order",
                        c->learner->name);
    else if (wants_rows(c))
        cr__source_note(source,
                        "every process holds all rows: '%s' learns from the rows themselves",
                        c->learner->name);
}

cr_status cr__training_gather(cr__training *c, cr_source **source, cr_tally *tally, cr_error *err)
{
    cr_status st;

    note_undivided(c, *source);
    st = hold_rows(c, source, err);

    if (st == CR_OK)
        st = fill_rows(c, source, err);

    if (st == CR_OK && c->rule.kind != CR__CUT_NONE) {
        cr__bins_free(&c->bins);
        st = cr__values_cut(&c->bins, *source, c->schema, &c->recipe, c->rule, c->run, err);
    }
    if (st == CR_OK)
        st = gather(c, *source, tally, err);
    if (st == CR_ELIMIT && c->needs.tuples > 2 && !c->changes) {
        /* too many combinations of three: the cells that occur are fewer */
        c->needs.tuples = 0;
        c->needs.cells = 1;
        if ((st = cr__source_rewind(*source, err)) == CR_OK)
            st = gather(c, *source, tally, err);
    }
    return st;
}

/* The learner of a name, or another one that a setting implies. */
static const cr__learner *find_learner(const char *name, const char *const *params, size_t count,
                                       cr_error *err)
{
    const cr__learner *learner = cr__learner_find(name == NULL ? "nb" : name, err);

    const size_t length =
        learner == NULL || learner->other == NULL ? 0 : strlen(learner->other_knob);

    for (size_t i = 0; length > 0 && i < count; i++)
        if (strncmp(params[i], learner->other_knob, length) == 0 && params[i][length] == '=')
            return learner->other;
    return learner;
}

/* Selection applies only to words: in a table without texts it would be silently ignored. */
static cr_status check_selection(const cr__training *c, cr_error *err)
{
    const char *select = cr__knobs_text(&c->knobs, "select");

    if (*select == '\0' || strcmp(select, "none") == 0)
        return CR_OK;
    for (size_t i = 0; i < c->schema->columns; i++)
        if (c->schema->column[i].kind == CR_BAG)
            return CR_OK;
    cr__fail(err, CR_EARG, "select=%.60s chooses the words of texts, and no column is a text",
             select);
    return cr__fail_hint(err, CR_EARG, "leave out uninformative columns, or drop select");
}

static cr_status fail_untrained(const cr__learner *learner, cr_error *err)
{
    if (learner->of_models) {
        cr__fail(err, CR_EARG, "an %s is not trained on data", learner->name);
        return cr__fail_hint(err, CR_EARG, "train models and combine them");
    }
    cr__fail(err, CR_EARG, "a %s comes from a file and is not trained on data", learner->name);
    return cr__fail_hint(err, CR_EARG, "the learner that finds one in data is 'network'");
}

cr_status cr__training_open(cr__training *c, cr_source *source, const char *learner,
                            const char *const *params, size_t count, const cr_run *run,
                            cr_error *err)
{
    cr_status st;

    *c = (cr__training){.learner = find_learner(learner, params, count, err),
                        .recipe = cr__recipe_usual(),
                        .run = run};
    if (c->learner == NULL)
        return CR_EARG;
    if (c->learner->fit == NULL)
        return fail_untrained(c->learner, err);
    st = set_knobs(&c->knobs, &c->how, c->learner, params, count, err);
    if (st == CR_OK)
        st = cr__model_recipe(&c->recipe, &c->knobs, err);
    if (st == CR_OK)
        st = infer(source, c, err);
    if (st == CR_OK)
        st = check_selection(c, err);
    if (st == CR_OK)
        st = cr__model_recipe_mail(&c->recipe, &c->knobs, source, err);
    if (st == CR_OK)
        st = read_bins(c, err);
    return st;
}

/* Parts of data do not know how many rows there are in all; members of a team learn it too late for
 * what takes more than sums. */
static void take_usual(cr__training *c, const cr_source *source, const char *const *params,
                       size_t count)
{
    if (!cr__source_is_whole(source))
        return;
    cr__learner_usual(c->usual, c->learner, params, count, c->schema);
    for (size_t u = 0; u < CR__USUALS_MOST; u++)
        if (c->usual[u] != NULL && !c->usual[u]->texts && cr__team_of(c->run) != NULL)
            c->usual[u] = NULL;
}

static cr_status settle_usual(cr__training *c, cr__stats *stats, cr_source *source, cr_error *err)
{
    size_t words = 0;
    cr_status st = CR_OK;

    for (size_t i = 0; i < stats->schema->columns; i++)
        words += stats->column[i].bag == NULL ? 0 : stats->column[i].bag->words;
    for (size_t u = 0; u < CR__USUALS_MOST; u++) {
        const cr__usual *usual = c->usual[u];

        if (usual == NULL)
            continue;
        if (cr__usual_suits(usual, c->schema, stats->rows, words, stats->classes)) {
            for (size_t s = 0; st == CR_OK && s < 3 && usual->setting[s] != NULL; s++)
                st = cr__knobs_set(&c->knobs, usual->setting[s], err);
            continue;
        }
        if (usual->numbers && !c->needs.values)
            cr__stats_drop_values(stats);
        if (usual->beyond != NULL && stats->rows > usual->rows_least)
            cr__source_note(source, "%s", usual->beyond);
    }
    return st;
}

/* A second pass for the sums of weights, unless the learner uses the rows themselves. */
static cr_status weigh(const cr__training *c, cr__stats *stats, cr_source *source,
                       const cr__knobs *knobs, const cr__stats *frozen, cr_error *err)
{
    return c->needs.rows == CR__ROWS_ALWAYS
               ? cr__tfidf_freeze(stats, frozen, err)
               : cr__tfidf(stats, source, &c->recipe, knobs, frozen, c->run, err);
}

/* Numbers used as names (grades, digits, years) are few, and most repeat even in a small table. */
static int may_be_names(uint32_t values, uint64_t rows)
{
    return values <= 4 || (values <= 20 && values <= rows / 2);
}

/* Make a note when a target that looks like a quantity is learned as classes. */
void cr__training_note_target(const cr_schema *schema, const cr__dict *dict, uint64_t rows,
                              cr_source *source)
{
    double number;

    if (schema->target == SIZE_MAX || schema->column[schema->target].kind != CR_SYMBOL ||
        dict == NULL || may_be_names(dict->words, rows))
        return;
    for (uint32_t code = 1; code <= dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);

        if (cr__parse_double(word, length, &number) != CR__NUMBER_OK)
            return;
    }
    cr__source_note(source,
                    "the target '%s' is a number: its %u different values are %u classes; " CR__SET(
                        "learner linear") " predicts the number itself, or another column is the "
                                          "target",
                    schema->column[schema->target].name, dict->words, dict->words);
}

/* Make a note when columns are either one value or missing. */
static void note_present(const cr__stats *stats, cr_source *source)
{
    cr__present_columns found = {0};

    for (size_t i = 0; i < stats->schema->columns; i++) {
        double observed = 0;

        if (stats->column[i].whole == NULL || cr__stats_values(stats, i) != 1)
            continue;
        for (size_t c = 0; c < stats->classes; c++)
            observed += cr__count_value(cr__stats_count(stats, i, 0, c));
        cr__present_column(&found, &stats->schema->column[i], stats->column[i].dict, observed,
                           (double)stats->rows);
    }
    cr__source_note_present(source, &found);
}

/* In most texts nearly all words are slightly informative; in mail a few words decide. */
static void note_selection(const cr__training *c, const cr_schema *schema, cr_source *source)
{
    size_t texts = 0;

    for (size_t i = 0; i < schema->columns; i++)
        texts += schema->column[i].kind == CR_BAG && schema->column[i].role == CR_ROLE_FEATURE;
    if (texts > 0 && !cr__source_is_mail(source) &&
        strncmp(cr__knobs_text(&c->knobs, "select"), "odds:", 5) == 0)
        cr__source_note(source,
                        "select=%s, as preset=mail has it, suits mail, and these texts are none: "
                        "it leaves out the words that tell a little; " CR__SET(
                            "knob select=none") " keeps them",
                        cr__knobs_text(&c->knobs, "select"));
}

/* What the statistics tell about the data, to the source that was given. */
static void note_data(const cr__training *c, cr_source *source)
{
    const cr__stats *stats = c->stats;

    if (stats->schema->target != SIZE_MAX)
        cr__training_note_target(stats->schema, stats->column[stats->schema->target].dict,
                                 stats->rows, source);
    note_present(stats, source);
    note_selection(c, stats->schema, source);
    cr__stats_notes(stats, source);
}

cr_status cr__training_finish(cr__training *c, cr_source *source, const char *missing,
                              cr_model **out, cr_error *err)
{
    cr__stats *stats = c->stats;
    cr_status st;

    *out = NULL;
    c->stats = NULL;
    st = settle_usual(c, stats, source, err);
    if (st == CR_OK && cr__tfidf_needed(stats->schema, &c->knobs))
        st = weigh(c, stats, source, &c->knobs, NULL, err);
    if (st == CR_OK)
        st = take_coded(c, source, stats, err);
    if (st != CR_OK)
        cr__stats_free(stats);
    else
        st = cr__model_new(
            out, c->learner, stats,
            &(cr__fit_input){.knobs = &c->knobs,
                             .rows = c->coded,
                             .run = c->run,
                             .start = c->start == NULL ? NULL : c->start->share->fitted,
                             .start_stats = c->start == NULL ? NULL : c->start->stats,
                             .source = c->needs.stream ? source : NULL,
                             .recipe = &c->recipe,
                             .unseen = c->unseen},
            missing, &c->recipe, err);
    cr__table_free(c->coded);
    c->coded = NULL;
    if (st == CR_OK && c->impute != NULL) {
        st = cr__model_take_impute(*out, c->impute, err);
        c->impute = NULL;
        if (st != CR_OK) {
            cr_model_free(*out);
            *out = NULL;
        }
    }
    return st;
}

/* Whether a search on these columns can begin at a model's weights. */
static cr_status check_start(const cr__training *c, const cr_model *start, cr_error *err)
{
    const cr_schema *a = c->schema, *b = start->schema;
    const cr__stats *stats;
    size_t i = 0;

    if (!c->learner->starts) {
        cr__fail(err, CR_EARG,
                 "'%s' does not search for weights: there is nothing to start from a "
                 "model",
                 c->learner->name);
        return cr__fail_hint(err, CR_EARG, "a start is for logistic regression");
    }
    if (start->learner != c->learner)
        return cr__fail(err, CR_ECONFLICT, "the model to start from is of '%s', not of '%s'",
                        cr_model_learner(start), c->learner->name);
    while (i < a->columns && i < b->columns && a->column[i].kind == b->column[i].kind &&
           a->column[i].role == b->column[i].role &&
           strcmp(a->column[i].name, b->column[i].name) == 0)
        i++;
    if (i == a->columns && i == b->columns)
        return cr__model_stats(start, &stats, err);
    cr__fail(err, CR_ECONFLICT,
             "the model to start from has other columns: number %zu is '%s' (%s) "
             "there, and '%s' (%s) here",
             i + 1, i < b->columns ? b->column[i].name : "",
             i < b->columns ? cr_kind_name(b->column[i].kind) : "absent",
             i < a->columns ? a->column[i].name : "",
             i < a->columns ? cr_kind_name(a->column[i].kind) : "absent");
    return cr__fail_hint(err, CR_ECONFLICT,
                         "both must have the same names and kinds in the same "
                         "order; " CR__SET("type") " gives a column its kind");
}

cr_status cr_model_train(cr_model **out, cr_source *source, const char *learner,
                         const char *const *params, size_t param_count, const cr_run *run,
                         cr_tally *tally, cr_error *err)
{
    return cr_model_train_from(out, source, learner, params, param_count, NULL, run, tally, err);
}

/* usual: with what the learner gets unasked. */
static cr_status train(cr_model **out, cr_source *source, const char *learner,
                       const char *const *params, size_t param_count, const cr_model *start,
                       int usual, cr__unseen *unseen, const cr_run *run, cr_tally *tally,
                       cr_error *err)
{
    const char *missing = cr__source_missing(source);
    cr_source *const given = source;
    cr__training c;
    cr_tally own;
    cr_status st = cr__training_open(&c, source, learner, params, param_count, run, err);
    int gathered;

    *out = NULL;
    tally = tally == NULL ? &own : tally;
    c.start = start;
    c.unseen = unseen;
    if (st == CR_OK && usual)
        take_usual(&c, source, params, param_count);
    if (st == CR_OK && start != NULL)
        st = check_start(&c, start, err);
    if (st == CR_OK)
        st = cr__training_gather(&c, &source, tally, err);
    gathered = st == CR_OK;
    if (st == CR_OK && c.stats != NULL && c.schema->target != SIZE_MAX)
        st = check_classes(c.stats, tally, err);
    if (st == CR_OK && c.stats != NULL)
        note_data(&c, given);
    if (st == CR_OK && c.stats != NULL)
        st = cr__training_finish(&c, source, missing, out, err);
    else
        cr__stats_free(c.stats);
    if (gathered && is_for_first(&c))
        st = cr__team_agree(cr__team_of(run), st, err);
    cr__training_close(&c);
    return st;
}

cr_status cr_model_train_from(cr_model **out, cr_source *source, const char *learner,
                              const char *const *params, size_t param_count, const cr_model *start,
                              const cr_run *run, cr_tally *tally, cr_error *err)
{
    return train(out, source, learner, params, param_count, start, 0, NULL, run, tally, err);
}

cr_status cr__model_train_usual(cr_model **out, cr_source *source, const char *learner,
                                const char *const *params, size_t param_count, cr__unseen *unseen,
                                const cr_run *run, cr_tally *tally, cr_error *err)
{
    return train(out, source, learner, params, param_count, NULL, 1, unseen, run, tally, err);
}

int cr__model_finds_cuts(const cr_model *model)
{
    const cr__needs needs = cr__learner_needs(model->learner, &model->knobs);
    cr__cut_rule rule;

    return cr__needs_cuts(&needs) && !needs.whole && cr__values_any(model->schema) &&
           cr__cut_rule_read(&rule, cr__knobs_text(&model->knobs, "bins")) > 0;
}

/* A model's columns with numbers that are not cut yet. */
static cr_status without_cuts(cr_schema **out, const cr_schema *schema, cr_error *err)
{
    const cr_status st = cr__schema_copy(out, schema, err);

    for (size_t i = 0; st == CR_OK && i < schema->columns; i++)
        if ((*out)->column[i].kind == CR_REAL) {
            cr__dict_free((*out)->column[i].declared);
            (*out)->column[i].declared = NULL;
        }
    return st;
}

cr_status cr__model_train_again(cr_model **out, const cr_model *like, cr_source *rows,
                                const cr_run *run, cr_error *err)
{
    cr__training c = {.learner = like->learner,
                      .schema = like->schema,
                      .run = run,
                      .how = like->impute == NULL ? CR__IMPUTE_NONE : like->impute->how};
    const int cuts = cr__model_finds_cuts(like);
    cr_schema *uncut = NULL;
    cr_tally tally;
    cr_status st = cuts ? without_cuts(&uncut, like->schema, err) : CR_OK;

    *out = NULL;
    if (st == CR_OK && cuts)
        c.schema = uncut;
    if (st == CR_OK)
        st = cr__source_bind(rows, c.schema, 1, 0, err);
    if (st == CR_OK)
        st = cr__knobs_copy(&c.knobs, &like->knobs, err);
    if (st == CR_OK && c.learner->settled != NULL)
        st = c.learner->settled(like->share->fitted, &c.knobs, err);
    if (st == CR_OK)
        st = cr__recipe_copy(&c.recipe, &like->recipe, err);
    if (st == CR_OK)
        c.needs = cr__learner_needs(c.learner, &c.knobs);
    if (st == CR_OK && cuts)
        st = read_bins(&c, err);
    if (st == CR_OK)
        st = cr__training_gather(&c, &rows, &tally, err);
    if (st == CR_OK)
        st = check_classes(c.stats, &tally, err);
    if (st == CR_OK)
        st = cr__training_finish(&c, rows, like->missing, out, err);
    else
        cr__stats_free(c.stats);
    cr__training_close(&c);
    cr__schema_free(uncut);
    return st;
}

/* --- learn and unlearn ----------------------------------------------------------------------- */

static cr_status change(cr_model *model, cr_source *source, const cr_run *run, int sign,
                        cr_tally *tally, cr_error *err)
{
    cr__training c = {.learner = model->learner,
                      .run = run,
                      .schema = model->schema,
                      .needs = cr__learner_needs(model->learner, &model->knobs),
                      .changes = 1,
                      .kept = model->impute};
    const cr__stats *have;
    cr__stats *sum = NULL;
    cr_status st;

    if ((st = cr__model_stats(model, &have, err)) != CR_OK ||
        (sign < 0 && (st = cr__model_needs_rows(model, "forget", err)) != CR_OK) ||
        (st = cr__source_bind(source, model->schema, 1, 0, err)) != CR_OK)
        return st;
    st = cr__recipe_copy(&c.recipe, &model->recipe, err);
    if (st == CR_OK)
        st = own_bins(&c.bins, model, err);
    c.needs.values = cr__stats_keeps_values(have);
    limit_tuples(&c.needs, model->schema);
    if (have->tuples != NULL) /* as they were counted */
        c.needs.tuples = (int)cr__tuples_order(have->tuples);
    if (c.needs.rows == CR__ROWS_ONCE)
        c.needs.rows = CR__ROWS_NONE;
    if (st == CR_OK)
        st = cr__training_gather(&c, &source, tally, err);
    if (st == CR_OK && cr__tfidf_needed(model->schema, &model->knobs))
        st = weigh(&c, c.stats, source, &model->knobs, have, err);
    if (st == CR_OK)
        st = cr__stats_change(&sum, have, c.stats, sign, err);
    if (st == CR_OK && (st = take_coded(&c, source, sum, err)) != CR_OK)
        cr__stats_free(sum);
    cr__stats_free(c.stats);
    if (st == CR_OK)
        st = cr__model_become(model, sum,
                              &(cr__fit_input){.rows = c.coded,
                                               .before = model->share->fitted,
                                               .before_stats = have,
                                               .run = run,
                                               .source = c.needs.stream ? source : NULL,
                                               .recipe = &c.recipe},
                              err);
    cr__training_close(&c);
    return st;
}

/* The change, including what the model updates. */
static cr_status change_all(cr_model *model, cr_source *source, const cr_run *run, int sign,
                            cr_tally *tally, cr_error *err)
{
    if (cr__members_learn(model))
        return cr__change_members(model, source, run, sign, tally, change, err);
    if (model->calibration != NULL && model->calibration->tally != NULL)
        return cr__change_calibrated(model, source, run, sign, tally, change, err);
    return change(model, source, run, sign, tally, err);
}

cr_status cr_model_learn(cr_model *model, cr_source *source, const cr_run *run, cr_tally *tally,
                         cr_error *err)
{
    cr_tally own;
    cr_status st;

    tally = tally == NULL ? &own : tally;
    if ((st = change_all(model, source, run, 1, tally, err)) == CR_OK)
        cr__lesson_notes(model, tally, source);
    return st;
}

/* --- which row was never learned ------------------------------------------------------------- */

/* Unlearn rows one by one until one cannot have been learned, to name it. */
typedef struct search {
    cr__gather *left;
    cr_error *err;
} search;

static cr_status found(cr_error *err, const cr__chunk *chunk, const cr__batch *batch, size_t row,
                       const char *column, const char *what)
{
    cr__fail(err, CR_ECONFLICT, "this row was never learned: %s%s%s%s", column == NULL ? "" : "'",
             column == NULL ? "" : column, column == NULL ? "" : "' ", what);
    return cr__fail_at(err, CR_ECONFLICT, cr__source_chunk_name(chunk), batch->record[row].line, 0);
}

static int take_away(cr__counts *counts, size_t value, size_t class_code, cr__count n)
{
    return value < counts->values && class_code < counts->classes &&
           cr__counts_add(counts, value, class_code, n, -1) == CR_OK &&
           !cr__count_negative(cr__counts_get(counts, value, class_code));
}

/* In a regression all rows that have the target belong to one class. */
static uint32_t class_code(const cr_schema *schema, const cr__batch *batch, size_t row)
{
    const cr__batch_column *target = &batch->column[schema->target];

    if (target->kind == CR_REAL)
        return target->real[row] == target->real[row] ? 1 : CR__MISSING;
    return target->code[row];
}

static cr_status take_row(cr__gather *left, const cr__chunk *chunk, const cr__batch *batch,
                          size_t row, cr_error *err)
{
    const cr_schema *schema = left->schema;
    const uint32_t c = left->cells != NULL ? 0 : class_code(schema, batch, row);
    const cr__count n = cr__count_of_weight(batch->weight == NULL ? 1 : batch->weight[row]);

    if (left->cells != NULL)
        return cr__gather_take_cell(left, batch, row)
                   ? CR_OK
                   : found(err, chunk, batch, row, NULL, "no row like it is left");
    if (c == CR__MISSING)
        return CR_OK;
    if (!take_away(&left->classes, 0, c, n))
        return found(err, chunk, batch, row, schema->column[schema->target].name,
                     "has no such class left");
    for (size_t i = 0; i < schema->columns; i++) {
        cr__gather_column *column = &left->column[i];
        const cr__batch_column *data = &batch->column[i];

        if (!cr__stats_is_feature(schema, i))
            continue;
        if (data->kind == CR_SYMBOL && data->code[row] != CR__MISSING &&
            !take_away(&column->counts, data->code[row], c, n))
            return found(err, chunk, batch, row, schema->column[i].name,
                         "has no such value left in this class");
        if (data->kind == CR_REAL && left->tuples == NULL && data->real[row] == data->real[row]) {
            cr__moment *m = &column->moment[c];
            m->count = cr__count_plus(m->count, n, -1);
            if (cr__count_negative(m->count))
                return found(err, chunk, batch, row, schema->column[i].name,
                             "has no value left in this class");
        }
    }
    if (left->tuples != NULL && !cr__gather_take_tuples(left, batch, row))
        return found(err, chunk, batch, row, NULL, "no row like it is left");
    return CR_OK;
}

static cr_status begin_search(void *context, void **state, cr__plan **plan, cr_error *err)
{
    search *s = context;

    (void)err;
    s->left->plan.grow = 0; /* a new word is a word never learned: its code has no counts */
    *state = s->left;
    *plan = &s->left->plan;
    return CR_OK;
}

static cr_status search_batch(void *state, const cr__chunk *chunk, cr__batch *batch, cr_error *err)
{
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < batch->rows; r++)
        st = take_row(state, chunk, batch, r, err);
    return st;
}

static void end_search(void *state)
{
    (void)state;
}

/* Put the first row that cannot have been learned into err, which keeps the general message when no
 * single row is at fault. */
static void name_row(const cr_model *model, cr_source *source, cr_error *err)
{
    const cr_run one = {.threads = 1};
    search s = {.err = err};
    cr__pass pass = {.source = source,
                     .schema = model->schema,
                     .run = &one,
                     .job = &s,
                     .begin = begin_search,
                     .absorb = search_batch,
                     .end = end_search};
    cr__bins bins = {0};
    cr_error row = {0};
    void **states = NULL;
    size_t count, broken;
    cr_kind to;

    if (own_bins(&bins, model, NULL) == CR_OK &&
        cr__gather_new(&s.left, model->schema, &model->recipe, 0, NULL) == CR_OK &&
        (!cr__needs_cuts(&model->learner->needs) ||
         cr__gather_count_bins(s.left, (int)cr__tuples_order(model->stats->tuples), &bins, NULL) ==
             CR_OK) &&
        cr__gather_add(s.left, model->stats, 1, NULL) == CR_OK &&
        cr__source_rewind(source, NULL) == CR_OK &&
        cr__pass_run(&pass, &states, &count, &broken, &to, &row) == CR_ECONFLICT)
        *err = row;
    cr__free(states);
    cr__gather_free(s.left);
    cr__bins_free(&bins);
}

cr_status cr_model_unlearn(cr_model *model, cr_source *source, const cr_run *run, cr_tally *tally,
                           cr_error *err)
{
    cr_tally own;
    cr_error reason = {0};
    cr_status st = change_all(model, source, run, -1, tally == NULL ? &own : tally, &reason);

    if (st == CR_ECONFLICT && reason.line == 0 && model->stats != NULL &&
        model->learner->needs.rows != CR__ROWS_ALWAYS)
        name_row(model, source, &reason);
    if (st != CR_OK && err != NULL)
        *err = reason;
    return st;
}
