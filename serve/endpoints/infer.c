/* serve/endpoints/infer.c - POST /v2/models/NAME/infer: tensors in, tensors out.
 *
 * A tensor is one column of the model, named as it is, with one number or text a row; or one tensor
 * of two dimensions has all features, in the order of the model's metadata. null is missing.
 * Tensors become arrays of the library where they are; answers are written as they come. Tensors
 * that come as bytes are read (see tensor.h); answers are JSON, which clients of these read, too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoints/endpoints.h"
#include "endpoints/tensor.h"
#include "traffic.h"
#include "json_list.h"

enum { OUT_PREDICTION = 1, OUT_POSTERIOR = 2, OUT_COST = 4, OUT_SD = 8 };

typedef struct inference {
    call *k;
    const cr_json_value *body;
    size_t rows;
    cr_array *array; /* [columns] */
    size_t columns;
    double *number; /* [tensor values] of all tensors */
    cr_span *text;
    size_t numbers, texts;      /* taken of these */
    const unsigned char *bytes; /* after the JSON: binary tensors not yet taken */
    size_t left;
    unsigned outputs;
    cr_rule *rule;
} inference;

/* --- data ------------------------------------------------------------------------------------- */

static bool is_whole(double x)
{
    return rint(x) == x && fabs(x) <= 9007199254740992.0;
}

/* Take one value of a tensor. */
static cr_status take(inference *f, const cr_json_value *n, tensor_kind kind, const char *name)
{
    const bool missing = n->kind == CR_JSON_NULL;
    double *x;

    if (kind == TENSOR_TEXT) {
        cr_span *s = &f->text[f->texts++];

        *s = (cr_span){missing ? NULL : n->text, missing ? 0 : n->size};
        return missing || n->kind == CR_JSON_STRING
                   ? CR_OK
                   : fail(f->k->err, CR_EARG, NULL, "a value of '%.100s' is no string", name);
    }
    x = &f->number[f->numbers++];
    *x = missing ? NAN : n->number;
    if (missing)
        return CR_OK;
    if (kind == TENSOR_BOOL && (n->kind == CR_JSON_TRUE || n->kind == CR_JSON_FALSE))
        *x = n->kind == CR_JSON_TRUE;
    else if (n->kind != CR_JSON_NUMBER)
        return fail(f->k->err, CR_EARG, NULL, "a value of '%.100s' is not a number", name);
    if (kind == TENSOR_WHOLE && !is_whole(*x))
        return fail(f->k->err, CR_EARG, NULL,
                    "a value of '%.100s' is no whole number that can be held exactly", name);
    return CR_OK;
}

/* All values of a tensor's data, flat or in nested arrays. */
static cr_status take_all(inference *f, const cr_json_value *data, tensor_kind kind,
                          const char *name, size_t *count)
{
    const cr_json_value *up[CR_JSON_READ_DEPTH];
    const cr_json_value *n = data->child;
    cr_status status = CR_OK;
    int depth = 0;

    *count = 0;
    while (status == CR_OK) {
        if (n == NULL && depth == 0)
            return CR_OK;
        if (n == NULL) {
            n = up[--depth]->next;
        } else if (n->kind == CR_JSON_ARRAY) {
            up[depth++] = n;
            n = n->child;
        } else {
            status = take(f, n, kind, name);
            n = n->next;
            ++*count;
        }
    }
    return status;
}

/* The bytes of a tensor after the JSON. */
static cr_status take_bytes(inference *f, const tensor_type *type, const char *name, double bytes,
                            size_t *count)
{
    size_t size;

    if (!(bytes >= 0 && bytes <= (double)f->left) || rint(bytes) != bytes)
        return fail(f->k->err, CR_EARG, "Inference-Header-Content-Length is the size of the JSON",
                    "the tensor '%.100s' has %.0f bytes, but %zu are left", name, bytes, f->left);
    size = (size_t)bytes;
    f->left -= size;
    for (*count = 0; size > 0; ++*count) {
        if (type->kind == TENSOR_TEXT) {
            if (!tensor_text(&f->bytes, &size, &f->text[f->texts++]))
                return fail(f->k->err, CR_EARG, NULL, "the tensor '%.100s' is cut off", name);
            continue;
        }
        if (size < type->size)
            return fail(f->k->err, CR_EARG, NULL, "the tensor '%.100s' is cut off", name);
        f->number[f->numbers] = tensor_number(type, f->bytes);
        if (type->kind == TENSOR_WHOLE && !is_whole(f->number[f->numbers]))
            return fail(f->k->err, CR_EARG, NULL,
                        "a value of '%.100s' is no whole number that can be held exactly", name);
        f->numbers++;
        f->bytes += type->size;
        size -= type->size;
    }
    return CR_OK;
}

/* --- tensors ---------------------------------------------------------------------------------- */

static cr_status read_shape(inference *f, const cr_json_value *tensor, const char *name,
                            double *rows, double *width)
{
    size_t count = 0;
    double *shape = json_numbers(cr_json_get(tensor, "shape"), &count);
    bool right = shape != NULL && count >= 1 && count <= 2;

    *rows = right ? shape[0] : 0;
    *width = right && count == 2 ? shape[1] : 1;
    for (size_t i = 0; right && i < count; i++)
        right = shape[i] >= 0 && shape[i] <= 1e9 && rint(shape[i]) == shape[i];
    free(shape);
    if (!right)
        return fail(f->k->err, CR_EARG, "[rows], [rows, 1] or [rows, features]",
                    "the tensor '%.100s' has no shape that can be used", name);
    if (*rows > (double)f->k->service->max_rows)
        return fail(f->k->err, CR_ELIMIT, "send them in parts", "more than %zu rows",
                    f->k->service->max_rows);
    return CR_OK;
}

/* Column c of the tensor's values. BOOL becomes the words true and false if the model has words. */
static void describe(inference *f, const view_column *column, tensor_kind kind, size_t first,
                     size_t c, size_t width)
{
    static const char *const words[] = {"false", "true"};
    static const cr_array names = {.text = words};
    cr_array *a = &f->array[f->columns++];
    const cr_model *model = view_model(f->k->view);

    *a = (cr_array){.name = column->name};
    if (kind == TENSOR_TEXT) {
        a->data = f->text + first + c;
        a->element = CR_ELEMENT_SPAN;
        a->stride = (ptrdiff_t)(width * sizeof *f->text);
        return;
    }
    a->data = f->number + first + c;
    a->element = CR_ELEMENT_DOUBLE;
    a->stride = (ptrdiff_t)(width * sizeof *f->number);
    if (kind != TENSOR_BOOL || column->kind != CR_SYMBOL)
        return;
    for (size_t v = 0; v < cr_model_values(model, column->column); v++)
        if (strcmp(cr_model_value(model, column->column, v), "true") == 0) {
            int64_t *code = (int64_t *)(void *)(f->number + first + c);

            for (size_t r = 0; r < f->rows; r++, code += width) {
                const double x = f->number[first + c + r * width];

                *code = isnan(x) ? -1 : x != 0;
            }
            a->element = CR_ELEMENT_INT64;
            a->names = &names;
            a->name_count = 2;
            return;
        }
}

static cr_status describe_all(inference *f, const char *name, tensor_kind kind, size_t first,
                              size_t width)
{
    const view *v = f->k->view;
    size_t c = 0;

    if (width == 1) {
        for (size_t i = 0; i < v->columns; i++)
            if (strcmp(v->column[i].name, name) == 0) {
                describe(f, &v->column[i], kind, first, 0, 1);
                return CR_OK;
            }
        if (v->features != 1)
            return fail(f->k->err, CR_EARG, "GET /v2/models/NAME names its inputs",
                        "the model has no input '%.100s'", name);
    }
    if (width != v->features)
        return fail(f->k->err, CR_EARG, NULL, "the tensor '%.100s' has %zu columns, the model %zu",
                    name, width, v->features);
    for (size_t i = 0; i < v->columns; i++)
        if (v->column[i].feature)
            describe(f, &v->column[i], kind, first, c++, width);
    return CR_OK;
}

static cr_status take_tensor(inference *f, const cr_json_value *tensor, bool is_first)
{
    const char *name = cr_json_get_text(tensor, "name", NULL);
    const char *datatype = cr_json_get_text(tensor, "datatype", NULL);
    const cr_json_value *data = cr_json_get(tensor, "data");
    const double bytes =
        cr_json_get_number(cr_json_get(tensor, "parameters"), "binary_data_size", -1);
    const tensor_type *type;
    double rows, width;
    size_t first, count = 0;
    cr_status status;

    if (name == NULL || datatype == NULL ||
        (bytes < 0 && (data == NULL || data->kind != CR_JSON_ARRAY)))
        return fail(f->k->err, CR_EARG, NULL, "an input needs name, shape, datatype and data");
    if ((type = tensor_type_of(datatype)) == NULL)
        return fail(f->k->err, CR_EARG, "BOOL, INT8 … UINT64, FP16, FP32, FP64, BYTES",
                    "there is no datatype '%.40s'", datatype);
    if ((status = read_shape(f, tensor, name, &rows, &width)) != CR_OK)
        return status;
    if (!is_first && (double)f->rows != rows)
        return fail(f->k->err, CR_EARG, NULL, "the tensor '%.100s' has %.0f rows, others have %zu",
                    name, rows, f->rows);
    f->rows = (size_t)rows;
    first = type->kind == TENSOR_TEXT ? f->texts : f->numbers;
    status = bytes >= 0 ? take_bytes(f, type, name, bytes, &count)
                        : take_all(f, data, type->kind, name, &count);
    if (status != CR_OK)
        return status;
    if ((double)count != rows * width)
        return fail(f->k->err, CR_EARG, NULL, "the tensor '%.100s' has %zu values, not %.0f", name,
                    count, rows * width);
    return describe_all(f, name, type->kind, first, (size_t)width);
}

/* The largest number of values in the binary tensors. */
static size_t binary_values(const inference *f, const cr_json_value *inputs)
{
    size_t values = 0;

    for (const cr_json_value *n = inputs->child; n != NULL; n = n->next) {
        const double bytes =
            cr_json_get_number(cr_json_get(n, "parameters"), "binary_data_size", 0);
        const tensor_type *type = tensor_type_of(cr_json_get_text(n, "datatype", ""));

        if (type != NULL && bytes > 0 && bytes <= (double)f->left)
            values += (size_t)bytes / type->size + 1;
    }
    return values;
}

static cr_status take_inputs(inference *f, size_t values)
{
    const cr_json_value *inputs = cr_json_get(f->body, "inputs");
    cr_status status = CR_OK;

    if (inputs == NULL || inputs->kind != CR_JSON_ARRAY || inputs->count == 0)
        return fail(f->k->err, CR_EARG, NULL, "the body has no \"inputs\"");
    if (inputs->count > f->k->view->columns)
        return fail(f->k->err, CR_EARG, NULL, "%zu inputs, but the model has %zu columns",
                    inputs->count, f->k->view->columns);
    values += binary_values(f, inputs);
    f->array = calloc(inputs->count + f->k->view->features, sizeof *f->array);
    f->number = calloc(values + 1, sizeof *f->number);
    f->text = calloc(values + 1, sizeof *f->text);
    if (f->array == NULL || f->number == NULL || f->text == NULL)
        return fail(f->k->err, CR_ENOMEM, NULL, "out of memory");
    for (const cr_json_value *n = inputs->child; n != NULL && status == CR_OK; n = n->next)
        status = take_tensor(f, n, n == inputs->child);
    if (status == CR_OK && f->left > 0)
        status = fail(f->k->err, CR_EARG, NULL, "%zu bytes follow the last tensor", f->left);
    return status;
}

/* --- requested outputs ------------------------------------------------------------------------ */

static cr_status take_rule(inference *f)
{
    const cr_json_value *p = cr_json_get(f->body, "parameters");
    const cr_json_value *reject = cr_json_get(p, "reject");
    cr_rule_options o = {.costs = cr_json_get_text(p, "cost", NULL),
                         .priors = cr_json_get_text(p, "priors", NULL),
                         .may_reject = reject != NULL,
                         .reject_cost = reject != NULL ? reject->number : 0};

    if (o.costs == NULL && o.priors == NULL && !o.may_reject)
        return CR_OK;
    if (o.may_reject && !(o.reject_cost >= 0 && isfinite(o.reject_cost)))
        return fail(f->k->err, CR_EARG, NULL, "reject takes a cost, a number of at least 0");
    return cr_rule_new(&f->rule, view_model(f->k->view), &o, f->k->err);
}

static cr_status take_outputs(inference *f)
{
    static const struct {
        const char *name;
        unsigned bit;
        bool of_numbers, of_classes;
    } known[] = {{"prediction", OUT_PREDICTION, true, true},
                 {"posterior", OUT_POSTERIOR, false, true},
                 {"expected_cost", OUT_COST, false, true},
                 {"sd", OUT_SD, true, false}};
    const cr_json_value *outputs = cr_json_get(f->body, "outputs");
    const bool numbers = f->k->view->numbers;

    f->outputs = numbers ? OUT_PREDICTION | OUT_SD
                         : OUT_PREDICTION | OUT_POSTERIOR | (f->rule != NULL ? OUT_COST : 0u);
    if (outputs == NULL || outputs->count == 0)
        return CR_OK;
    f->outputs = 0;
    for (const cr_json_value *n = outputs->child; n != NULL; n = n->next) {
        const char *name = cr_json_get_text(n, "name", "");
        unsigned bit = 0;

        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strcmp(known[i].name, name) == 0 &&
                (numbers ? known[i].of_numbers : known[i].of_classes))
                bit = known[i].bit;
        if (bit == 0)
            return fail(f->k->err, CR_EARG, "GET /v2/models/NAME names its outputs",
                        "the model has no output '%.100s'", name);
        f->outputs |= bit;
    }
    return CR_OK;
}

/* --- answers ---------------------------------------------------------------------------------- */

static void open_tensor(cr_output *out, bool *first, const char *name, const char *type,
                        size_t rows, size_t width)
{
    char head[160];

    if (width > 0)
        snprintf(head, sizeof head,
                 "%s{\"name\": \"%s\", \"datatype\": \"%s\", \"shape\": [%zu, %zu], \"data\": [",
                 *first ? "" : ", ", name, type, rows, width);
    else
        snprintf(head, sizeof head,
                 "%s{\"name\": \"%s\", \"datatype\": \"%s\", \"shape\": [%zu], \"data\": [",
                 *first ? "" : ", ", name, type, rows);
    cr_output_text(out, head);
    *first = false;
}

/* JSON has no NaN: unknown values are null. */
static void put_numbers(cr_output *out, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_output_bytes(out, ", ", i == 0 ? 0 : 2);
        if (isfinite(x[i]))
            cr_output_number(out, x[i]);
        else
            cr_output_bytes(out, "null", 4);
    }
    cr_output_bytes(out, "]}", 2);
}

static void put_head(inference *f)
{
    cr_output *out = f->k->answer->out;
    const char *name = f->k->view->slot->name, *id = cr_json_get_text(f->body, "id", NULL);

    cr_output_text(out, "{\"model_name\": ");
    cr_json_quote(out, name, strlen(name));
    cr_output_text(out, ", \"model_version\": \"");
    cr_output_text(out, f->k->view->held->version);
    cr_output_text(out, "\"");
    if (id != NULL) {
        cr_output_text(out, ", \"id\": ");
        cr_json_quote(out, id, strlen(id));
    }
    cr_output_text(out, ", \"outputs\": [");
}

static void put_answers(inference *f, const cr_answers *a)
{
    const view *v = f->k->view;
    cr_output *out = f->k->answer->out;
    bool first = true;

    if ((f->outputs & OUT_PREDICTION) != 0) {
        open_tensor(out, &first, "prediction", "BYTES", f->rows, 0);
        for (size_t r = 0; r < f->rows; r++) {
            cr_output_bytes(out, ", ", r == 0 ? 0 : 2);
            if (a->decision[r] == CR_UNDECIDED)
                cr_output_text(out, "null");
            else
                cr_output_bytes(out, v->words.bytes + v->name[a->decision[r]].at,
                                v->name[a->decision[r]].size);
        }
        cr_output_bytes(out, "]}", 2);
    }
    if ((f->outputs & OUT_POSTERIOR) != 0) {
        open_tensor(out, &first, "posterior", "FP64", f->rows, v->classes);
        put_numbers(out, a->posterior, f->rows * v->classes);
    }
    if ((f->outputs & OUT_COST) != 0) {
        open_tensor(out, &first, "expected_cost", "FP64", f->rows, 0);
        put_numbers(out, a->expected_cost, f->rows);
    }
}

static void put_regression(inference *f, const cr_answers *a)
{
    cr_output *out = f->k->answer->out;
    bool first = true;

    for (size_t r = 0; r < f->rows; r++) {
        a->posterior[r] = a->regression[r].mean;
        a->expected_cost[r] = sqrt(cr_regression_variance(&a->regression[r]));
    }
    if ((f->outputs & OUT_PREDICTION) != 0) {
        open_tensor(out, &first, "prediction", "FP64", f->rows, 0);
        put_numbers(out, a->posterior, f->rows);
    }
    if ((f->outputs & OUT_SD) != 0) {
        open_tensor(out, &first, "sd", "FP64", f->rows, 0);
        put_numbers(out, a->expected_cost, f->rows);
    }
}

static void count_rows(inference *f, const cr_answers *a)
{
    worker *w = f->k->worker;

    w->answered_rows += f->rows;
    for (size_t r = 0; !f->k->view->numbers && r < f->rows; r++) {
        w->undecided += a->reason[r] == CR_IMPOSSIBLE;
        w->rejected += a->reason[r] == CR_REJECTED;
    }
}

/* --- rows for drift detection ----------------------------------------------------------------- */

static void put_value(const cr_array *a, size_t row, cr_output *out)
{
    const char *at = (const char *)a->data + (ptrdiff_t)row * a->stride;

    if (a->element == CR_ELEMENT_SPAN) {
        const cr_span *text = (const void *)at;

        if (text->bytes == NULL)
            cr_output_text(out, "null");
        else
            cr_json_quote(out, text->bytes, text->length);
    } else if (a->element == CR_ELEMENT_INT64) { /* of BOOL: see describe() */
        const int64_t code = *(const int64_t *)(const void *)at;

        cr_output_text(out, code < 0 ? "null" : code != 0 ? "\"true\"" : "\"false\"");
    } else {
        const double x = *(const double *)(const void *)at;

        if (isfinite(x))
            cr_output_number(out, x);
        else
            cr_output_text(out, "null");
    }
}

/* A sample of the rows, to be compared with the training data. */
static void note_rows(inference *f)
{
    const size_t rows = f->rows < NOTED_ROWS ? f->rows : NOTED_ROWS;
    buffer *lines = &f->k->worker->more;
    cr_output *out = NULL;

    buffer_clear(lines, 1 << 20);
    if (cr_output_new(&out, buffer_write, lines, NULL) != CR_OK)
        return;
    for (size_t row = 0; row < rows; row++) {
        for (size_t c = 0; c < f->columns; c++) {
            cr_output_text(out, c == 0 ? "{" : ", ");
            cr_json_quote(out, f->array[c].name, strlen(f->array[c].name));
            cr_output_text(out, ": ");
            put_value(&f->array[c], row, out);
        }
        cr_output_text(out, "}\n");
    }
    if (cr_output_flush(out) == CR_OK)
        traffic_note(f->k->view->slot->traffic, lines->bytes, lines->size, rows);
    cr_output_free(out);
}

static cr_status answer_all(inference *f)
{
    const view *v = f->k->view;
    const cr_json_value *p = cr_json_get(f->body, "parameters");
    const cr_predict_options options = {.allow_absent_columns = cr_json_get_flag(p, "allow_absent"),
                                        .rule = f->rule};
    const cr_run run = {.threads = f->rows < 1000 ? 1 : 0, .pool = f->k->service->pool};
    const size_t rows = f->rows + 1;
    cr_answers a = {.posterior = calloc(rows * (v->classes + 1), sizeof(double)),
                    .decision = calloc(rows, sizeof(int32_t)),
                    .reason = calloc(rows, 1),
                    .expected_cost = calloc(rows, sizeof(double)),
                    .regression = v->numbers ? calloc(rows, sizeof(cr_regression)) : NULL};
    cr_status status = CR_OK;

    if (a.posterior == NULL || a.decision == NULL || a.reason == NULL || a.expected_cost == NULL ||
        (v->numbers && a.regression == NULL))
        status = fail(f->k->err, CR_ENOMEM, NULL, "out of memory");
    if (status == CR_OK && f->rows > 0)
        status = cr_model_predict_arrays(view_model(v), f->array, f->columns, f->rows, &options, &a,
                                         &run, f->k->err);
    if (status == CR_OK) {
        put_head(f);
        if (v->numbers)
            put_regression(f, &a);
        else
            put_answers(f, &a);
        cr_output_text(f->k->answer->out, "]}\n");
        count_rows(f, &a);
        if (f->k->view->slot->traffic != NULL && f->rows > 0)
            note_rows(f);
    }
    free(a.posterior);
    free(a.decision);
    free(a.reason);
    free(a.expected_cost);
    free(a.regression);
    return status;
}

cr_status oip_infer(call *k)
{
    const request *r = k->request;
    const size_t head = r->head != 0 ? r->head : r->size;
    inference f = {.k = k};
    cr_status status = oip_version(k);

    if (status != CR_OK)
        return status;
    if (head > r->size)
        return fail(k->err, CR_EARG, NULL,
                    "Inference-Header-Content-Length is %zu, but the body has %zu bytes", head,
                    r->size);
    if ((status = cr_json_parse(&f.body, r->body, head, k->err)) != CR_OK)
        return status;
    if (head < r->size) {
        f.bytes = (const unsigned char *)r->body + head;
        f.left = r->size - head;
    }
    if ((status = take_inputs(&f, cr_json_values(f.body))) == CR_OK &&
        (status = take_rule(&f)) == CR_OK && (status = take_outputs(&f)) == CR_OK)
        status = answer_all(&f);
    cr_rule_free(f.rule);
    free(f.array);
    free(f.number);
    free(f.text);
    cr_json_free(f.body);
    return status;
}
