/* examples/stream_csv.c - predict a CSV file of any size, row by row, with little code.
 *
 *     cc stream_csv.c $(pkg-config --cflags --libs credence) -o stream_csv
 *     ./stream_csv iris.model new.csv > answers.csv
 *
 * The library reads and classifies on all cores and delivers the answers in the order of the rows.
 * Only rows in progress are in memory. Without arguments it makes a small table and a model of it
 * first, and predicts that table.
 */
#include <credence/credence.h>
#include <stdio.h>

typedef struct report {
    const cr_model *model;
    size_t unsure; /* rows whose best class has less than 90 % */
} report;

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

/* Convert answers to bytes: called by several threads at once, so it must not change the
 * context. */
static cr_status render(void *context, const cr_predictions *p, cr_output *out)
{
    const report *r = context;

    for (size_t i = 0; i < p->rows; i++) {
        const int32_t best = p->decision[i];

        if (best == CR_UNDECIDED) {
            cr_output_text(out, "?,\n");
            continue;
        }
        cr_output_text(out, cr_model_class(r->model, (size_t)best));
        cr_output_text(out, ",");
        cr_output_number(out, p->posterior[i * p->classes + (size_t)best]);
        cr_output_text(out, "\n");
    }
    return CR_OK;
}

/* Called with the answers in order, one thread at a time: the place to count. */
static cr_status count(void *context, const cr_predictions *p)
{
    report *r = context;

    for (size_t i = 0; i < p->rows; i++) {
        const int32_t best = p->decision[i];

        if (best == CR_UNDECIDED || p->posterior[i * p->classes + (size_t)best] < 0.9)
            r->unsure++;
    }
    return CR_OK;
}

static cr_status write_out(void *context, const char *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? CR_OK : CR_EIO;
}

static int predict(const char *model_path, const char *data_path)
{
    cr_model *model = NULL;
    cr_source *source = NULL;
    cr_tally tally = {0};
    cr_error err;
    int failed = 1;

    if (cr_model_load(&model, model_path, 0, &err) != CR_OK ||
        cr_source_open(&source, &data_path, 1, NULL, &err) != CR_OK) {
        complain(&err);
    } else {
        report r = {.model = model};
        const cr_sink sink = {.render = render, .visit = count, .write = write_out, .context = &r};

        puts("class,probability");
        if (cr_model_predict(model, source, NULL, &sink, NULL, &tally, &err) != CR_OK)
            complain(&err);
        else
            failed = fprintf(stderr, "%llu rows, %zu of them unsure\n",
                             (unsigned long long)tally.rows, r.unsure) < 0;
    }
    cr_source_close(source);
    cr_model_free(model);
    return failed;
}

/* A table of fruit, and a model trained on it. */
static int make(const char *model_path, const char *data_path)
{
    FILE *file = fopen(data_path, "w");
    cr_source *source = NULL;
    cr_model *model = NULL;
    cr_error err;
    int failed = 1;

    if (file == NULL ||
        fputs("colour,grams,fruit\nred,150,apple\ngreen,160,apple\nred,140,apple\n"
              "yellow,110,lemon\nyellow,120,lemon\ngreen,105,lemon\n",
              file) < 0 ||
        fclose(file) != 0)
        perror(data_path);
    else if (cr_source_open(&source, &data_path, 1, NULL, &err) != CR_OK ||
             cr_model_train(&model, source, "nb", NULL, 0, NULL, NULL, &err) != CR_OK ||
             cr_model_save(model, model_path, &err) != CR_OK)
        complain(&err);
    else
        failed = 0;
    cr_source_close(source);
    cr_model_free(model);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return predict(argv[1], argv[2]);
    if (argc != 1) {
        fprintf(stderr, "usage: %s [MODEL DATA]\n", argv[0]);
        return 2;
    }
    return make("fruit.model", "fruit.csv") || predict("fruit.model", "fruit.csv");
}
