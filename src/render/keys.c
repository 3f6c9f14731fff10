/* render/keys.c - the keys that the JSON of a result may have, as one text for help. */
#include <string.h>

#include "base/fail.h"
#include "render/results.h"

static const cr__result *const results[] = {&cr__test_result,
                                            &cr__test_numbers_result,
                                            &cr__cv_result,
                                            &cr__comparison_result,
                                            &cr__comparison_numbers_result,
                                            &cr__accounts_result,
                                            &cr__tuning_result,
                                            &cr__curves_result,
                                            &cr__drift_result};

/* Append a name; no comma is needed after a colon or an open bracket. */
static void put(cr_output *out, int *first, const char *name)
{
    if (!*first)
        cr_output_text(out, ", ");
    cr_output_text(out, name);
    *first = name[0] != '\0' && name[strlen(name) - 1] == ':';
    if (*first)
        cr_output_text(out, " ");
}

static void put_part(cr_output *out, int *first, const cr__part *p)
{
    const int nested = p->name != NULL && (p->fields > 0 || p->metrics != 0);
    const cr_metric *m;

    if (p->name != NULL)
        put(out, first, p->name);
    if (nested && p->fields > 0) {
        cr_output_text(out, " (");
        *first = 1;
    }
    for (size_t i = 0; p->metrics != 0 && (m = cr_metric_get(p->numbers, i)) != NULL; i++)
        if ((m->shown & p->metrics) != 0)
            put(out, first, m->key);
    for (size_t i = 0; i < p->fields; i++)
        put(out, first, p->field[i].field.key);
    if (nested)
        cr_output_text(out, ")");
}

cr_status cr_result_keys(const char *result, cr_output *out)
{
    int first = 1;

    for (size_t i = 0; i < CR__COUNT_OF(results); i++)
        if (strcmp(results[i]->name, result) == 0) {
            for (size_t p = 0; p < results[i]->parts; p++)
                put_part(out, &first, &results[i]->part[p]);
            return cr_output_flush(out);
        }
    return CR_EARG;
}
