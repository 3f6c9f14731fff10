/* cli/explain.h - why a row was decided as it was. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <stdbool.h>

#include "credence/credence.h"

/* Who asks, and about what. */
typedef struct inquiry {
    const cr_model *model;
    const char *path;    /* of the model */
    int32_t against;     /* class to compare with, or CR_UNDECIDED: the runner-up */
    size_t top;          /* factors shown to people */
} inquiry;

/* The class a row's decision is weighed against, or CR_UNDECIDED when there is none. */
int32_t explain_rival(const inquiry *q, const cr_explanation *e);

/* What a factor adds to the log-odds of one class against another: NaN when it is impossible
 * for both. */
double explain_share(const cr_factor *f, int32_t decision, int32_t rival);

/* The first factor that is zero for a class, or NULL. */
const cr_factor *explain_zero(const cr_explanation *e, size_t class_index);

/* The posterior of the decision: 1 only when it is certain. */
double explain_certainty(const cr_explanation *e);

void explain_shares(const inquiry *q, const cr_explanation *e); /* a table of log-odds */
void explain_work(const inquiry *q, const cr_explanation *e);   /* as on a blackboard */
void explain_json(const inquiry *q, const cr_explanation *e);   /* one object on a line */
void explain_csv(const inquiry *q, const cr_explanation *e);    /* a line per factor and class */
void explain_csv_header(void);

/* The closing words about a row that no class can explain. */
void explain_impossible(const inquiry *q, const cr_explanation *e);

#endif
