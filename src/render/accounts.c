/* render/accounts.c - learners compared by how well they account for all rows: bits, likelihood,
 * parameters. */
#include <math.h>
#include <string.h>

#include "render/results.h"

typedef struct account_row {
    cr_account a;
    int best;
    double hypothesis_bits, holdout_bits, holdout_accuracy, accuracy;
} account_row;

#define ROW(member, key, title, meaning)                                                           \
    CR__FIELD(account_row, member, CR__DOUBLE, key, title, meaning, CR_SHOW_PLAIN)

static const cr__field fields[] = {
    ROW(a.criteria.parameters, "parameters", "k", "free parameters"),
    ROW(a.likelihood.joint, "log_likelihood", "ln L", "ln P(rows with their classes)"),
    ROW(a.likelihood.conditional, "log_conditional", "ln c|x", "ln P(classes | rows)"),
    ROW(a.likelihood.impossible, "impossible", "impossible", "rows of probability zero"),
    ROW(a.criteria.parameter_bits, "parameter_bits", "bits k", "of the parameters"),
    ROW(a.criteria.knob_bits, "knob_bits", "bits knobs", "of the knobs"),
    ROW(a.criteria.data_bits, "data_bits", "bits D|h", "of rows and classes, given the hypothesis"),
    ROW(a.criteria.class_bits, "class_bits", "bits c|x", "of the classes, given the rows"),
    ROW(a.criteria.mdl, "mdl", "mdl", "hypothesis and classes given the rows"),
    ROW(a.criteria.bic, "bic", "bic", "k ln n - 2 ln P(classes | rows)"),
    ROW(a.criteria.aic, "aic", "aic", "2 k - 2 ln P(classes | rows)"),
    ROW(a.criteria.log_evidence, "log_evidence", "evidence", "ln P(data)"),
    ROW(a.criteria.joint_mdl, "joint_mdl", "joint", "hypothesis, rows and classes"),
    ROW(a.criteria.error, "error", "error", "share of the rows decided wrongly"),
    ROW(a.criteria.mistake_bits, "mistake_bits", "bits list", "to list these rows"),
    ROW(a.criteria.mistakes_mdl, "mistakes_mdl", "mistakes", "hypothesis and that list"),
    ROW(a.lambda, "lambda", "lambda", "of the penalty"),
    ROW(a.penalised, "penalty", "F(h)", "error + lambda * parameters"),
};
static const cr__field holdout_fields[] = {
    ROW(a.held_out.rows, "holdout_rows", "held out", "rows not learned"),
    ROW(a.held_out.joint, "holdout_log_likelihood", "ln L", "of these"),
    ROW(a.held_out.conditional, "holdout_log_conditional", "ln c|x", "of these"),
    ROW(holdout_bits, "holdout_bits", "bits", "of their classes, given the rows"),
    CR__FIELD(account_row, holdout_accuracy, CR__DOUBLE, "holdout_accuracy", "accuracy",
              "share of them decided rightly", CR_SHOW_PERCENT),
};

#define FIELDS(list) list, CR__COUNT_OF(list)
#define NAME(name)                                                                                 \
    {                                                                                              \
        name, NULL, 0, 0, 0                                                                        \
    }

static const cr__part parts[] = {NAME("rows"),
                                 NAME("unlabelled"),
                                 NAME("criterion"),
                                 NAME("best"),
                                 NAME("models[]:"),
                                 NAME("name"),
                                 NAME("learner"),
                                 NAME("best"),
                                 NAME("cannot"),
                                 {NULL, FIELDS(fields), 0, 0},
                                 {NULL, FIELDS(holdout_fields), 0, 0}};
const cr__result cr__accounts_result = {"accounts", FIELDS(parts)};

static account_row row_of(const cr_accounts *all, size_t i)
{
    account_row r = {.best = i == cr_accounts_best(all)};

    cr_accounts_get(all, i, &r.a);
    r.hypothesis_bits = r.a.criteria.parameter_bits + r.a.criteria.knob_bits;
    r.holdout_bits = -r.a.held_out.conditional / log(2);
    r.holdout_accuracy =
        r.a.has_holdout && !r.a.numbers ? 1 - r.a.held_out.mistakes / r.a.held_out.rows : NAN;
    return r;
}

static void account(cr_json *j, const account_row *r)
{
    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr_json_text(j, "name", r->a.name);
    cr_json_text(j, "learner", r->a.learner);
    cr_json_bool(j, "best", r->best);
    if (r->a.status != CR_OK) {
        cr_json_text(j, "cannot", r->a.why);
    } else {
        cr__fields_json(j, FIELDS(fields), r);
        if (r->a.has_holdout)
            cr__fields_json(j, FIELDS(holdout_fields), r);
    }
    cr_json_end(j);
}

/* The first that can learn the table; all use the same rows. */
static cr_account first_able(const cr_accounts *all)
{
    cr_account a = {0};

    for (size_t i = 0; cr_accounts_get(all, i, &a) == CR_OK && a.status != CR_OK; i++)
        continue;
    return a;
}

cr_status cr_accounts_json(const cr_accounts *all, uint64_t unlabelled, cr_output *out)
{
    cr_account one, best = {0};
    cr_json j;

    cr_accounts_get(all, cr_accounts_best(all), &best);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_number(&j, "rows", first_able(all).likelihood.rows);
    cr_json_number(&j, "unlabelled", (double)unlabelled);
    cr_json_text(&j, "criterion", cr_accounts_by(all)->key);
    cr_json_text(&j, "best", best.name);
    cr_json_array(&j, "models", CR_JSON_BLOCK);
    for (size_t i = 0; cr_accounts_get(all, i, &one) == CR_OK; i++) {
        const account_row r = row_of(all, i);

        account(&j, &r);
    }
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- as a table ------------------------------------------------------------------------------- */

/* What users see: the criterion with its parts. Programs get everything. */
static void people_columns(cr_sheet *s, const char *by, int numbers, int joint, int holdout)
{
    const int bits =
        strcmp(by, "mdl") == 0 || strcmp(by, "joint") == 0 || strcmp(by, "mistakes") == 0;

    cr__sheet_column(s, (cr_field){"k", "k", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    if (bits)
        cr__sheet_column(s, (cr_field){"h", "bits h", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    cr__sheet_column(
        s, (cr_field){"c", numbers ? "bits y|x" : "bits c|x", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    if (!numbers)
        cr__sheet_column(s, (cr_field){"e", "error", NULL, CR_SHOW_PERCENT, CR_FOR_PEOPLE});
    if (strcmp(by, "mistakes") == 0)
        cr__sheet_column(s, (cr_field){"l", "bits list", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    if (joint)
        cr__sheet_column(s, (cr_field){"d", "bits D|h", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    if (holdout && !numbers)
        cr__sheet_column(s, (cr_field){"a", "accuracy", NULL, CR_SHOW_PERCENT, CR_FOR_PEOPLE});
    cr__sheet_column(s, (cr_field){"t", bits ? "total" : by, NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    cr__sheet_column(s, (cr_field){"b", "behind", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
}

static void people_cells(cr_sheet *s, const account_row *r, const char *by, int numbers, int joint,
                         int holdout)
{
    const int is = r->a.status == CR_OK;
    const int bits =
        strcmp(by, "mdl") == 0 || strcmp(by, "joint") == 0 || strcmp(by, "mistakes") == 0;

    cr__sheet_maybe(s, is, is ? r->a.criteria.parameters : 0);
    if (bits)
        cr__sheet_maybe(s, is, is ? r->hypothesis_bits : 0);
    cr__sheet_maybe(s, is, is ? r->a.criteria.class_bits : 0);
    if (!numbers)
        cr__sheet_maybe(s, is, is ? r->a.criteria.error : 0);
    if (strcmp(by, "mistakes") == 0)
        cr__sheet_maybe(s, is, is ? r->a.criteria.mistake_bits : 0);
    if (joint)
        cr__sheet_maybe(s, is, is ? r->a.criteria.data_bits : 0);
    if (holdout && !numbers)
        cr__sheet_maybe(s, is, is ? r->holdout_accuracy : 0);
    cr__sheet_maybe(s, is, is ? r->a.cost : 0);
    cr__sheet_maybe(s, is && !r->best, r->a.behind);
}

static void program_cells(cr_sheet *s, const account_row *r, const cr__field *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (r->a.status == CR_OK)
            cr__sheet_cells(s, &list[i], 1, r);
        else
            cr__sheet_text(s, "");
}

cr_status cr_accounts_sheet(cr_sheet **out, const cr_accounts *all, cr_error *err)
{
    const char *by = cr_accounts_by(all)->key;
    const cr_account first = first_able(all);
    const int joint = strcmp(by, "joint") == 0 || (first.numbers && strcmp(by, "mdl") == 0);
    cr_account one;
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    cr__sheet_column(*out, (cr_field){"best", "", NULL, CR_SHOW_PLAIN, CR_FOR_PEOPLE});
    cr__sheet_column(*out, (cr_field){"model", "model", NULL, CR_SHOW_PLAIN, CR_FOR_ALL});
    people_columns(*out, by, first.numbers, joint, first.has_holdout);
    for (size_t i = 0;
         i < CR__COUNT_OF(fields) + (first.has_holdout ? CR__COUNT_OF(holdout_fields) : 0); i++) {
        cr_field f = i < CR__COUNT_OF(fields) ? fields[i].field
                                              : holdout_fields[i - CR__COUNT_OF(fields)].field;

        f.whom = CR_FOR_PROGRAMS;
        cr__sheet_column(*out, f);
    }
    for (size_t i = 0; cr_accounts_get(all, i, &one) == CR_OK; i++) {
        const account_row r = row_of(all, i);

        cr__sheet_text(*out, r.best ? "*" : "");
        cr__sheet_text(*out, r.a.name);
        people_cells(*out, &r, by, first.numbers, joint, first.has_holdout);
        program_cells(*out, &r, FIELDS(fields));
        if (first.has_holdout)
            program_cells(*out, &r, FIELDS(holdout_fields));
    }
    return cr__sheet_done(out, err);
}
