/* examples/teach_rows.c - a program that answers and learns, one row at a time.
 *
 *     cc teach_rows.c $(pkg-config --cflags --libs credence) -o teach_rows
 *
 * A help desk sorts requests. It answers from one model, teaches a copy of it the corrections of
 * users, unlearns a mistake, and replaces the old model by the copy. The model travels as bytes, as
 * through a database or over a network.
 */
#include <credence/credence.h>
#include <stdio.h>
#include <string.h>

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

static cr_model *train(cr_error *err)
{
    const char *const text[] = {"printer out of paper", "printer prints nothing", "cannot log in",
                                "password forgotten", "log in is slow"};
    const char *const floor[] = {"first", "second", "first", "first", "second"};
    const char *const desk[] = {"printers", "printers", "accounts", "accounts", "accounts"};
    const cr_array table[] = {
        {.name = "text", .text = text, .kind = CR_BAG},
        {.name = "floor", .text = floor},
        {.name = "desk", .text = desk, .role = CR_ROLE_TARGET},
    };
    cr_source *source = NULL;
    cr_model *model = NULL;

    if (cr_source_open_arrays(&source, table, 3, 5, err) == CR_OK)
        cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, err);
    cr_source_close(source);
    return model;
}

/* What adds most to the decision. */
static cr_status tell(void *context, const cr_explanation *e)
{
    const cr_factor *best = NULL;
    double most = 0;

    (void)context;
    if (e->decision == CR_UNDECIDED || e->runner_up == CR_UNDECIDED)
        return CR_OK;
    for (size_t i = 0; i < e->factors; i++) {
        const double odds = e->factor[i].log_p[e->decision] - e->factor[i].log_p[e->runner_up];

        if (odds > most) {
            most = odds;
            best = &e->factor[i];
        }
    }
    if (best != NULL)
        printf("  mostly because of the %s, %+.2f\n", best->name, most);
    return CR_OK;
}

/* Classify a request; a wrong "printers" costs three times as much as a wrong "accounts". */
static int ask(const cr_model *model, const char *text)
{
    const cr_rule_options options = {.size = sizeof options, .costs = "accounts->printers=3"};
    double posterior[8];
    cr_rule *rule = NULL;
    cr_row *row = NULL;
    cr_decision d;
    cr_error err;

    if (cr_rule_new(&rule, model, &options, &err) != CR_OK ||
        cr_row_new(&row, model, &err) != CR_OK ||
        cr_row_set_named(row, "text", text, &err) != CR_OK ||
        cr_row_classify(row, rule, posterior, &d) != CR_OK)
        return complain(&err);
    printf("%s: %s, %.3f, expected to cost %.3f\n", text,
           d.decision == CR_UNDECIDED ? "undecided" : cr_model_class(model, (size_t)d.decision),
           d.decision == CR_UNDECIDED ? 0 : posterior[d.decision], d.expected_cost);
    if (cr_row_explain(row, rule, tell, NULL, &err) != CR_OK)
        complain(&err);
    cr_row_free(row);
    cr_rule_free(rule);
    return 0;
}

/* Corrections of some requests by a person: all of it is learned, or nothing. */
static int teach(cr_model *model)
{
    cr_lessons *lessons = NULL;
    cr_row *row = NULL;
    cr_error err;

    if (cr_row_new(&row, model, &err) != CR_OK || cr_lessons_new(&lessons, model, &err) != CR_OK)
        return complain(&err);
    cr_row_set_named(row, "text", "scanner does not scan", &err);
    cr_row_set_named(row, "floor", "third", &err);
    cr_row_set_named(row, "desk", "scanners", &err); /* a class that the model has not had */
    if (cr_lessons_add(lessons, row, 1, &err) != CR_OK)
        return complain(&err);
    cr_row_clear(row);
    cr_row_set_named(row, "text", "log in is slow", &err);
    cr_row_set_named(row, "floor", "second", &err);
    cr_row_set_named(row, "desk", "accounts", &err);
    if (cr_lessons_add(lessons, row, -1, &err) != CR_OK) /* it was a mistake */
        return complain(&err);
    if (cr_lessons_apply(lessons, model, NULL, &err) != CR_OK)
        return complain(&err);
    cr_lessons_free(lessons);
    cr_row_free(row);
    return 0;
}

/* The model that another program would load from the same bytes. */
static cr_model *send(const cr_model *model, cr_error *err)
{
    cr_model *received = NULL;
    void *bytes;
    size_t size;

    if (cr_model_save_bytes(model, &bytes, &size, err) != CR_OK)
        return NULL;
    cr_model_load_bytes(&received, bytes, size, 0, err);
    cr_bytes_free(bytes);
    return received;
}

int main(void)
{
    cr_error err;
    cr_model *model = train(&err), *next = NULL, *received = NULL;
    int failed = 1;

    if (model == NULL || cr_model_copy(&next, model, &err) != CR_OK)
        complain(&err);
    else if (!teach(next) && (received = send(next, &err)) != NULL)
        failed = ask(model, "the scanner prints nothing") ||
                 ask(received, "the scanner prints nothing") || ask(received, "cannot log in");
    else
        complain(&err);
    cr_model_free(model);
    cr_model_free(next);
    cr_model_free(received);
    return failed;
}
