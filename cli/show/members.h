/* cli/show/members.h - the members of an ensemble, and their answers for a row. */
#ifndef CLI_SHOW_MEMBERS_H
#define CLI_SHOW_MEMBERS_H

#include "explain/explain.h"
#include "options/options.h"
#include "out/json.h"

/* The table of members. */
void members_print(const cr_model *model);
void members_csv(const cr_model *model);

/* The output of credence show for an ensemble. */
void members_show(const request *r, const cr_model *model, const char *path);

/* Why an ensemble decided as it did, instead of factors. */
void members_explain(const inquiry *q, const cr_explanation *e);

#endif
