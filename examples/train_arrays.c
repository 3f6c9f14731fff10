/* examples/train_arrays.c - train from arrays, classify, save, load, and classify again.
 *
 *     cc train_arrays.c $(pkg-config --cflags --libs credence) -o train_arrays
 *
 * Six people by height and by whether they like sport. The model mixes a real feature with a symbol
 * and leaves out missing values.
 */
#include <credence/credence.h>
#include <stdio.h>

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

static int ask(const cr_model *model, const char *sport, double height)
{
    double posterior[2];
    int32_t decision;
    cr_row *row;
    cr_error err;

    if (cr_row_new(&row, model, &err) != CR_OK)
        return complain(&err);
    cr_row_set_real(row, cr_schema_find(cr_model_schema(model), "height"), height);
    cr_row_set_text(row, cr_schema_find(cr_model_schema(model), "sport"), sport);
    cr_model_classify(model, row, posterior, &decision, NULL);
    printf("height %.0f, sport %s: %s with probability %.3f\n", height, sport ? sport : "unknown",
           decision == CR_UNDECIDED ? "undecided" : cr_model_class(model, (size_t)decision),
           decision == CR_UNDECIDED ? 0 : posterior[decision]);
    cr_row_free(row);
    return 0;
}

int main(void)
{
    const double height[] = {112, 131, 125, 168, 181, 175};
    const char *const sport[] = {"yes", "yes", "yes", "no", "yes", "no"};
    const char *const who[] = {"child", "child", "child", "adult", "adult", "adult"};
    const cr_array table[] = {
        {.name = "height", .real = height},
        {.name = "sport", .text = sport},
        {.name = "who", .text = who, .role = CR_ROLE_TARGET},
    };
    cr_source *source = NULL;
    cr_model *model = NULL, *loaded = NULL;
    cr_error err;
    int failed = 1;

    if (cr_source_open_arrays(&source, table, 3, 6, &err) != CR_OK ||
        cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err) != CR_OK ||
        cr_model_save(model, "people.cred", &err) != CR_OK ||
        cr_model_load(&loaded, "people.cred", 0, &err) != CR_OK)
        complain(&err);
    else
        failed = ask(loaded, "yes", 128) || ask(loaded, "no", 170) || ask(loaded, NULL, 150);
    cr_source_close(source);
    cr_model_free(model);
    cr_model_free(loaded);
    remove("people.cred");
    return failed;
}
