/* render/drift.c - recent data compared with those that a model has learned. */
#include <math.h>
#include <stdio.h>

#include "render/results.h"

typedef struct feature_row {
    cr_drift_feature f;
    const char *kind, *verdict;
} feature_row;

#define NUMBER(member, key, title, meaning, show)                                                  \
    CR__FIELD(feature_row, f.member, CR__DOUBLE, key, title, meaning, show)

static const cr__field feature_fields[] = {
    CR__FIELD(feature_row, f.name, CR__TEXT, "name", "feature", "the column", CR_SHOW_PLAIN),
    CR__FIELD(feature_row, kind, CR__TEXT, "kind", "kind", "what its values are", CR_SHOW_PLAIN),
    CR__FIELD(feature_row, verdict, CR__TEXT, "verdict", "verdict", "by size and significance",
              CR_SHOW_PLAIN),
    NUMBER(index, "index", "index", "population stability index", CR_SHOW_INDEX),
    CR__FIELD(feature_row, f.test, CR__TEXT, "test", "test", "whether it could be chance",
              CR_SHOW_PLAIN),
    NUMBER(statistic, "statistic", "statistic", "of the test", CR_SHOW_PLAIN),
    NUMBER(freedom, "freedom", "df", "its degrees of freedom", CR_SHOW_PLAIN),
    NUMBER(p, "p", "p", "of the test", CR_SHOW_P),
    NUMBER(corrected, "p_corrected", "p", "corrected for many tests", CR_SHOW_P),
    NUMBER(before, "before", "before", "rows with a value in training", CR_SHOW_PLAIN),
    NUMBER(after, "after", "after", "recent rows with a value", CR_SHOW_PLAIN),
    NUMBER(missing_before, "missing_before", "missing", "share without, in training",
           CR_SHOW_PERCENT),
    NUMBER(missing_after, "missing_after", "missing", "share without, recently", CR_SHOW_PERCENT),
    NUMBER(missing_p, "missing_p", "p", "of that change", CR_SHOW_P),
    CR__HIDDEN(feature_row, f.new_values, CR__SIZE, "new_values", "values never seen in training"),
    NUMBER(new_share, "new_share", "new", "share of rows that have one", CR_SHOW_PERCENT),
};
static const cr__field moment_fields[] = {
    NUMBER(mean_before, "mean_before", "mean", "in training", CR_SHOW_PLAIN),
    NUMBER(mean_after, "mean_after", "mean", "recently", CR_SHOW_PLAIN),
    NUMBER(sd_before, "sd_before", "sd", "in training", CR_SHOW_PLAIN),
    NUMBER(sd_after, "sd_after", "sd", "recently", CR_SHOW_PLAIN),
};
static const cr__field change_fields[] = {
    CR__HIDDEN(cr_drift_change, before, CR__DOUBLE, "before", "share in training"),
    CR__HIDDEN(cr_drift_change, after, CR__DOUBLE, "after", "recent share"),
    CR__HIDDEN(cr_drift_change, is_new, CR__BOOL, "new", "never seen in training"),
};

#define CLASS(member, key, meaning)                                                                \
    CR__FIELD(cr_drift_class, member, CR__DOUBLE, key, key, meaning, CR_SHOW_PROBABILITY)

static const cr__field class_fields[] = {
    CR__FIELD(cr_drift_class, name, CR__TEXT, "name", "class", "the class", CR_SHOW_PLAIN),
    CLASS(before, "prior", "the model's"),
    CLASS(estimated, "estimated", "share among recent rows, by EM"),
    CLASS(decided, "decided", "share of the decisions"),
    CLASS(labelled, "labelled", "share of the labels"),
};

/* The summary with its verdict in words. */
typedef struct summary_row {
    cr_drift_summary s;
    const char *verdict;
} summary_row;

#define SUMMARY(member, key, meaning) CR__HIDDEN(summary_row, s.member, CR__DOUBLE, key, meaning)

static const cr__field summary_fields[] = {
    SUMMARY(rows, "rows", "recent rows"),
    SUMMARY(labelled, "labelled", "of these with a class"),
    SUMMARY(impossible, "impossible", "rows that every class holds impossible"),
    CR__HIDDEN(summary_row, s.drifted, CR__SIZE, "drifted", "features that changed"),
    SUMMARY(level, "level", "of significance"),
    CR__HIDDEN(summary_row, verdict, CR__TEXT, "prior_verdict", "on the shares of the classes"),
    SUMMARY(prior_index, "prior_index", "stability index of the priors"),
    SUMMARY(prior_statistic, "prior_statistic", "of the likelihood ratio test"),
    SUMMARY(prior_p, "prior_p", "of that test"),
};

#define FIELDS(list) list, CR__COUNT_OF(list)

static const cr__part parts[] = {{NULL, FIELDS(summary_fields), 0, 0},
                                 {"classes[]", FIELDS(class_fields), 0, 0},
                                 {"features[]", FIELDS(feature_fields), 0, 0},
                                 {"features[] of numbers", FIELDS(moment_fields), 0, 0},
                                 {"features[].changes[]", FIELDS(change_fields), 0, 0},
                                 {"advice[]", NULL, 0, 0, 0}};
const cr__result cr__drift_result = {"drift", FIELDS(parts)};

/* The feature in a place; 0 past the last. */
static int ranked(const cr_drift *d, size_t place, feature_row *out, size_t *column)
{
    *column = cr_drift_order(d, place);
    if (*column == SIZE_MAX || cr_drift_get_feature(d, *column, &out->f) != CR_OK)
        return 0;
    out->kind = out->f.kind == CR_BAG ? "text" : cr_kind_name(out->f.kind);
    out->verdict = cr_drift_verdict_name(out->f.verdict);
    return 1;
}

static void feature(cr_json *j, const cr_drift *d, const feature_row *r, size_t column)
{
    cr_drift_change change;

    cr_json_object(j, NULL, CR_JSON_BLOCK);
    cr__fields_json(j, FIELDS(feature_fields), r);
    if (r->f.kind == CR_REAL)
        cr__fields_json(j, FIELDS(moment_fields), r);
    cr_json_array(j, "changes", CR_JSON_BLOCK);
    for (size_t k = 0; cr_drift_get_change(d, column, k, &change) == CR_OK; k++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, r->f.kind == CR_BAG ? "word" : "value", change.name);
        cr__fields_json(j, FIELDS(change_fields), &change);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_end(j);
}

cr_status cr_drift_json(const cr_drift *d, cr_output *out)
{
    summary_row summary;
    feature_row row;
    cr_drift_class class;
    cr_drift_advice advice;
    size_t column;
    cr_json j;

    cr_drift_get_summary(d, &summary.s);
    summary.verdict = cr_drift_verdict_name(summary.s.prior_verdict);
    cr_json_start(&j, out);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr__fields_json(&j, FIELDS(summary_fields), &summary);
    cr_json_array(&j, "classes", CR_JSON_BLOCK);
    for (size_t i = 0; cr_drift_get_class(d, i, &class) == CR_OK; i++) {
        cr_json_object(&j, NULL, CR_JSON_LINE);
        cr__fields_json(&j, FIELDS(class_fields), &class);
        cr_json_end(&j);
    }
    cr_json_end(&j);
    cr_json_array(&j, "features", CR_JSON_BLOCK);
    for (size_t i = 0; ranked(d, i, &row, &column); i++)
        feature(&j, d, &row, column);
    cr_json_end(&j);
    cr_json_array(&j, "advice", CR_JSON_BLOCK);
    for (size_t i = 0; cr_drift_get_advice(d, i, &advice) == CR_OK; i++)
        cr_json_text(&j, NULL, advice.text);
    cr_json_end(&j);
    cr_json_end(&j);
    return cr_output_flush(out);
}

/* --- as a table ------------------------------------------------------------------------------- */

/* "mean 5.84 -> 6.1" of numbers, "3 new values in 2.1 % of the rows" of symbols. */
static void describe(const cr_drift *d, const cr_drift_feature *f, size_t column, char *text,
                     size_t size)
{
    char one[CR_SHOW_SIZE], two[CR_SHOW_SIZE];
    cr_drift_change change;

    text[0] = '\0';
    if (f->kind == CR_REAL && !isnan(f->mean_after))
        snprintf(text, size, "mean %s -> %s", cr_show_number(one, CR_SHOW_PLAIN, f->mean_before),
                 cr_show_number(two, CR_SHOW_PLAIN, f->mean_after));
    else if (f->new_values > 0)
        snprintf(text, size, "%zu new value%s in %s of the rows", f->new_values,
                 f->new_values == 1 ? "" : "s", cr_show_number(one, CR_SHOW_PERCENT, f->new_share));
    else if (cr_drift_get_change(d, column, 0, &change) == CR_OK)
        snprintf(text, size, "%.60s %.3g -> %.3g %%", change.name, 100 * change.before,
                 100 * change.after);
}

cr_status cr_drift_sheet(cr_sheet **out, const cr_drift *d, cr_error *err)
{
    static const cr_field columns[] = {
        {"feature", "feature", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
        {"kind", "kind", NULL, CR_SHOW_PLAIN, CR_FOR_PROGRAMS},
        {"verdict", "verdict", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
        {"index", "index", NULL, CR_SHOW_INDEX, CR_FOR_ALL},
        {"test", "test", NULL, CR_SHOW_PLAIN, CR_FOR_PROGRAMS},
        {"p", "p", NULL, CR_SHOW_P, CR_FOR_ALL},
        {"missing", "missing", NULL, CR_SHOW_PERCENT, CR_FOR_ALL},
        {"what changed", "what changed", NULL, CR_SHOW_PLAIN, CR_FOR_ALL},
    };
    feature_row row;
    size_t column;
    char text[256];
    cr_status st = cr__sheet_new(out, err);

    if (st != CR_OK)
        return st;
    for (size_t i = 0; i < CR__COUNT_OF(columns); i++)
        cr__sheet_column(*out, columns[i]);
    for (size_t i = 0; ranked(d, i, &row, &column); i++) {
        cr__sheet_text(*out, row.f.name);
        cr__sheet_text(*out, row.kind);
        cr__sheet_text(*out, row.verdict);
        cr__sheet_number(*out, row.f.index);
        cr__sheet_text(*out, row.f.test);
        cr__sheet_number(*out, row.f.corrected);
        cr__sheet_number(*out, row.f.missing_after);
        describe(d, &row.f, column, text, sizeof text);
        cr__sheet_own(*out, text);
    }
    return cr__sheet_done(out, err);
}
