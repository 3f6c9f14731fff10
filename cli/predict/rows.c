/* cli/predict/rows.c - put predictions into bytes, fast. */
#include "predict/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/linear.h"
#include "out/csv.h"
#include "out/json.h"
#include "out/text.h"
#include "session/reserve.h"

#define REASON "every class gives this row probability zero"

/* --- words that repeat -------------------------------------------------------------------- */

/* Run write into memory. */
static quoted_text quoted(void (*write)(FILE *file, const char *text), const char *before,
                          const char *text, const char *after)
{
    quoted_text q = {0};
    char *whole = reserve(strlen(before) + strlen(text) + strlen(after) + 1, 1);
    FILE *file = open_memstream(&q.bytes, &q.size);

    if (file == NULL)
        reserve_failed();
    stpcpy(stpcpy(stpcpy(whole, before), text), after);
    write(file, whole);
    fclose(file);
    free(whole);
    return q;
}

void rows_begin(row_writer *w, const cr_model *model)
{
    w->number = cr_model_is_regression(model);
    w->classes = cr_model_classes(model);
    w->answer = reserve(w->classes, sizeof *w->answer);
    w->key = reserve(w->classes, sizeof *w->key);
    for (size_t c = 0; c < w->classes; c++) {
        const char *name = cr_model_class(model, c);

        w->answer[c] = quoted(w->json ? json_quote : csv_field, "", name, "");
        if (w->json)
            w->key[c] = quoted(json_quote, "", name, "");
        else if (w->proba)
            w->key[c] = quoted(csv_field, "p(", name, ")");
    }
}

void rows_end(row_writer *w)
{
    for (size_t c = 0; c < w->classes; c++) {
        free(w->answer[c].bytes);
        free(w->key[c].bytes);
    }
    free(w->answer);
    free(w->key);
}

/* --- a batch into bytes; several threads at once ------------------------------------------ */

static void put(cr_output *out, const quoted_text *q)
{
    cr_output_bytes(out, q->bytes, q->size);
}

/* A probability with so many decimals, or as many as it takes to read it back. */
static void put_number(cr_output *out, double x, int digits)
{
    static const double scale[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    char text[MOST_DIGITS + 2];
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

static void put_csv_field(cr_output *out, const char *field, size_t size)
{
    if (field == NULL)
        return;
    if (!csv_needs_quotes(field, size)) {
        cr_output_bytes(out, field, size);
        return;
    }
    cr_output_bytes(out, "\"", 1);
    for (const char *quote; (quote = memchr(field, '"', size)) != NULL;) {
        size_t part = (size_t)(quote - field) + 1;

        cr_output_bytes(out, field, part);
        cr_output_bytes(out, "\"", 1);
        field += part;
        size -= part;
    }
    cr_output_bytes(out, field, size);
    cr_output_bytes(out, "\"", 1);
}

/* Whether a column of the input is repeated. */
static bool is_kept(const row_writer *w, const char *name)
{
    const size_t length = strlen(name);

    if (w->only == NULL)
        return true;
    for (const char *at = w->only; *at != '\0'; at += *at == ',') {
        const size_t size = strcspn(at, ",");

        if (size == length && memcmp(at, name, size) == 0)
            return true;
        at += size;
    }
    return false;
}

static void keep_fields(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        size_t size;

        if (!is_kept(w, cr_predictions_field_name(p, f)))
            continue;
        const char *field = cr_predictions_field(p, row, f, &size);

        put_csv_field(out, field, size);
        cr_output_bytes(out, ",", 1);
    }
}

static void csv_row(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    int32_t decision = p->decision[row];

    if (w->keep)
        keep_fields(w, p, row, out);
    if (decision == CR_UNDECIDED)
        cr_output_bytes(out, "?", 1);
    else
        put(out, &w->answer[decision]);
    if (w->reasons)
        cr_output_text(out, p->reason[row] == CR_REJECTED     ? ",rejected"
                            : p->reason[row] == CR_IMPOSSIBLE ? ",impossible"
                                                              : ",");
    for (size_t c = 0; w->proba && c < w->classes; c++) {
        cr_output_bytes(out, ",", 1);
        if (p->reason[row] != CR_IMPOSSIBLE)
            put_number(out, p->posterior[row * w->classes + c], w->digits);
    }
    for (size_t i = 0; w->level > 0 && i < 2; i++) {
        cr_output_bytes(out, ",", 1);
        if (decision != CR_UNDECIDED)
            put_number(out, (i == 0 ? p->low : p->high)[row * w->classes + (size_t)decision],
                       w->digits);
    }
    cr_output_text(out, w->errors ? ",\n" : "\n");
}

/* Does the text spell a number as JSON does? Then it stays one. */
static bool is_json_number(const char *text, size_t size)
{
    size_t i = size > 0 && text[0] == '-', digits = i;

    while (i < size && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == digits || (text[digits] == '0' && i > digits + 1))
        return false;
    if (i < size && text[i] == '.') {
        digits = ++i;
        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == digits)
            return false;
    }
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        i += i < size && (text[i] == '+' || text[i] == '-');
        digits = i;
        while (i < size && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == digits)
            return false;
    }
    return i == size;
}

/* One character that JSON escapes or that is not ASCII; how many bytes it had. */
static size_t put_json_odd(cr_output *out, const char *text, size_t size)
{
    char here[5] = "", escaped[8];
    const char *next = here;
    uint32_t c;

    memcpy(here, text, size < 4 ? size : 4);
    c = text_next(&next);
    if (c == '"' || c == '\\')
        snprintf(escaped, sizeof escaped, "\\%c", (char)c);
    else if (c < 0x80)
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)c);
    else if (c == 0xFFFD)
        snprintf(escaped, sizeof escaped, "\xEF\xBF\xBD");
    else
        snprintf(escaped, sizeof escaped, "%.*s", (int)(next - here), here);
    cr_output_text(out, escaped);
    return (size_t)(next - here);
}

/* Runs of plain ASCII are copied whole; only what lies between is looked at more closely. */
static void put_json_text(cr_output *out, const char *text, size_t size)
{
    const char *end = text + size;

    cr_output_bytes(out, "\"", 1);
    while (text < end) {
        const char *run = text;

        while (text < end && *text >= 0x20 && *text < 0x7F && *text != '"' && *text != '\\')
            text++;
        cr_output_bytes(out, run, (size_t)(text - run));
        if (text < end)
            text += put_json_odd(out, text, (size_t)(end - text));
    }
    cr_output_bytes(out, "\"", 1);
}

static void put_json_field(cr_output *out, const char *field, size_t size)
{
    if (field == NULL || size == 0)
        cr_output_text(out, "null");
    else if (is_json_number(field, size))
        cr_output_bytes(out, field, size);
    else
        put_json_text(out, field, size);
}

static void json_input(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    bool first = true;

    cr_output_text(out, "\"input\": {");
    for (size_t f = 0; f < cr_predictions_fields(p); f++) {
        const char *name = cr_predictions_field_name(p, f);
        size_t size;
        const char *field = cr_predictions_field(p, row, f, &size);

        if (!is_kept(w, name))
            continue;
        if (!first)
            cr_output_bytes(out, ", ", 2);
        first = false;
        put_json_text(out, name, strlen(name));
        cr_output_bytes(out, ": ", 2);
        put_json_field(out, field, size);
    }
    cr_output_bytes(out, "}, ", 3);
}

/* {"CLASS": [low, high], ...} */
static void json_interval(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
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

static void json_row(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    int32_t decision = p->decision[row];

    cr_output_bytes(out, "{", 1);
    if (w->keep)
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
    if (w->level > 0)
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

/* Mean, and what else is asked for, each after its name in JSON or a comma in CSV. */
static void number_row(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    const cr_regression *f = &p->regression[row];
    double low = 0, high = 0;

    if (w->level > 0)
        cr_regression_interval(f, w->level, &low, &high);
    if (w->json) {
        cr_output_text(out, "{");
        if (w->keep)
            json_input(w, p, row, out);
        cr_output_text(out, "\"prediction\": ");
    } else if (w->keep) {
        keep_fields(w, p, row, out);
    }
    put_real(out, f->mean, w->digits);
    if (w->proba || w->json) {
        const double variance = cr_regression_variance(f);

        cr_output_text(out, w->json ? ", \"sd\": " : ",");
        if (isfinite(variance))
            put_real(out, sqrt(variance), w->digits);
        else
            cr_output_text(out, w->json ? "null" : "");
    }
    if (w->level > 0) {
        cr_output_text(out, w->json ? ", \"low\": " : ",");
        put_real(out, low, w->digits);
        cr_output_text(out, w->json ? ", \"high\": " : ",");
        put_real(out, high, w->digits);
    }
    cr_output_text(out, w->json ? "}\n" : w->errors ? ",\n" : "\n");
}

/* A row that could not be read, in its place: {"line": 3, "error": "..."}, or in CSV a line of
 * which only the error is there. */
static void error_row(const row_writer *w, const cr_predictions *p, size_t row, cr_output *out)
{
    const char *why = p->error[row];
    size_t empty = 1 + 2 * (size_t)(w->level > 0) +
                   (w->number ? (size_t)w->proba
                              : (size_t)w->reasons + (w->proba ? w->classes : 0));

    if (w->json) {
        cr_output_text(out, "{\"line\": ");
        cr_output_number(out, (double)p->line[row]);
        cr_output_text(out, ", \"error\": ");
        put_json_text(out, why, strlen(why));
        cr_output_text(out, "}\n");
        return;
    }
    for (size_t f = 0; w->keep && f < cr_predictions_fields(p); f++)
        empty += is_kept(w, cr_predictions_field_name(p, f));
    while (empty-- > 0)
        cr_output_bytes(out, ",", 1);
    put_csv_field(out, why, strlen(why));
    cr_output_bytes(out, "\n", 1);
}

void rows_render(const row_writer *w, const cr_predictions *p, cr_output *out)
{
    for (size_t row = 0; row < p->rows; row++)
        if (p->error != NULL && p->error[row] != NULL)
            error_row(w, p, row, out);
        else if (w->number)
            number_row(w, p, row, out);
        else if (w->json)
            json_row(w, p, row, out);
        else
            csv_row(w, p, row, out);
}

void rows_header(const row_writer *w, const cr_predictions *p)
{
    for (size_t f = 0; w->keep && p != NULL && f < cr_predictions_fields(p); f++) {
        if (!is_kept(w, cr_predictions_field_name(p, f)))
            continue;
        csv_field(stdout, cr_predictions_field_name(p, f));
        putchar(',');
    }
    if (w->number) {
        fputs(w->proba ? "prediction,sd" : "prediction", stdout);
        fputs(w->level > 0 ? ",low,high" : "", stdout);
        puts(w->errors ? ",error" : "");
        return;
    }
    fputs(w->reasons ? "prediction,reason" : "prediction", stdout);
    for (size_t c = 0; w->proba && c < w->classes; c++) {
        putchar(',');
        fwrite(w->key[c].bytes, 1, w->key[c].size, stdout);
    }
    fputs(w->level > 0 ? ",low,high" : "", stdout);
    puts(w->errors ? ",error" : "");
}
