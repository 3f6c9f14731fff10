/* render/predictions.c - predictions as rows of CSV or JSON, fast.
 *
 * There may be millions of rows per second, so whatever repeats (class names, keys) is quoted once,
 * and batches are formatted by several threads at a time, directly into the output.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/sized.h"
#include "credence/render.h"

#define REASON "every class gives this row probability zero"

enum { ALL_DIGITS = -1 };

/* Some bytes, already quoted. */
typedef struct quoted {
    char *bytes;
    size_t size;
} quoted;

struct cr_prediction_writer {
    cr_prediction_format how; /* `only` belongs to the writer */
    char *only;
    int number; /* a number is predicted */
    int digits; /* decimals of probabilities, or ALL_DIGITS */
    size_t classes;
    quoted *answer; /* [classes] a class as a field or a JSON string */
    quoted *key;    /* [classes] the head of its column, or its JSON key */
};

/* --- words that repeat -------------------------------------------------------------------- */

/* A name as a JSON string, or as a field of CSV between two texts. 0: no memory. */
static int quote(quoted *q, int json, const char *before, const char *name, const char *after)
{
    cr_output out = {0};
    cr__buffer whole = {0};

    cr__buffer_adds(&whole, before);
    cr__buffer_adds(&whole, name);
    cr__buffer_adds(&whole, after);
    cr__buffer_addc(&whole, '\0');
    if (!whole.failed && json)
        cr_json_quote(&out, whole.data, whole.size - 1);
    else if (!whole.failed)
        cr_csv_field(&out, whole.data, whole.size - 1);
    *q = (quoted){out.bytes.data, out.bytes.size};
    out.bytes.failed |= whole.failed;
    cr__buffer_free(&whole);
    return !out.bytes.failed;
}

static int quote_classes(cr_prediction_writer *w, const cr_model *model)
{
    int good;

    w->answer = cr__alloc_zero(w->classes + 1, sizeof *w->answer);
    w->key = cr__alloc_zero(w->classes + 1, sizeof *w->key);
    good = w->answer != NULL && w->key != NULL;
    for (size_t c = 0; good && c < w->classes; c++) {
        const char *name = cr_model_class(model, c);

        good = quote(&w->answer[c], w->how.json, "", name, "") &&
               (w->how.json ? quote(&w->key[c], 1, "", name, "")
                            : quote(&w->key[c], 0, "p(", name, ")"));
    }
    return good;
}

cr_status cr_prediction_writer_new(cr_prediction_writer **out, const cr_model *model,
                                   const cr_prediction_format *format, cr_error *err)
{
    cr_prediction_writer *w = cr__alloc_zero(1, sizeof *w);
    cr_status st;

    *out = NULL;
    if (w == NULL)
        return cr__fail_memory(err);
    if ((st = cr__sized_take(&w->how, sizeof w->how, format, "cr_prediction_format", err)) ==
            CR_OK &&
        w->how.digits > CR_PREDICTION_DIGITS + 1)
        st = cr__fail(err, CR_EARG, "at most %d decimals", CR_PREDICTION_DIGITS);
    if (st == CR_OK && w->how.only != NULL &&
        (w->only = cr__strndup(w->how.only, strlen(w->how.only))) == NULL)
        st = cr__fail_memory(err);
    w->how.only = w->only;
    w->digits = w->how.digits == 0 ? ALL_DIGITS : (int)w->how.digits - 1;
    w->number = cr_model_is_regression(model);
    w->classes = cr_model_classes(model);
    if (st == CR_OK && !quote_classes(w, model))
        st = cr__fail_memory(err);
    if (st == CR_OK)
        *out = w;
    else
        cr_prediction_writer_free(w);
    return st;
}

void cr_prediction_writer_free(cr_prediction_writer *w)
{
    if (w == NULL)
        return;
    for (size_t c = 0; c < w->classes; c++) {
        if (w->answer != NULL)
            cr__free(w->answer[c].bytes);
        if (w->key != NULL)
            cr__free(w->key[c].bytes);
    }
    cr__free(w->answer);
    cr__free(w->key);
    cr__free(w->only);
    cr__free(w);
}

/* --- a batch into bytes; several threads at once ------------------------------------------ */

static void put(cr_output *out, const quoted *q)
{
    cr_output_bytes(out, q->bytes, q->size);
}

/* A probability with a number of decimals, or as many as are needed to read it back. */
static void put_number(cr_output *out, double x, int digits)
{
    static const double scale[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    char text[CR_PREDICTION_DIGITS + 2];
    uint64_t units;

    if (digits == ALL_DIGITS) {
        cr_output_number(out, x);
        return;
    }
    units = (uint64_t)(x * scale[digits] + 0.5);
    for (int i = digits; i > 0; i--) {
        text[i + 1] = (char)('0' + units % 10);
        units /= 10;
    }
    text[0] = (char)('0' + units);
    text[1] = '.';
    cr_output_bytes(out, text, digits == 0 ? 1 : (size_t)digits + 2);
}

static void put_field(cr_output *out, const char *field, size_t size)
{
    if (field != NULL)
        cr_csv_field(out, field, size);
}

/* Whether a column of the input is repeated. */
static int is_kept(const cr_prediction_writer *w, const char *name)
{
    const size_t length = strlen(name);

    if (w->how.only == NULL)
        return 1;
    for (const char *at = w->how.only; *at != '\0'; at += *at == ',') {
        const size_t size = strcspn(at, ",");

        if (size == length && memcmp(at, name, size) == 0)
            return 1;
        at += size;
    }
    return 0;
}

static void keep_fields(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                        cr_output *out)
{
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        size_t size;

        if (!is_kept(w, cr_predictions_field_name(p, f)))
            continue;
        const char *field = cr_predictions_field(p, row, f, &size);

        put_field(out, field, size);
        cr_output_bytes(out, ",", 1);
    }
}

static void csv_row(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                    cr_output *out)
{
    int32_t decision = p->decision[row];

    if (w->how.fields)
        keep_fields(w, p, row, out);
    if (decision == CR_UNDECIDED)
        cr_output_bytes(out, "?", 1);
    else
        put(out, &w->answer[decision]);
    if (w->how.reasons)
        cr_output_text(out, p->reason[row] == CR_REJECTED     ? ",rejected"
                            : p->reason[row] == CR_IMPOSSIBLE ? ",impossible"
                                                              : ",");
    for (size_t c = 0; w->how.posterior && c < w->classes; c++) {
        cr_output_bytes(out, ",", 1);
        if (p->reason[row] != CR_IMPOSSIBLE)
            put_number(out, p->posterior[row * w->classes + c], w->digits);
    }
    for (size_t i = 0; w->how.level > 0 && i < 2; i++) {
        cr_output_bytes(out, ",", 1);
        if (decision != CR_UNDECIDED)
            put_number(out, (i == 0 ? p->low : p->high)[row * w->classes + (size_t)decision],
                       w->digits);
    }
    if (w->how.errors)
        cr_output_bytes(out, ",", 1);
    cr_output_bytes(out, "\n", 1);
}

/* Whether the text is a number in JSON's syntax: then it is written as one. */
static int is_json_number(const char *text, size_t size)
{
    size_t i = size > 0 && text[0] == '-', digits = i;

    while (i < size && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == digits || (text[digits] == '0' && i > digits + 1))
        return 0;
    if (i < size && text[i] == '.') {
        digits = ++i;
        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == digits)
            return 0;
    }
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        i += i < size && (text[i] == '+' || text[i] == '-');
        digits = i;
        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == digits)
            return 0;
    }
    return i == size;
}

static void put_json_field(cr_output *out, const char *field, size_t size)
{
    if (field == NULL || size == 0)
        cr_output_text(out, "null");
    else if (is_json_number(field, size))
        cr_output_bytes(out, field, size);
    else
        cr_json_quote(out, field, size);
}

static void json_input(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                       cr_output *out)
{
    int first = 1;

    cr_output_text(out, "\"input\": {");
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        const char *name = cr_predictions_field_name(p, f);
        size_t size;
        const char *field = cr_predictions_field(p, row, f, &size);

        if (!is_kept(w, name))
            continue;
        if (!first)
            cr_output_bytes(out, ", ", 2);
        first = 0;
        cr_json_quote(out, name, strlen(name));
        cr_output_bytes(out, ": ", 2);
        put_json_field(out, field, size);
    }
    cr_output_bytes(out, "}, ", 3);
}

/* {"CLASS": [low, high], ...} */
static void json_interval(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                          cr_output *out)
{
    cr_output_text(out, ", \"interval\": {");
    for (size_t c = 0; c < w->classes; c++) {
        if (c != 0)
            cr_output_bytes(out, ", ", 2);
        put(out, &w->key[c]);
        cr_output_bytes(out, ": [", 3);
        put_number(out, p->low[row * w->classes + c], w->digits);
        cr_output_bytes(out, ", ", 2);
        put_number(out, p->high[row * w->classes + c], w->digits);
        cr_output_bytes(out, "]", 1);
    }
    cr_output_bytes(out, "}", 1);
}

static void json_row(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                     cr_output *out)
{
    int32_t decision = p->decision[row];

    cr_output_bytes(out, "{", 1);
    if (w->how.fields)
        json_input(w, p, row, out);
    cr_output_text(out, "\"prediction\": ");
    if (p->reason[row] == CR_IMPOSSIBLE) {
        cr_output_text(out, "null, \"posterior\": null, \"reason\": \"" REASON "\"}\n");
        return;
    }
    if (decision == CR_UNDECIDED)
        cr_output_text(out, "null");
    else
        put(out, &w->answer[decision]);
    cr_output_text(out, ", \"posterior\": {");
    for (size_t c = 0; c < w->classes; c++) {
        if (c != 0)
            cr_output_bytes(out, ", ", 2);
        put(out, &w->key[c]);
        cr_output_bytes(out, ": ", 2);
        put_number(out, p->posterior[row * w->classes + c], w->digits);
    }
    cr_output_bytes(out, "}", 1);
    if (w->how.level > 0)
        json_interval(w, p, row, out);
    if (p->expected_cost != NULL) {
        cr_output_text(out, ", \"expected_cost\": ");
        cr_output_number(out, p->expected_cost[row]);
    }
    if (decision == CR_UNDECIDED)
        cr_output_text(out, ", \"reason\": \"rejected\"");
    cr_output_bytes(out, "}\n", 2);
}

/* --- numbers ------------------------------------------------------------------------------ */

static void put_real(cr_output *out, double x, int digits)
{
    char text[400];

    if (digits == ALL_DIGITS || !(fabs(x) < 1e300)) {
        cr_output_number(out, x);
        return;
    }
    snprintf(text, sizeof text, "%.*f", digits, x);
    cr_output_text(out, text);
}

/* The mean and the other requested figures, each after its name in JSON or a comma in CSV. */
static void number_row(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                       cr_output *out)
{
    const cr_regression *f = &p->regression[row];
    double low = 0, high = 0;

    if (w->how.level > 0)
        cr_regression_interval(f, w->how.level, &low, &high);
    if (w->how.json) {
        cr_output_text(out, "{");
        if (w->how.fields)
            json_input(w, p, row, out);
        cr_output_text(out, "\"prediction\": ");
    } else if (w->how.fields) {
        keep_fields(w, p, row, out);
    }
    put_real(out, f->mean, w->digits);
    if (w->how.posterior || w->how.json) {
        const double variance = cr_regression_variance(f);

        cr_output_text(out, w->how.json ? ", \"sd\": " : ",");
        if (isfinite(variance))
            put_real(out, sqrt(variance), w->digits);
        else
            cr_output_text(out, w->how.json ? "null" : "");
    }
    if (w->how.level > 0) {
        cr_output_text(out, w->how.json ? ", \"low\": " : ",");
        put_real(out, low, w->digits);
        cr_output_text(out, w->how.json ? ", \"high\": " : ",");
        put_real(out, high, w->digits);
    }
    cr_output_text(out, w->how.json ? "}\n" : w->how.errors ? ",\n" : "\n");
}

/* A row that could not be read, in its place: {"line": 3, "error": "..."}, or in CSV a line with
 * only the error. */
static void error_row(const cr_prediction_writer *w, const cr_predictions *p, size_t row,
                      cr_output *out)
{
    const char *why = p->error[row];
    size_t empty = 1 + 2 * (size_t)(w->how.level > 0) +
                   (w->number ? (size_t)w->how.posterior
                              : (size_t)w->how.reasons + (w->how.posterior ? w->classes : 0));

    if (w->how.json) {
        cr_output_text(out, "{\"line\": ");
        cr_output_number(out, (double)p->line[row]);
        cr_output_text(out, ", \"error\": ");
        cr_json_quote(out, why, strlen(why));
        cr_output_text(out, "}\n");
        return;
    }
    for (size_t f = 0; w->how.fields && f < cr_predictions_fields(p); f++)
        empty += is_kept(w, cr_predictions_field_name(p, f));
    while (empty-- > 0)
        cr_output_bytes(out, ",", 1);
    cr_csv_field(out, why, strlen(why));
    cr_output_bytes(out, "\n", 1);
}

void cr_prediction_writer_rows(const cr_prediction_writer *w, const cr_predictions *p,
                               cr_output *out)
{
    for (size_t row = 0; row < p->rows; row++)
        if (p->error != NULL && p->error[row] != NULL)
            error_row(w, p, row, out);
        else if (w->number)
            number_row(w, p, row, out);
        else if (w->how.json)
            json_row(w, p, row, out);
        else
            csv_row(w, p, row, out);
}

void cr_prediction_writer_header(const cr_prediction_writer *w, const cr_predictions *p,
                                 cr_output *out)
{
    if (w->how.json)
        return;
    for (size_t f = 0; w->how.fields && p != NULL && f < cr_predictions_fields(p); f++) {
        const char *name = cr_predictions_field_name(p, f);

        if (!is_kept(w, name))
            continue;
        cr_csv_field(out, name, strlen(name));
        cr_output_bytes(out, ",", 1);
    }
    cr_output_text(out, "prediction");
    if (w->number)
        cr_output_text(out, w->how.posterior ? ",sd" : "");
    else
        cr_output_text(out, w->how.reasons ? ",reason" : "");
    for (size_t c = 0; !w->number && w->how.posterior && c < w->classes; c++) {
        cr_output_bytes(out, ",", 1);
        put(out, &w->key[c]);
    }
    cr_output_text(out, w->how.level > 0 ? ",low,high" : "");
    cr_output_text(out, w->how.errors ? ",error\n" : "\n");
}
