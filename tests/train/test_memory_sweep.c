/* tests/train/test_memory_sweep.c - every allocation of every operation of every learner fails
 * once: then the operation fails too, or its answer is the one that it would have given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"

/* --- what an operation has said -----------------------------------------------------------------
 */

typedef struct answer {
    char *text;
    size_t size;
} answer;

static void add(answer *a, const void *bytes, size_t size)
{
    a->text = realloc(a->text, a->size + size + 1);
    assert_non_null(a->text);
    memcpy(a->text + a->size, bytes, size);
    a->size += size;
}

static void add_text(answer *a, const char *text)
{
    add(a, text == NULL ? "(null)" : text, text == NULL ? 6 : strlen(text));
}

static void add_number(answer *a, double x)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g ", x == 0 || isnan(x) ? fabs(x) : x);
    add_text(a, text);
}

static cr_status add_model(answer *a, const cr_model *model, cr_error *err)
{
    const long after = cr__memory_fail_after;
    void *bytes = NULL;
    size_t size = 0;
    cr_status st;

    cr__memory_fail_after = -1; /* the model is judged, not its saving */
    st = cr_model_save_bytes(model, &bytes, &size, err);
    cr__memory_fail_after = after;
    if (st == CR_OK)
        add(a, bytes, size);
    cr_bytes_free(bytes);
    return st;
}

/* --- learners and what they learn ---------------------------------------------------------------
 */

static const char mixed[] = "colour,length,width,text,class\n"
                            "red,1.5,2,a dog barks at night,one\n"
                            "green,2.5,1,the cat sleeps all day,two\n"
                            "red,1.25,3,a dog sleeps at night,one\n"
                            "blue,,1.5,the cat barks all day,two\n"
                            "green,3.5,2.5,a bird sings at noon,three\n"
                            "blue,3.25,,the bird sings all day,three\n"
                            "red,1.75,2.25,the dog barks all day,one\n"
                            "green,2.25,1.25,a cat sleeps at night,two\n";
static const char symbols[] = "colour,size,shape,class\n"
                              "red,big,round,one\ngreen,small,flat,two\nred,small,round,one\n"
                              "blue,big,flat,two\ngreen,big,round,one\nblue,small,flat,two\n"
                              "red,big,flat,two\ngreen,small,round,one\n";
static const char numbers[] = "a,b,c,y\n"
                              "1,2,x,3.5\n2,1,z,4.25\n3,5,x,9\n4,3,z,8.5\n5,2,x,9.25\n6,7,z,15\n"
                              "7,4,x,13.5\n8,1,z,11\n";
static const char reals[] = "a,b,class\n"
                            "1,2,u\n2,1,v\n3,5,u\n4,3.5,v\n5,2,u\n6,7,v\n7,4.5,u\n8,1,v\n";
static const char counts[] = "a,b,class\n"
                             "1,2,u\n2,1,v\n3,5,u\n4,3,v\n5,2,u\n6,7,v\n7,4,u\n8,1,v\n";
static const char space[] = "sky,wind,water,class\n"
                            "sunny,strong,warm,yes\nsunny,strong,cool,yes\nrainy,weak,warm,no\n";

typedef struct subject {
    const char *learner, *data, *type, *query, *param[3];
} subject;

static const subject subjects[] = {
    {"nb", mixed, "text=text", "P(class | colour=red)", {0}},
    {"nb", mixed, "text=ignore", NULL, {"real=bins:mdl", "values=keep"}},
    {"nb", mixed, "text=ignore", NULL, {"real=kde"}},
    {"nb", mixed, "text=text", NULL, {"impute=mean", "text-alpha=auto"}},
    {"nb", mixed, "text=text", NULL, {"select=chi2:5", "weight=tfidf"}},
    {"poisson", counts, NULL, NULL, {0}},
    {"gda", mixed, "text=text", NULL, {0}},
    {"gda", reals, NULL, NULL, {"shrinkage=ledoit-wolf", "covariance=full"}},
    {"linear", numbers, NULL, NULL, {0}},
    {"joint", symbols, NULL, "P(class=one | colour=red or size=big)", {0}},
    {"tan", symbols, NULL, "P(class=one | colour=red)", {0}},
    {"kdb", symbols, NULL, "P(class | shape=flat)", {0}},
    {"pairs", symbols, NULL, "P(class | shape=flat)", {0}},
    {"aode", symbols, NULL, "P(class | shape=flat)", {0}},
    {"tree", symbols, NULL, NULL, {0}},
    {"tree", reals, NULL, NULL, {0}},
    {"candidate-elimination", space, NULL, NULL, {0}},
    {"logistic", mixed, "text=ignore", NULL, {0}},
    {"logistic", mixed, "text=text", NULL, {"iterations=5"}},
    {"network", symbols, NULL, "P(class=one | colour=red)", {0}},
    {"network", reals, NULL, "E(a | class=u)", {"real=gaussian"}},
    {"network", symbols, NULL, NULL, {"structure=mmhc"}},
    {"network", symbols, NULL, NULL, {"structure=pc"}},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const cr_run run = {.threads = 1};

static cr_status open_data(cr_source **out, const subject *s, cr_error *err)
{
    static const char path[] = "data.csv";
    const char *paths[] = {path};
    cr_source_options options;

    cr_source_options_default(&options);
    options.types = s->type == NULL ? options.types : &s->type;
    options.type_count = s->type != NULL;
    options.target = s->learner[0] == 'l' && s->data == numbers ? "y" : "class";
    return cr_source_open(out, paths, 1, &options, err);
}

static void write_data(const char *text)
{
    FILE *f = fopen("data.csv", "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* --- operations ---------------------------------------------------------------------------------
 */

typedef cr_status operation(const subject *s, const cr_model *model, answer *a, cr_error *err);

static cr_status train(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    size_t params = 0;
    cr_source *source = NULL;
    cr_model *made = NULL;
    cr_status st = open_data(&source, s, err);

    (void)model;
    while (params < 3 && s->param[params] != NULL)
        params++;
    if (st == CR_OK)
        st = cr_model_train(&made, source, s->learner, s->param, params, &run, NULL, err);
    if (st == CR_OK)
        st = add_model(a, made, err);
    cr_model_free(made);
    cr_source_close(source);
    return st;
}

static cr_status see_answers(void *context, const cr_predictions *p)
{
    for (size_t i = 0; i < p->rows; i++) {
        if (p->decision != NULL)
            add_number(context, p->decision[i]);
        if (p->regression != NULL)
            add_number(context, p->regression[i].mean);
        for (size_t c = 0; p->regression == NULL && c < p->classes; c++)
            add_number(context, p->posterior[i * p->classes + c]);
    }
    return CR_OK;
}

static cr_status predict(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    const cr_sink sink = {.visit = see_answers, .context = a};
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_predict(model, source, NULL, &sink, &run, NULL, err);
    cr_source_close(source);
    return st;
}

static cr_status see_explanation(void *context, const cr_explanation *e)
{
    for (size_t f = 0; f < e->factors; f++) {
        add_text(context, e->factor[f].name);
        add_text(context, e->factor[f].value);
        if (e->factor[f].text != NULL)
            add(context, e->factor[f].text, e->factor[f].text_size);
        for (size_t c = 0; c < e->classes; c++)
            add_number(context, e->factor[f].log_p[c]);
    }
    return CR_OK;
}

static cr_status explain(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_explain(model, source, NULL, see_explanation, a, err);
    cr_source_close(source);
    return st;
}

static void add_line(void *context, size_t depth, const char *text)
{
    add_number(context, (double)depth);
    add_text(context, text);
}

static cr_status show(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    const cr_schema *schema = cr_model_schema(model);
    double prior;
    cr_model_facts facts;
    cr_status st = cr_model_get_facts(model, &facts);

    (void)s;
    if (st != CR_OK)
        return st;
    add_text(a, facts.fingerprint);
    add_number(a, facts.parameters);
    add_number(a, facts.joint_parameters);
    add_number(a, facts.cells);
    for (size_t c = 0; c < cr_model_classes(model); c++) {
        add_text(a, cr_model_class(model, c));
        add_number(a, cr_model_class_count(model, c));
        prior = cr_model_prior(model, c);
        if (isnan(prior)) /* says that it could not be had */
            return CR_ENOMEM;
        add_number(a, prior);
    }
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        for (size_t v = 0; v < cr_model_values(model, i); v++) {
            add_text(a, cr_model_value(model, i, v));
            add_number(a, cr_model_count(model, i, v, 0));
        }
    st = cr_model_draw(model, add_line, a, err);
    return st == CR_EARG ? CR_OK : st;
}

static cr_status query(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_answer *out = NULL;
    cr_status st = s->query == NULL ? CR_OK : cr_query_run(model, s->query, &out, err);

    if (out != NULL) {
        add_number(a, out->probability);
        add_number(a, out->mean);
        for (size_t i = 0; i < out->values; i++)
            add_number(a, out->p[i]);
    }
    cr_answer_free(out);
    return st;
}

static cr_status evidence(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    double x = NAN;
    const cr_status st = cr_model_evidence(model, &x, err);

    (void)s;
    add_number(a, x);
    return st == CR_EARG ? CR_OK : st;
}

/* A change of a copy; what cannot be done at all is an answer too. */
static cr_status changed(cr_status (*change)(const subject *, cr_model *, cr_error *),
                         const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_model *copy = NULL;
    cr_status st = cr_model_copy(&copy, model, err);

    if (st == CR_OK && (st = change(s, copy, err)) == CR_OK)
        st = add_model(a, copy, err);
    cr_model_free(copy);
    if (st != CR_OK && st != CR_ENOMEM) {
        add_text(a, err->message);
        return CR_OK;
    }
    return st;
}

static cr_status merge_itself(const subject *s, cr_model *model, cr_error *err)
{
    cr_model *other = NULL;
    cr_status st = cr_model_copy(&other, model, err);

    (void)s;
    if (st == CR_OK)
        st = cr_model_merge(model, other, err);
    cr_model_free(other);
    return st;
}

static cr_status turn(const subject *s, cr_model *model, cr_error *err)
{
    const char *knob = strcmp(s->learner, "linear") == 0     ? "lambda=2"
                       : strcmp(s->learner, "network") == 0  ? "samples=1000"
                       : strcmp(s->learner, "tree") == 0     ? "depth=2"
                       : strcmp(s->learner, "logistic") == 0 ? "lambda=2"
                                                             : "alpha=0.5";

    return cr_model_refit(model, &knob, 1, err);
}

static cr_status pass(const subject *s, cr_model *model, int back, cr_error *err)
{
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = back ? cr_model_unlearn(model, source, &run, NULL, err)
                  : cr_model_learn(model, source, &run, NULL, err);
    cr_source_close(source);
    return st;
}

static cr_status learn_more(const subject *s, cr_model *model, cr_error *err)
{
    return pass(s, model, 0, err);
}

static cr_status learn_less(const subject *s, cr_model *model, cr_error *err)
{
    return pass(s, model, 1, err);
}

static cr_status merge(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    return changed(merge_itself, s, model, a, err);
}

static cr_status refit(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    return changed(turn, s, model, a, err);
}

static cr_status learn(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    return changed(learn_more, s, model, a, err);
}

static cr_status unlearn(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    return changed(learn_less, s, model, a, err);
}

static cr_status save_and_load(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_model *again = NULL;
    cr_status st = cr_model_save(model, "saved.model", err);

    if (st == CR_OK)
        st = cr_model_load(&again, "saved.model", 0, err);
    if (st == CR_OK)
        st = show(s, again, a, err);
    if (st == CR_OK)
        st = predict(s, again, a, err);
    if (st == CR_OK)
        st = add_model(a, again, err);
    cr_model_free(again);
    return st;
}

static cr_status to_network(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_model *network = NULL;
    cr_status st = cr_network_copy(&network, model, NULL, err);

    (void)s;
    if (st == CR_OK)
        st = add_model(a, network, err);
    cr_model_free(network);
    return st == CR_EARG || st == CR_ECONFLICT ? CR_OK : st;
}

static cr_status combine(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    const cr_model *members[] = {model, model};
    cr_source *source = NULL;
    cr_model *made = NULL;
    cr_status st;

    if (strcmp(s->learner, "linear") == 0)
        return CR_OK;
    if ((st = open_data(&source, s, err)) == CR_OK)
        st = cr_model_combine(&made, members, NULL, 2, source, NULL, 0, &run, NULL, err);
    if (st == CR_OK)
        st = add_model(a, made, err);
    cr_model_free(made);
    made = NULL;
    cr_source_close(source);
    source = NULL;
    if (st == CR_OK)
        st = open_data(&source, s, err);
    if (st == CR_OK)
        st = cr_model_combine_learned(&made, members, NULL, 2, source, NULL, 0, &run, NULL, err);
    if (st == CR_OK)
        st = add_model(a, made, err);
    if (st == CR_OK)
        st = predict(s, made, a, err);
    cr_model_free(made);
    cr_source_close(source);
    return st == CR_ECONFLICT ? CR_OK : st;
}

/* --- results, tests and pictures ----------------------------------------------------------------
 */

static void add_output(answer *a, const cr_output *out)
{
    size_t size = 0;
    const char *bytes = cr_output_data(out, &size);

    if (bytes != NULL)
        add(a, bytes, size);
}

/* What a model of this kind cannot do is the same whether memory is short or not. */
static cr_status unless_refused(cr_status st)
{
    return st == CR_EARG || st == CR_ECONFLICT || st == CR_EFORMAT ? CR_OK : st;
}

static cr_status as_json(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_output *out = NULL;
    cr_status st = cr_output_new(&out, NULL, NULL, err);

    (void)s;
    if (st == CR_OK && (st = cr_model_json(model, NULL, &run, out, err)) == CR_OK)
        add_output(a, out);
    cr_output_free(out);
    return unless_refused(st);
}

static cr_status as_csv(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_output *out = NULL;
    cr_status st = cr_output_new(&out, NULL, NULL, err);

    (void)s;
    if (st == CR_OK && (st = cr_model_csv(model, NULL, out, err)) == CR_OK &&
        (st = cr_output_flush(out)) == CR_OK)
        add_output(a, out);
    cr_output_free(out);
    return unless_refused(st);
}

static cr_status test(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_evaluation *evaluation = NULL;
    cr_output *out = NULL;
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_test(model, source, NULL, &run, &evaluation, NULL, err);
    if (st == CR_OK)
        st = cr_output_new(&out, NULL, NULL, err);
    if (st == CR_OK && (st = cr_test_json(model, evaluation, 0, 0, out)) == CR_OK)
        add_output(a, out);
    cr_output_free(out);
    cr_evaluation_free(evaluation);
    cr_source_close(source);
    return unless_refused(st);
}

static cr_status drift(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    cr_drift *found = NULL;
    cr_output *out = NULL;
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_drift(model, source, NULL, &run, &found, NULL, err);
    if (st == CR_OK)
        st = cr_output_new(&out, NULL, NULL, err);
    if (st == CR_OK && (st = cr_drift_json(found, out)) == CR_OK)
        add_output(a, out);
    cr_output_free(out);
    cr_drift_free(found);
    cr_source_close(source);
    return unless_refused(st);
}

static cr_status calibrate_copy(const subject *s, cr_model *model, cr_error *err)
{
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_calibrate_on(model, source, "platt", &run, NULL, err);
    cr_source_close(source);
    return st;
}

static cr_status calibrate(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    return changed(calibrate_copy, s, model, a, err);
}

static cr_status see_intervals(void *context, const cr_predictions *p)
{
    for (size_t i = 0; p->low != NULL && i < p->rows * p->classes; i++) {
        add_number(context, p->low[i]);
        add_number(context, p->high[i]);
    }
    return CR_OK;
}

static cr_status intervals(const subject *s, const cr_model *model, answer *a, cr_error *err)
{
    const cr_predict_options options = {.interval = 0.9};
    const cr_sink sink = {.visit = see_intervals, .context = a};
    cr_source *source = NULL;
    cr_status st = open_data(&source, s, err);

    if (st == CR_OK)
        st = cr_model_predict(model, source, &options, &sink, &run, NULL, err);
    cr_source_close(source);
    return unless_refused(st);
}

/* --- the sweep ----------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    operation *run;
} operations[] = {
    {"train", train},         {"predict", predict},    {"explain", explain},
    {"show", show},           {"query", query},        {"evidence", evidence},
    {"merge", merge},         {"refit", refit},        {"learn", learn},
    {"unlearn", unlearn},     {"save", save_and_load}, {"network", to_network},
    {"combine", combine},     {"json", as_json},       {"csv", as_csv},
    {"test", test},           {"drift", drift},        {"calibrate", calibrate},
    {"intervals", intervals},
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Several errors are reported together: finding them one by one takes long. */
static int wrong;

static void sweep(const subject *s, const cr_model *model, size_t op)
{
    answer want = {0}, got;
    cr_error err = {0};
    cr_status st = operations[op].run(s, model, &want, &err);
    int through = st != CR_OK, told = 0;

    if (st == CR_ENOMEM || st == CR_EIO)
        fail_msg("%s %s: %s", s->learner, operations[op].name, err.message);
    for (long n = 0; !through; n += 1 + n / 250) { /* of thousands of allocations some hundreds */
        got = (answer){0};
        cr__memory_fail_after = n;
        st = operations[op].run(s, model, &got, &err);
        through = cr__memory_fail_after >= 0;
        cr__memory_fail_after = -1;
        if (st == CR_OK &&
            (got.size != want.size ||
             (got.size > 0 && memcmp(got.text, want.text, got.size) != 0)) &&
            !told++) {
            print_error("%s %s (%s), allocation %ld: status OK, another answer\n", s->learner,
                        operations[op].name, s->param[0] == NULL ? "" : s->param[0], n);
            wrong++;
        }
        free(got.text);
    }
    free(want.text);
}

static void no_failing_allocation_gives_another_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        const subject *s = &subjects[i];
        size_t params = 0;
        cr_source *source = NULL;
        cr_model *model = NULL;
        cr_error err = {0};

        write_data(s->data);
        while (params < 3 && s->param[params] != NULL)
            params++;
        if (open_data(&source, s, &err) != CR_OK ||
            cr_model_train(&model, source, s->learner, s->param, params, &run, NULL, &err) != CR_OK)
            fail_msg("%s %s: %s", s->learner, s->param[0] == NULL ? "" : s->param[0], err.message);
        cr_source_close(source);
        for (size_t op = 0; op < OPERATIONS; op++)
            sweep(s, model, op);
        cr_model_free(model);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failing_allocation_gives_another_answer),
    };
    return cmocka_run_group_tests_name("memory sweep", tests, NULL, NULL);
}
