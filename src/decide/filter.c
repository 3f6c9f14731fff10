/* decide/filter.c - classify a mail message by a model, and train the model on messages. */
#include "credence/filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/array.h"
#include "credence/spec.h"
#include "decide/filter.h"
#include "text/mbox.h"

enum { NAME_SHOWN = 60 };

/* --- limits, classes, columns --------------------------------------------------------------- */

const char *cr_filter_verdict_name(cr_filter_verdict verdict)
{
    static const char *const names[] = {"spam", "ham", "unsure"};

    return names[verdict];
}

cr_status cr_filter_limits_read(cr_filter_limits *out, const char *text, cr_error *err)
{
    const char *limits = text == NULL ? CR_FILTER_USUAL_LIMITS : text;
    const char *dots = strstr(limits, "..");
    char *end;

    out->low = strtod(limits, &end);
    if (dots != NULL && end != limits && (end == dots || end == dots + 1)) {
        out->high = strtod(dots + 2, &end);
        if (end != dots + 2 && *end == '\0' && out->low >= 0 && out->low <= out->high &&
            out->high <= 1)
            return CR_OK;
    }
    cr__fail(err, CR_EARG, "limits are two probabilities LOW..HIGH, not '%s'", limits);
    return cr__fail_hint(err, CR_EARG, "the usual ones are " CR_FILTER_USUAL_LIMITS);
}

/* The probability whose odds are those of p times a factor: o = p / (1 - p), f o / (1 + f o). */
static double with_odds(double p, double factor)
{
    return p * factor / (p * factor + 1 - p);
}

cr_filter_limits cr_filter_certain(const cr_filter_limits *limits)
{
    const double beyond = 10;

    return (cr_filter_limits){.low = with_odds(limits->low, 1 / beyond),
                              .high = with_odds(limits->high, beyond)};
}

cr_status cr_filter_spam_class(const cr_model *model, const char *name, size_t *out, cr_error *err)
{
    if (name != NULL)
        return cr_model_find_class(out, model, name, err);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        if (strcasecmp(cr_model_class(model, c), "spam") == 0) {
            *out = c;
            return CR_OK;
        }
    cr__fail(err, CR_ECONFLICT, "the model has no class 'spam'");
    return cr__fail_hint(err, CR_ECONFLICT, "name the class to use");
}

cr_status cr_filter_column(const cr_model *model, size_t *out, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    size_t found = 0;

    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_role(schema, i) == CR_ROLE_FEATURE && cr_schema_kind(schema, i) == CR_BAG) {
            *out = i;
            found++;
        }
    if (found == 1)
        return CR_OK;
    return cr__fail(err, CR_ECONFLICT, "a filter needs a model with one text, this has %zu", found);
}

/* --- classifying ------------------------------------------------------------------------------ */

cr_status cr__filter_bytes(const void *message, size_t size, cr__buffer *out, cr_error *err)
{
    cr__filter_text(message, size, out);
    for (size_t i = 0; !out->failed && i < out->size; i++)
        if (out->data[i] == '\0')
            out->data[i] = ' ';
    cr__buffer_addc(out, '\0');
    return out->failed ? cr__fail_memory(err) : CR_OK;
}

cr_status cr_filter_row(cr_row *row, const void *message, size_t size, cr_error *err)
{
    cr__buffer text = {0};
    cr_status st = cr__filter_bytes(message, size, &text, err);

    if (st == CR_OK)
        st = cr_row_from_mail(row, text.data, text.size - 1, err);
    cr__buffer_free(&text);
    return st;
}

cr_status cr_filter_judge_row(const cr_model *model, cr_row *row, size_t spam_class,
                              const cr_filter_limits *limits, cr_filter_judgement *out,
                              double *posterior, cr_error *err)
{
    const size_t classes = cr_model_classes(model);
    double *own = cr__alloc(classes, sizeof *own);
    cr_status st = own == NULL ? cr__fail_memory(err) : CR_OK;

    *out =
        (cr_filter_judgement){.verdict = CR_FILTER_UNSURE, .spam = NAN, .decision = CR_UNDECIDED};
    if (st == CR_OK && (st = cr_model_classify(model, row, own, &out->decision, NULL)) != CR_OK)
        cr__fail(err, st, "the message cannot be classified");
    if (st == CR_OK && out->decision != CR_UNDECIDED) {
        out->spam = own[spam_class];
        out->verdict = out->spam >= limits->high  ? CR_FILTER_SPAM
                       : out->spam <= limits->low ? CR_FILTER_HAM
                                                  : CR_FILTER_UNSURE;
    }
    if (st == CR_OK && posterior != NULL)
        memcpy(posterior, own, classes * sizeof *posterior);
    cr__free(own);
    return st;
}

cr_status cr_filter_judge(const cr_model *model, const void *message, size_t size,
                          size_t spam_class, const cr_filter_limits *limits,
                          cr_filter_judgement *out, double *posterior, cr_error *err)
{
    cr_row *row = NULL;
    cr_status st = cr_row_new(&row, model, err);

    *out =
        (cr_filter_judgement){.verdict = CR_FILTER_UNSURE, .spam = NAN, .decision = CR_UNDECIDED};
    if (st == CR_OK)
        st = cr_filter_row(row, message, size, err);
    if (st == CR_OK)
        st = cr_filter_judge_row(model, row, spam_class, limits, out, posterior, err);
    cr_row_free(row);
    return st;
}

char *cr_filter_line(char *line, const cr_filter_judgement *judgement, const char *model_path)
{
    const char *slash = strrchr(model_path, '/');
    int used = snprintf(line, CR_FILTER_LINE, CR_FILTER_FIELD ": %s",
                        cr_filter_verdict_name(judgement->verdict));

    if (!isnan(judgement->spam))
        used += snprintf(line + used, (size_t)(CR_FILTER_LINE - used), ", probability=%.4f",
                         judgement->spam);
    snprintf(line + used, (size_t)(CR_FILTER_LINE - used), ", model=%.*s", NAME_SHOWN,
             slash != NULL ? slash + 1 : model_path);
    for (char *c = line; *c != '\0'; c++)
        if (*c < ' ' || *c >= 0x7F)
            *c = '?';
    return line;
}

/* --- training --------------------------------------------------------------------------------- */

/* Messages as a table of their texts, all of one class. */
struct cr__messages {
    cr__buffer *text;   /* [count] */
    const char **start; /* [count] */
    const char **class_name;
    const char **none; /* [count] missing */
    double *missing;
    size_t count, room;
    cr_array *array;
    size_t arrays;
};

void cr__messages_close(cr__messages *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->count; i++)
        cr__buffer_free(&m->text[i]);
    cr__free(m->text);
    cr__free(m->start);
    cr__free(m->class_name);
    cr__free(m->none);
    cr__free(m->missing);
    cr__free(m->array);
    cr__free(m);
}

static cr_status add_message(cr__messages *m, const char *bytes, size_t size, cr_error *err)
{
    if (!cr__grow(&m->text, &m->room, m->count + 1, sizeof *m->text))
        return cr__fail_memory(err);
    m->text[m->count] = (cr__buffer){0};
    return cr__filter_bytes(bytes, size, &m->text[m->count++], err);
}

/* The messages of a mailbox, unquoted; or the one message. */
static cr_status read_messages(cr__messages *m, const char *bytes, size_t size, cr_error *err)
{
    cr_status st = CR_OK;

    if (!cr__mbox_is(bytes, size))
        return add_message(m, bytes, size, err);
    for (size_t from = 0, to; st == CR_OK && from < size; from = to) {
        size_t start, end, n;
        char *copy;

        to = cr__mbox_next(bytes, size, from);
        cr__mbox_message(bytes, from, to, &start, &end);
        if ((copy = cr__alloc(end - start + 1, 1)) == NULL)
            return cr__fail_memory(err);
        n = cr__mbox_unquote(bytes + start, end - start, copy);
        st = add_message(m, copy, n, err);
        cr__free(copy);
    }
    return st;
}

static cr_status make_room(cr__messages *m, const cr_model *model, cr_error *err)
{
    const size_t columns = cr_schema_columns(cr_model_schema(model));

    m->start = cr__alloc(m->count, sizeof *m->start);
    m->class_name = cr__alloc(m->count, sizeof *m->class_name);
    m->none = cr__alloc_zero(m->count, sizeof *m->none);
    m->missing = cr__alloc(m->count, sizeof *m->missing);
    m->array = cr__alloc(columns, sizeof *m->array);
    if (m->start == NULL || m->class_name == NULL || m->none == NULL || m->missing == NULL ||
        m->array == NULL)
        return cr__fail_memory(err);
    for (size_t i = 0; i < m->count; i++) {
        m->start[i] = m->text[i].data;
        m->missing[i] = NAN;
    }
    return CR_OK;
}

cr_status cr__messages_open(cr__messages **out, const cr_model *model, const void *bytes,
                            size_t size, cr_error *err)
{
    cr__messages *m = cr__alloc_zero(1, sizeof *m);
    size_t column;
    cr_status st = m == NULL ? cr__fail_memory(err) : cr_filter_column(model, &column, err);

    *out = NULL;
    if (st == CR_OK)
        st = read_messages(m, bytes, size, err);
    if (st == CR_OK)
        st = make_room(m, model, err);
    if (st != CR_OK) {
        cr__messages_close(m);
        return st;
    }
    *out = m;
    return CR_OK;
}

cr_status cr_filter_train(cr_model **out, const void *bytes, size_t size, const char *class_name,
                          const char *const *params, size_t param_count, cr_error *err)
{
    cr__messages *m = cr__alloc_zero(1, sizeof *m);
    const cr_run one = {.threads = 1};
    cr_source *source = NULL;
    cr_array array[2] = {{.name = "class", .role = CR_ROLE_TARGET},
                         {.name = "text", .kind = CR_BAG, .mail = 1}};
    cr_status st = m == NULL ? cr__fail_memory(err) : read_messages(m, bytes, size, err);

    *out = NULL;
    if (st == CR_OK) {
        m->start = cr__alloc(m->count, sizeof *m->start);
        m->class_name = cr__alloc(m->count, sizeof *m->class_name);
        st = m->start == NULL || m->class_name == NULL ? cr__fail_memory(err) : CR_OK;
    }
    for (size_t i = 0; st == CR_OK && i < m->count; i++) {
        m->start[i] = m->text[i].data;
        m->class_name[i] = class_name;
    }
    if (st == CR_OK) {
        array[0].text = m->class_name;
        array[1].text = m->start;
        st = cr_source_open_arrays(&source, array, 2, m->count, err);
    }
    if (st == CR_OK)
        st = cr_model_train(out, source, "nb", params, param_count, &one, NULL, err);
    cr_source_close(source);
    cr__messages_close(m);
    return st;
}

size_t cr__messages_count(const cr__messages *m)
{
    return m->count;
}

const cr__buffer *cr__messages_text(const cr__messages *m, size_t i)
{
    return &m->text[i];
}

/* The texts in their column, the class, everything else missing. Names belong to the schema, which
 * is replaced after each change. */
static void lay_out(cr__messages *m, const cr_schema *schema)
{
    m->arrays = 0;
    for (size_t i = 0; i < cr_schema_columns(schema); i++) {
        const cr_kind kind = cr_schema_kind(schema, i);
        cr_array a = {.name = cr_schema_name(schema, i), .role = cr_schema_role(schema, i)};

        if (kind == CR_IGNORE || a.role == CR_ROLE_WEIGHT)
            continue;
        if (a.role == CR_ROLE_TARGET) {
            a.text = m->class_name;
        } else if (kind == CR_BAG) {
            a.text = m->start;
            a.kind = CR_BAG;
            a.mail = 1;
        } else if (kind == CR_REAL) {
            a.real = m->missing;
        } else {
            a.text = m->none;
        }
        m->array[m->arrays++] = a;
    }
}

cr_status cr__messages_source(cr__messages *m, const cr_model *model, const char *class_name,
                              cr_source **out, cr_error *err)
{
    for (size_t i = 0; i < m->count; i++)
        m->class_name[i] = class_name;
    lay_out(m, cr_model_schema(model));
    return cr_source_open_arrays(out, m->array, m->arrays, m->count, err);
}

static cr_status teach(cr_model *model, cr__messages *m, const char *class_name, int sign,
                       const cr_run *run, cr_error *err)
{
    cr_source *source;
    cr_status st = cr__messages_source(m, model, class_name, &source, err);

    if (st != CR_OK)
        return st;
    st = sign > 0 ? cr_model_learn(model, source, run, NULL, err)
                  : cr_model_unlearn(model, source, run, NULL, err);
    cr_source_close(source);
    return st;
}

/* A mistyped class would be learned as a new one. */
cr_status cr__filter_check_class(const cr_model *model, const char *name, int new_class,
                                 cr_error *err)
{
    size_t found;

    return name == NULL || new_class || cr_model_classes(model) < 2
               ? CR_OK
               : cr_model_find_class(&found, model, name, err);
}

cr_status cr_filter_teach(cr_model *model, const void *bytes, size_t size, const char *unlearn,
                          const char *learn, int new_class, const cr_run *run, uint64_t *messages,
                          cr_error *err)
{
    cr__messages *m = NULL;
    cr_status st = cr__messages_open(&m, model, bytes, size, err);

    if (st == CR_OK)
        st = cr__filter_check_class(model, unlearn, new_class, err);
    if (st == CR_OK)
        st = cr__filter_check_class(model, learn, new_class, err);
    if (st == CR_OK && unlearn != NULL)
        st = teach(model, m, unlearn, -1, run, err);
    if (st == CR_OK && learn != NULL) {
        st = teach(model, m, learn, 1, run, err);
        if (st != CR_OK && unlearn != NULL)
            teach(model, m, unlearn, 1, run, NULL); /* unchanged */
    }
    if (messages != NULL)
        *messages = st == CR_OK ? cr__messages_count(m) : 0;
    cr__messages_close(m);
    return st;
}
