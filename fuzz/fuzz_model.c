/* fuzz/fuzz_model.c - a hostile model file must be rejected or usable, never crash.
 *
 * The checksums of the input are corrected first, so that damage reaches the code that uses it;
 * whatever loads goes through everything that the command does with a model. The mutator changes
 * sections instead of bytes anywhere: it alters, cuts, drops and renames them, and assembles a file
 * that the container accepts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "data/container.h"
#include "model/model.h"

/* --- every operation on a model ----------------------------------------------------------------
 */

enum { ROWS = 4, COLUMNS = 12, CLASSES = 4, VALUES = 6 };

/* Rows that fit the model: values that it knows, one that it does not, one that is missing. */
typedef struct table {
    cr_array array[COLUMNS];
    double real[COLUMNS][ROWS];
    const char *text[COLUMNS][ROWS];
    size_t columns;
} table;

static void fill_column(table *t, const cr_model *model, size_t i)
{
    const cr_schema *schema = cr_model_schema(model);
    const cr_kind kind = cr_schema_kind(schema, i);
    const size_t values = cr_model_values(model, i);
    cr_array *array = &t->array[t->columns];

    *array = (cr_array){.name = cr_schema_name(schema, i), .role = cr_schema_role(schema, i)};
    for (size_t r = 0; r < ROWS; r++) {
        t->real[i][r] = (double)r + 0.5;
        t->text[i][r] = kind == CR_BAG ? "a very close game"
                        : values > 0   ? cr_model_value(model, i, r % values)
                                       : "yes";
    }
    if (array->role == CR_ROLE_FEATURE)
        t->text[i][ROWS - 1] = NULL;
    if (kind == CR_REAL)
        array->real = t->real[i];
    else
        array->text = t->text[i];
    array->kind = kind == CR_BAG ? CR_BAG : 0;
    t->columns++;
}

static cr_source *open_rows(table *t, const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    cr_source *source = NULL;

    t->columns = 0;
    if (cr_schema_columns(schema) > COLUMNS)
        return NULL;
    for (size_t i = 0; i < cr_schema_columns(schema); i++)
        if (cr_schema_kind(schema, i) != CR_IGNORE)
            fill_column(t, model, i);
    return cr_source_open_arrays(&source, t->array, t->columns, ROWS, NULL) == CR_OK ? source
                                                                                     : NULL;
}

static void show_column(const cr_model *model, size_t i, size_t classes)
{
    size_t words[3];
    double mean, variance;
    cr_gaussian g;
    cr_fit_test test;
    cr_word word;

    for (size_t c = 0; c < classes; c++) {
        for (size_t v = 0; v < cr_model_values(model, i) && v < VALUES; v++) {
            cr_model_value(model, i, v);
            cr_model_count(model, i, v, c);
            cr_model_probability(model, i, v, c);
        }
        if (cr_schema_kind(cr_model_schema(model), i) == CR_REAL) {
            cr_model_gaussian(model, i, c, &g);
            cr_model_fit_test(model, i, c, &test, NULL);
            cr_model_normal(model, c, &i, 1, &mean, &variance, NULL, NULL);
        }
        for (size_t w = 0; w < cr_model_words(model, i) && w < VALUES; w++)
            cr_model_word(model, i, w, c, &word);
        cr_model_informative_words(model, i, c, words, 3);
    }
    cr_model_present(model, i);
    cr_model_information(model, i);
}

static void draw_line(void *context, size_t depth, const char *text)
{
    *(size_t *)context += depth + strlen(text);
}

static void show(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    const size_t all = cr_model_classes(model), classes = all < CLASSES ? all : CLASSES;
    cr_model_facts facts;
    cr_linear_facts linear;
    cr_coefficient coefficient;
    char remark[200];
    size_t drawn = 0;

    cr_model_get_facts(model, &facts);
    for (size_t i = 0; i < 3; i++)
        cr_model_remark(model, i, remark, sizeof remark);
    for (size_t c = 0; c < classes; c++) {
        cr_model_class(model, c);
        cr_model_class_count(model, c);
        cr_model_prior(model, c);
    }
    for (size_t i = 0; i < cr_schema_columns(schema) && i < COLUMNS; i++)
        show_column(model, i, classes);
    cr_model_draw(model, draw_line, &drawn, NULL);
    cr_model_linear_facts(model, &linear);
    for (size_t i = 0; i < VALUES; i++)
        cr_model_coefficient(model, i, 0.95, &coefficient);
}

static void ask(const cr_model *model)
{
    static const char *const queries[] = {"P(yes)", "P(gender | hours > 40.5)",
                                          "argmax(evade | refund=no, income<=80)",
                                          "E(petal_length | species=setosa)"};
    double log_evidence;
    cr_states *states = NULL;

    cr_model_evidence(model, &log_evidence, NULL);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        cr_answer *answer = NULL;

        cr_query_run(model, queries[i], &answer, NULL);
        cr_answer_free(answer);
    }
    cr_query_best(model, "", &states, NULL);
    cr_states_free(states);
}

static cr_status see_explanation(void *context, const cr_explanation *e)
{
    *(size_t *)context += e->factors;
    return CR_OK;
}

static cr_status see_answers(void *context, const cr_predictions *p)
{
    *(size_t *)context += p->rows;
    return CR_OK;
}

static void decide(const cr_model *model)
{
    table t = {0};
    size_t seen = 0;
    const cr_run run = {.threads = 1};
    const cr_sink sink = {.visit = see_answers, .context = &seen};
    cr_source *source = open_rows(&t, model);

    if (source == NULL)
        return;
    cr_model_predict(model, source, NULL, &sink, &run, NULL, NULL);
    cr_source_close(source);
    if ((source = open_rows(&t, model)) == NULL)
        return;
    cr_model_explain(model, source, NULL, see_explanation, &seen, NULL);
    cr_source_close(source);
}

static void classify(const cr_model *model)
{
    const cr_schema *schema = cr_model_schema(model);
    double *posterior = malloc((cr_model_classes(model) + 1) * sizeof *posterior);
    cr_regression number;
    cr_row *row = NULL;
    int32_t decision;

    if (posterior != NULL && cr_row_new(&row, model, NULL) == CR_OK) {
        for (size_t i = 0; i < cr_schema_columns(schema); i++) {
            cr_row_set_real(row, i, 1.5);
            cr_row_set_text(row, i, "yes");
        }
        cr_model_classify(model, row, posterior, &decision, NULL);
        cr_model_regress(model, row, &number);
    }
    cr_row_free(row);
    free(posterior);
}

static void use(const cr_model *model)
{
    show(model);
    ask(model);
    classify(model);
    decide(model);
}

/* --- changes: each of a copy -------------------------------------------------------------------
 */

typedef cr_status change(cr_model *model);

static cr_status refit(cr_model *model)
{
    const char *knob = "alpha=0.5";

    return cr_model_refit(model, &knob, 1, NULL);
}

static cr_status merge(cr_model *model)
{
    return cr_model_merge(model, model, NULL);
}

static cr_status pass(cr_model *model, int unlearn)
{
    table t = {0};
    const cr_run run = {.threads = 1};
    cr_source *source = open_rows(&t, model);
    cr_status st = source == NULL ? CR_EARG
                   : unlearn      ? cr_model_unlearn(model, source, &run, NULL, NULL)
                                  : cr_model_learn(model, source, &run, NULL, NULL);

    cr_source_close(source);
    return st;
}

static cr_status learn(cr_model *model)
{
    return pass(model, 0);
}

static cr_status unlearn(cr_model *model)
{
    return pass(model, 1);
}

static cr_status to_logistic(cr_model *model)
{
    return cr_model_to_logistic(model, NULL);
}

static void change_all(const cr_model *model)
{
    static change *const changes[] = {refit, merge, learn, unlearn, to_logistic};
    cr_model *copy = NULL;

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (cr_model_copy(&copy, model, NULL) == CR_OK && changes[i](copy) == CR_OK)
            use(copy);
        cr_model_free(copy);
        copy = NULL;
    }
    if (cr_network_copy(&copy, model, NULL, NULL) == CR_OK)
        use(copy);
    cr_model_free(copy);
}

/* What is saved must load again. */
static void save(const cr_model *model)
{
    cr_model *again = NULL;
    void *bytes = NULL;
    size_t size;

    if (cr_model_save_bytes(model, &bytes, &size, NULL) == CR_OK &&
        cr_model_load_bytes(&again, bytes, size, 0, NULL) != CR_OK)
        abort();
    cr_model_free(again);
    cr_bytes_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr_model *model = NULL;
    void *container;
    cr_error err;

    if (size < 1 || posix_memalign(&container, 64, size) != 0)
        return 0;
    memcpy(container, data + 1, size - 1);
    if (!(data[0] & 2))
        cr__container_seal(container, size - 1);
    if (cr_model_load_bytes(&model, container, size - 1, data[0] & 1 ? 0 : CR_LOAD_TRUST, &err) ==
        CR_OK) {
        use(model);
        change_all(model);
        save(model);
    }
    cr_model_free(model);
    free(container);
    return 0;
}

/* --- the mutator --------------------------------------------------------------------------------
 */

enum { HEADER = 64, ENTRY = 32, SECTIONS = 64 };

typedef struct section {
    uint32_t tag, index;
    uint8_t *bytes;
    size_t size;
} section;

static uint32_t roll(unsigned *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return below == 0 ? 0 : (*seed >> 8) % below;
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t x;

    memcpy(&x, at, sizeof x);
    return x;
}

/* The sections of a file, as many as make sense, copied. */
static size_t take_apart(const uint8_t *file, size_t size, section *to, size_t most)
{
    size_t n = 0;
    uint32_t count;

    if (size < HEADER)
        return 0;
    memcpy(&count, file + 12, sizeof count);
    for (uint32_t i = 0; i < count && n < most && HEADER + (i + 1) * (size_t)ENTRY <= size; i++) {
        const uint8_t *at = file + HEADER + i * (size_t)ENTRY;
        const uint64_t offset = get64(at + 8), length = get64(at + 16);

        if (offset > size || length > size - offset)
            continue;
        memcpy(&to[n].tag, at, 4);
        memcpy(&to[n].index, at + 4, 4);
        to[n].size = (size_t)length;
        if ((to[n].bytes = malloc(to[n].size + 1)) == NULL)
            break;
        memcpy(to[n].bytes, file + offset, to[n].size);
        n++;
    }
    return n;
}

static int order(const void *pa, const void *pb)
{
    const section *a = pa, *b = pb;

    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t put_together(section *from, size_t n, uint8_t *file, size_t most)
{
    size_t end = (HEADER + n * ENTRY + 63) / 64 * 64;
    const uint32_t count = (uint32_t)n, format = 1;

    qsort(from, n, sizeof *from, order);
    if (end > most)
        return 0;
    memset(file, 0, end);
    memcpy(file,
           "\x89"
           "CRED\r\n\x1a",
           8);
    memcpy(file + 8, &format, 4);
    memcpy(file + 12, &count, 4);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = file + HEADER + i * ENTRY;
        const uint64_t offset = end, length = from[i].size;
        const size_t next = (end + from[i].size + 63) / 64 * 64;

        if (next > most)
            return 0;
        memset(file + end, 0, next - end);
        memcpy(file + end, from[i].bytes, from[i].size);
        memcpy(at, &from[i].tag, 4);
        memcpy(at + 4, &from[i].index, 4);
        memcpy(at + 8, &offset, 8);
        memcpy(at + 16, &length, 8);
        end = next;
    }
    cr__container_seal(file, end);
    return end;
}

static void alter(section *s, unsigned *seed)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   255,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   INT64_MAX,
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0xbff0000000000000),
                                   UINT64_C(0x3ff0000000000000)};
    const size_t widths[] = {1, 4, 8}, width = widths[roll(seed, 3)];

    for (uint32_t times = 1 + roll(seed, 3); times > 0 && s->size >= width; times--) {
        const size_t at = roll(seed, (uint32_t)(s->size / width)) * width;
        uint64_t x = 0;

        memcpy(&x, s->bytes + at, width);
        x = roll(seed, 2) ? odd[roll(seed, sizeof odd / sizeof *odd)] : x + roll(seed, 5) - 2;
        memcpy(s->bytes + at, &x, width);
    }
}

/* One change to a list of sections; other ones may be grafted in. */
static size_t mutate(section *s, size_t n, const section *other, size_t others, unsigned *seed)
{
    const size_t i = roll(seed, (uint32_t)n);

    switch (roll(seed, 8)) {
    case 0: /* gone */
        free(s[i].bytes);
        s[i] = s[n - 1];
        return n - 1;
    case 1: /* cut */ s[i].size -= roll(seed, (uint32_t)(s[i].size < 9 ? s[i].size + 1 : 9)); break;
    case 2: s[i].index = roll(seed, 4); break;
    case 3:
        if (others > 0 && n < SECTIONS) {
            const section *from = &other[roll(seed, (uint32_t)others)];

            s[n] = *from;
            if ((s[n].bytes = malloc(from->size + 1)) == NULL)
                return n;
            memcpy(s[n].bytes, from->bytes, from->size);
            return n + 1;
        }
        break;
    default: alter(&s[i], seed);
    }
    return n;
}

static size_t change_file(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                          uint8_t *out, size_t most, unsigned seed)
{
    static section s[SECTIONS + 1], other[SECTIONS];
    const size_t others = b_size < 1 ? 0 : take_apart(b + 1, b_size - 1, other, SECTIONS);
    size_t n = a_size < 1 ? 0 : take_apart(a + 1, a_size - 1, s, SECTIONS), size = 0;

    for (uint32_t times = 1 + roll(&seed, 3); n > 1 && times > 0; times--)
        n = mutate(s, n, other, others, &seed);
    if (n > 0 && most > 1) {
        out[0] = 1;
        size = put_together(s, n, out + 1, most - 1);
    }
    for (size_t i = 0; i < n; i++)
        free(s[i].bytes);
    for (size_t i = 0; i < others; i++)
        free(other[i].bytes);
    return size == 0 ? 0 : size + 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint8_t *copy = malloc(size + 1);
    size_t made = 0;

    if (copy != NULL) {
        memcpy(copy, data, size);
        made = change_file(copy, size, NULL, 0, data, most, seed);
        if (made == 0)
            memcpy(data, copy, size);
    }
    free(copy);
    return made == 0 ? size : made;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    return change_file(a, a_size, b, b_size, out, most, seed);
}
