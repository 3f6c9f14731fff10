/* render/feature_json.c - one feature of a model as JSON: values, densities, words, weights.
 *
 * Numbers of a value or a word are in the order of the model's classes. */
#include <string.h>

#include "base/memory.h"
#include "render/model_json.h"

#define FIELDS(list) list, CR__COUNT_OF(list)

static void by_class(cr__model_view *v, const char *key, size_t column, size_t value,
                     double (*number)(const cr_model *, size_t, size_t, size_t))
{
    cr_json_array(&v->json, key, CR_JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(v->model); c++)
        cr_json_number(&v->json, NULL, number(v->model, column, value, c));
    cr_json_end(&v->json);
}

static void value_json(cr__model_view *v, size_t column, size_t value)
{
    cr_json_object(&v->json, NULL, CR_JSON_LINE);
    cr_json_text(&v->json, "value", cr_model_value(v->model, column, value));
    by_class(v, "count", column, value, cr_model_count);
    by_class(v, "probability", column, value, cr_model_probability);
    cr_json_end(&v->json);
}

#define GAUSSIAN(member, meaning) CR__HIDDEN(cr_gaussian, member, CR__DOUBLE, #member, meaning)

static const cr__field gaussian_fields[] = {
    GAUSSIAN(count, "rows with a value"),
    GAUSSIAN(mean, "of the data"),
    GAUSSIAN(variance_mle, "of the data, divided by n"),
    GAUSSIAN(variance_unbiased, "of the data, divided by n - 1"),
    GAUSSIAN(fitted_mean, "in use"),
    GAUSSIAN(fitted_variance, "in use"),
    GAUSSIAN(freedom, "of Student's t; 0 for a Gaussian"),
};

static void gaussian_json(cr__model_view *v, size_t column, size_t class_index)
{
    cr_gaussian g;

    if (cr_model_gaussian(v->model, column, class_index, &g) != CR_OK)
        return;
    cr_json_object(&v->json, NULL, CR_JSON_LINE);
    cr_json_text(&v->json, "class", cr_model_class(v->model, class_index));
    cr__fields_json(&v->json, FIELDS(gaussian_fields), &g);
    cr_json_end(&v->json);
}

/* --- words ------------------------------------------------------------------------------------ */

/* The words that support a class most; they are marked. */
static void informative_json(cr__model_view *v, size_t column, size_t c, char *marked)
{
    const size_t all = cr_model_words(v->model, column);
    const size_t room = v->how.top != 0 && v->how.top < all ? v->how.top : all;
    size_t *word = cr__alloc(room + 1, sizeof *word);
    const size_t count =
        word == NULL ? 0 : cr_model_informative_words(v->model, column, c, word, room);
    cr_word w;

    if (word == NULL)
        v->status = CR_ENOMEM;
    cr_json_array(&v->json, cr_model_class(v->model, c), CR_JSON_BLOCK);
    for (size_t i = 0; i < count; i++) {
        if (cr_model_word(v->model, column, word[i], c, &w) != CR_OK)
            continue;
        marked[word[i]] = 1;
        cr_json_object(&v->json, NULL, CR_JSON_LINE);
        cr_json_bytes(&v->json, "word", w.bytes, w.length);
        cr_json_number(&v->json, "log_odds", cr_model_word_odds(v->model, column, word[i], c));
        cr_json_number(&v->json, "terms", w.terms);
        cr_json_number(&v->json, "documents", w.documents);
        cr_json_end(&v->json);
    }
    cr_json_end(&v->json);
    cr__free(word);
}

static double terms_of(const cr_model *model, size_t column, size_t word, size_t c)
{
    cr_word w;

    cr_model_word(model, column, word, c, &w);
    return w.terms;
}

static double documents_of(const cr_model *model, size_t column, size_t word, size_t c)
{
    cr_word w;

    cr_model_word(model, column, word, c, &w);
    return w.documents;
}

static double share_of(const cr_model *model, size_t column, size_t word, size_t c)
{
    cr_word w;

    cr_model_word(model, column, word, c, &w);
    return w.log_share;
}

/* A word that selection leaves out has no log_share. */
static void word_json(cr__model_view *v, size_t column, size_t word)
{
    cr_word w;

    if (cr_model_word(v->model, column, word, 0, &w) != CR_OK)
        return;
    cr_json_object(&v->json, NULL, CR_JSON_LINE);
    cr_json_bytes(&v->json, "word", w.bytes, w.length);
    by_class(v, "terms", column, word, terms_of);
    by_class(v, "documents", column, word, documents_of);
    by_class(v, "log_share", column, word, share_of);
    cr_json_end(&v->json);
}

static void text_json(cr__model_view *v, size_t column)
{
    const size_t words = cr_model_words(v->model, column);
    char *marked = cr__alloc_zero(words + 1, 1);

    if (marked == NULL)
        v->status = CR_ENOMEM;
    cr_json_object(&v->json, "telling", CR_JSON_BLOCK);
    for (size_t c = 0; marked != NULL && c < cr_model_classes(v->model); c++)
        informative_json(v, column, c, marked);
    cr_json_end(&v->json);
    cr_json_array(&v->json, "words", CR_JSON_BLOCK);
    for (size_t w = 0; marked != NULL && w < words; w++)
        if (!v->how.telling_only || marked[w])
            word_json(v, column, w);
    cr__free(marked);
}

void cr__feature_json(cr__model_view *v, const cr_feature_rank *feature)
{
    const cr_schema *schema = cr_model_schema(v->model);
    const size_t column = feature->column;

    cr_json_object(&v->json, NULL, CR_JSON_BLOCK);
    cr_json_text(&v->json, "name", cr_schema_name(schema, column));
    cr_json_text(&v->json, "kind", cr__kind_name(v->model, column));
    cr_json_text(&v->json, "why", cr_why_text(cr_schema_why(schema, column)));
    cr_json_number(&v->json, "bits", feature->bits);
    if (cr_schema_kind(schema, column) == CR_REAL && !cr_model_has_values(v->model, column)) {
        cr_json_array(&v->json, "gaussian", CR_JSON_BLOCK);
        for (size_t c = 0; c < cr_model_classes(v->model); c++)
            gaussian_json(v, column, c);
    } else if (cr_schema_kind(schema, column) == CR_BAG) {
        text_json(v, column);
    } else {
        cr_json_array(&v->json, "values", CR_JSON_BLOCK);
        for (size_t i = 0; i < cr_model_values(v->model, column); i++)
            value_json(v, column, i);
    }
    cr_json_end(&v->json);
    cr_json_end(&v->json);
}

/* --- weights of a logistic regression --------------------------------------------------------- */

static double weight_of(const cr_model *model, size_t column, size_t value, size_t c)
{
    cr_weight w;

    cr_model_weight(model, column, value, c, &w);
    return w.weight;
}

static double error_of(const cr_model *model, size_t column, size_t value, size_t c)
{
    cr_weight w;

    cr_model_weight(model, column, value, c, &w);
    return w.error;
}

/* The weights of a value or a word; value is 0 for a real column, column is SIZE_MAX for the
 * intercept.
 */
static void weight_json(cr__model_view *v, size_t column, size_t value, int errors)
{
    const cr_schema *schema = cr_model_schema(v->model);
    const cr_kind kind = column == SIZE_MAX ? CR_REAL : cr_schema_kind(schema, column);
    cr_word w;

    cr_json_object(&v->json, NULL, CR_JSON_LINE);
    cr_json_text(&v->json, "feature", column == SIZE_MAX ? NULL : cr_schema_name(schema, column));
    if (kind == CR_SYMBOL)
        cr_json_text(&v->json, "value", cr_model_value(v->model, column, value));
    else if (kind == CR_BAG && cr_model_word(v->model, column, value, 0, &w) == CR_OK)
        cr_json_bytes(&v->json, "value", w.bytes, w.length);
    by_class(v, "weight", column, value, weight_of);
    if (errors)
        by_class(v, "error", column, value, error_of);
    cr_json_end(&v->json);
}

char *cr__interaction_name(const cr_model *model, size_t i, int values)
{
    const size_t size = 1 + cr_model_interaction_name(model, i, values, NULL, 0);
    char *name = cr__alloc(size, 1);

    if (name != NULL)
        cr_model_interaction_name(model, i, values, name, size);
    return name;
}

static double product_weight(const cr_model *model, size_t column, size_t i, size_t c)
{
    cr_interaction p;

    (void)column;
    cr_model_interaction(model, i, c, &p);
    return p.weight.weight;
}

static double product_error(const cr_model *model, size_t column, size_t i, size_t c)
{
    cr_interaction p;

    (void)column;
    cr_model_interaction(model, i, c, &p);
    return p.weight.error;
}

/* The same of a product. */
static void product_json(cr__model_view *v, size_t i, int errors)
{
    char *name = cr__interaction_name(v->model, i, 0), *values;

    values = cr__interaction_name(v->model, i, 1);
    if (name == NULL || values == NULL)
        v->status = CR_ENOMEM;
    cr_json_object(&v->json, NULL, CR_JSON_LINE);
    cr_json_text(&v->json, "feature", name);
    if (values != NULL && *values != '\0')
        cr_json_text(&v->json, "value", values);
    by_class(v, "weight", SIZE_MAX, i, product_weight);
    if (errors)
        by_class(v, "error", SIZE_MAX, i, product_error);
    cr_json_end(&v->json);
    cr__free(name);
    cr__free(values);
}

size_t cr__weights_of(const cr_model *model, size_t column)
{
    const cr_kind kind = cr_schema_kind(cr_model_schema(model), column);

    return kind == CR_REAL  ? 1
           : kind == CR_BAG ? cr_model_words(model, column)
                            : cr_model_values(model, column);
}

void cr__weights_json(cr__model_view *v)
{
    cr_fit fit;
    int errors;

    if (cr_model_fit(v->model, &fit) != CR_OK)
        return;
    errors = strcmp(fit.posterior, "none") != 0;
    cr_json_array(&v->json, "weights", CR_JSON_BLOCK);
    weight_json(v, SIZE_MAX, 0, errors);
    for (size_t i = 0; i < v->features; i++) {
        const size_t column = v->feature[i].column;

        for (size_t value = 0; value < cr__weights_of(v->model, column); value++)
            weight_json(v, column, value, errors);
    }
    for (size_t i = 0; v->how.feature == NULL && i < cr_model_interactions(v->model); i++)
        product_json(v, i, errors);
    cr_json_end(&v->json);
}
