/* render/results.h - parts of results that others contain, and tables of fields for the keys. */
#ifndef CR_RENDER_RESULTS_H
#define CR_RENDER_RESULTS_H

#include "render/fields.h"

/* What a result's JSON consists of, for cr_result_keys(): metrics in a place, fields, or a name by
 * itself; brackets follow a name whose fields come next. */
typedef struct cr__part {
    const char *name;       /* "classes[]", or NULL: its fields are members of the object itself */
    const cr__field *field; /* [fields] */
    size_t fields;
    unsigned metrics; /* CR_METRIC_JSON and the like, before the fields; 0: none */
    int numbers;      /* of a regression, not of a classifier */
} cr__part;

typedef struct cr__result {
    const char *name;
    const cr__part *part;
    size_t parts;
} cr__result;

extern const cr__result cr__test_result, cr__test_numbers_result, cr__cv_result,
    cr__comparison_result, cr__comparison_numbers_result, cr__accounts_result, cr__tuning_result,
    cr__curves_result, cr__drift_result;

/* Members of an object. */
void cr__test_members(cr_json *j, const cr_model *model, const cr_evaluation *e,
                      uint64_t unlabelled, double seconds);

#define CR__COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
