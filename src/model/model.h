/* model/model.h - the internals of cr_model.
 *
 * A model that was trained has its statistics and fitted parameters in memory. One that was loaded
 * has its parameters and dictionaries as views into the mapped file, and reads its statistics from
 * there when they are first needed.
 *
 * Copies of a model share their parts, and the last copy frees them. Shared parts never change:
 * code that changes a model replaces them, or makes sure with cr__model_own() that no other copy
 * has them.
 */
#ifndef CR_MODEL_MODEL_H
#define CR_MODEL_MODEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/calibration.h"
#include "model/choice.h"
#include "model/impute.h"
#include "model/learner.h"
#include "stats/stats_sections.h"
#include "text/recipe.h"

typedef struct cr__later cr__later; /* model/later.h */

/* What the copies of a model have in common. */
typedef struct cr__model_share {
    atomic_size_t copies;
    atomic_int behind;    /* rows have been learned that are not worked in yet, */
    cr__later *later;     /* and are here; a model of which there are copies has none */
    pthread_mutex_t lock; /* guards stats, here and in every copy, while they are read */
    void *fitted;         /* the learner's parameters */
    cr__stats *stats;     /* NULL until needed in a loaded model */
} cr__model_share;

struct cr_model {
    cr__model_share *share;
    const cr__learner *learner;
    cr__knobs knobs;
    cr_schema *schema;
    char *missing;          /* texts that mean missing, comma-separated */
    cr__recipe recipe;      /* how texts become words */
    cr__impute *impute;     /* what is filled in for missing values, or NULL */
    cr__impute_codes codes; /* its words by dict */
    uint64_t rows;
    size_t classes;
    size_t *values;   /* [columns] number of values of each symbol column */
    cr__dict **dict;  /* [columns] words of symbol columns, the target among them */
    int dict_views;   /* dict are frozen views of the container, freed with the model; otherwise
                         they belong to stats */
    cr__stats *stats; /* those of share, once this copy has needed them */
    cr__container container; /* {0} in a trained model */
    char fingerprint[33];    /* "" until it is asked for: see cr__model_fingerprint() */
    char version[16];
    cr__calibration *calibration; /* transformation of posteriors, or NULL; any change of the model
                                   * drops it. Each copy holds a reference */
    cr__choice_list *choices; /* what was tried before it was trained, or NULL; shared likewise */
};

/* An empty model. NULL when out of memory. */
cr_model *cr__model_alloc(void);

/* Whether there are other copies. */
int cr__model_shared(const cr_model *model);

/* Swap the contents of two models. */
void cr__model_swap(cr_model *a, cr_model *b);

/* The model whose counts describe the data: itself, or a member of a blend, whose members have all
 * learned the same rows. (Members that were combined by hand may have learned different ones.) The
 * column, unless it is NULL, becomes that model's. */
const cr_model *cr__model_counted(const cr_model *model, size_t *column);

/* The statistics, read from the file when needed. Any thread. */
cr_status cr__model_stats(const cr_model *model, const cr__stats **out, cr_error *err);

/* Work in what was learned row by row (model/later.h): to be called before fitted parameters are
 * read, unless cr__model_stats() has been. Any thread. */
cr_status cr__model_catch_up(const cr_model *model, cr_error *err);
void cr__later_free(cr__later *later); /* NULL is allowed */

/* Make sure that the fingerprint of the statistics is there. Any thread. */
cr_status cr__model_fingerprint(const cr_model *model, cr_error *err);

/* Make a model from statistics, which it takes over (they are freed even on failure). The input has
 * the rest: knobs, which are copied, and whatever else fit needs. */
cr_status cr__model_new(cr_model **out, const cr__learner *learner, cr__stats *stats,
                        const cr__fit_input *input, const char *missing, const cr__recipe *recipe,
                        cr_error *err);

/* Whether there is such a column; a NULL model has none. */
int cr__model_has_column(const cr_model *model, size_t column);

/* Whether a column is a real number to queries, not a word or an interval. */
int cr__model_is_number(const cr_model *model, size_t column);

/* Names and numbers of the intervals that fitting has cut: call it when a model has been fitted or
 * opened. */
void cr__model_adopt_bins(cr_model *model);

/* Give it an imputer; takes ownership, even after a failure. */
cr_status cr__model_take_impute(cr_model *model, cr__impute *impute, cr_error *err);

/* The recipe that knobs describe. The caller frees it. */
cr_status cr__model_recipe(cr__recipe *out, const cr__knobs *knobs, cr_error *err);

/* Record whether the texts of the source are messages. */
cr_status cr__model_recipe_mail(cr__recipe *recipe, cr__knobs *knobs, const cr_source *source,
                                cr_error *err);

/* Whether two recipes make the same words of a text (apart from what the model applies later). */
cr_status cr__recipe_same(const cr__recipe *a, const cr__recipe *b, int *same, cr_error *err);
cr_status cr__recipe_copy(cr__recipe *out, const cr__recipe *from, cr_error *err);

/* The whole model: file/model_file.c. */
cr_status cr__model_draft(const cr_model *model, cr__draft *draft, cr_error *err);
/* A model in memory, borrowed; aligned to 64 bytes like a mapping. */
cr_status cr__model_borrow(cr_model **out, const void *bytes, size_t size, int verify,
                           cr_error *err);
/* Make sure that the model shares nothing with a copy, before it is changed in place. */
cr_status cr__model_own(cr_model *model, cr_error *err);
/* Replace a model by one with other statistics (taken over); unchanged on failure. Knobs that the
 * input does not have are the model's. */
cr_status cr__model_become(cr_model *model, cr__stats *stats, const cr__fit_input *input,
                           cr_error *err);

/* Fail because the model has no class of this name; the hint names the nearest, or the first. */
cr_status cr__model_no_class(const cr_model *model, cr_status st, const char *name, size_t length,
                             cr_error *err);

#endif
