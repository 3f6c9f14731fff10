/* cli/options/split.h - options that hold out some rows: --split, --group, --order, --last,
 * --plain. */
#ifndef CLI_OPTIONS_SPLIT_H
#define CLI_OPTIONS_SPLIT_H

#include "credence/split.h"
#include "options/options.h"

extern const option_group split_options;

/* Part DATA (the operands from first on) as the options say. With a model, its target is what is
 * shared out. EXIT_DONE, or an exit status after a message. */
int make_split(cr_split **out, const request *r, size_t first, const cr_model *model);

/* The same when --split is given, and let the source pass on one side only; otherwise nothing. The
 * split must live longer than the source. */
int keep_side(cr_split **out, cr_source *source, const request *r, size_t first,
              const cr_model *model, cr_side side);

#endif
