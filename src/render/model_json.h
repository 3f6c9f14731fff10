/* render/model_json.h - parts of a model as members of JSON objects. */
#ifndef CR_RENDER_MODEL_JSON_H
#define CR_RENDER_MODEL_JSON_H

#include "credence/credence.h"
#include "render/results.h"

/* A model being written, and the requested features. */
typedef struct cr__model_view {
    const cr_model *model;
    cr_model_json_options how;
    cr_model_facts facts;
    const cr_feature_rank *feature; /* [features] the most informative first */
    size_t features;
    cr_json json;
    cr_status status; /* CR_ENOMEM: something could not be listed */
} cr__model_view;

/* "real", "symbol", "text", "ignore". */
const char *cr__kind_name(const cr_model *model, size_t column);

/* The requested features, the most informative first, into the view; the caller frees them.
 * CR_EARG: there is no such feature. */
cr_status cr__pick_features(cr__model_view *v, cr_feature_rank **own, cr_error *err);

/* How many weights a column of a logistic regression has for each class. */
size_t cr__weights_of(const cr_model *model, size_t column);

/* The features of a product, or the values in it. NULL: out of memory. Free it with cr__free. */
char *cr__interaction_name(const cr_model *model, size_t i, int values);

/* Members of the open object. */
void cr__knobs_json(cr_json *j, const cr_model *model);   /* knobs{} */
void cr__classes_json(cr_json *j, const cr_model *model); /* classes[] */
void cr__tried_json(cr_json *j, const cr_model *model);   /* tried[], of a model that was chosen */
void cr__fit_json(cr_json *j, const cr_model *model);     /* fit{}, of a logistic regression */
void cr__linear_json(cr_json *j, const cr_model *model);  /* fit{}, of a linear regression */
void cr__members_json(cr_json *j, const cr_model *model); /* members[], of an ensemble */
void cr__weights_json(cr__model_view *v);                 /* weights[], of a logistic regression */
void cr__feature_json(cr__model_view *v, const cr_feature_rank *feature);

/* A whole network, and the variable requested in detail. */
cr_status cr__network_json(cr__model_view *v, const cr_run *run, cr_error *err);

#endif
