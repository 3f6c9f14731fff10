/* examples/predict_arrays.c - train from rows that a function supplies, predict a matrix in memory.
 *
 *     cc predict_arrays.c $(pkg-config --cflags --libs credence) -o predict_arrays
 *
 * The rows come one by one, as from a cursor of a database; the rows to predict are a matrix of
 * floats and a column of codes, as in other programs; the answers go into arrays of this program. A
 * pool keeps the threads for the next call.
 */
#include <credence/credence.h>
#include <stdio.h>
#include <string.h>

typedef struct person {
    double height, weight;
    const char *sport, *who;
} person;

static const person people[] = {
    {112, 20, "yes", "child"}, {131, 31, "yes", "child"}, {125, 26, NULL, "child"},
    {168, 61, "no", "adult"},  {181, 80, "yes", "adult"}, {175, 71, "no", "adult"},
};

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

static void put_text(cr_value *value, const char *text)
{
    if (text != NULL)
        *value = (cr_value){.type = CR_VALUE_TEXT, .bytes = text, .length = strlen(text)};
}

/* The next row of the cursor. Values that are not set are missing. */
static cr_status fetch(void *context, cr_value *values, cr_error *err)
{
    size_t *row = context;

    (void)err;
    if (*row == sizeof people / sizeof *people)
        return CR_END;
    values[0] = (cr_value){.type = CR_VALUE_REAL, .real = people[*row].height};
    values[1] = (cr_value){.type = CR_VALUE_REAL, .real = people[*row].weight};
    put_text(&values[2], people[*row].sport);
    put_text(&values[3], people[*row].who);
    ++*row;
    return CR_OK;
}

static cr_status train(cr_model **model, const cr_run *run, cr_error *err)
{
    const cr_row_column columns[] = {
        {.name = "height", .kind = CR_REAL},
        {.name = "weight", .kind = CR_REAL},
        {.name = "sport", .kind = CR_SYMBOL},
        {.name = "who", .kind = CR_SYMBOL, .role = CR_ROLE_TARGET},
    };
    size_t row = 0;
    const cr_row_reader reader = {.next = fetch, .context = &row};
    cr_source *source;
    cr_status st = cr_source_open_rows(&source, columns, 4, &reader, err);

    if (st == CR_OK)
        st = cr_model_train(model, source, "nb", NULL, 0, run, NULL, err);
    cr_source_close(source);
    return st;
}

/* Three rows of two floats, and codes of which -1 is missing. */
static cr_status ask(const cr_model *model, const cr_run *run, cr_error *err)
{
    static const float size[3][2] = {{128, 27}, {170, 65}, {150, 45}};
    static const int8_t sport[] = {1, 0, -1};
    static const char *const answer[] = {"no", "yes"};
    const cr_array names = {.text = answer};
    const cr_array table[] = {
        {.name = "height",
         .data = &size[0][0],
         .element = CR_ELEMENT_FLOAT,
         .stride = sizeof size[0]},
        {.name = "weight",
         .data = &size[0][1],
         .element = CR_ELEMENT_FLOAT,
         .stride = sizeof size[0]},
        {.name = "sport",
         .data = sport,
         .element = CR_ELEMENT_INT8,
         .names = &names,
         .name_count = 2},
    };
    double posterior[3][2];
    int32_t decision[3];
    const cr_answers answers = {.posterior = &posterior[0][0], .decision = decision};
    const cr_status st = cr_model_predict_arrays(model, table, 3, 3, NULL, &answers, run, err);

    for (size_t i = 0; st == CR_OK && i < 3; i++)
        printf("height %.0f, weight %.0f: %s with probability %.3f\n", (double)size[i][0],
               (double)size[i][1],
               decision[i] == CR_UNDECIDED ? "undecided"
                                           : cr_model_class(model, (size_t)decision[i]),
               decision[i] == CR_UNDECIDED ? 0 : posterior[i][decision[i]]);
    return st;
}

int main(void)
{
    cr_run run = CR_RUN_INIT;
    cr_model *model = NULL;
    cr_error err;
    int failed = 0;

    if (cr_pool_new(&run.pool, 0, &err) != CR_OK || train(&model, &run, &err) != CR_OK ||
        ask(model, &run, &err) != CR_OK)
        failed = complain(&err);
    cr_model_free(model);
    cr_pool_free(run.pool);
    return failed;
}
