/* cli/options/split.h - options that hold out some rows: --split, --group, --order, --last,
 * --plain. */
#ifndef CLI_OPTIONS_SPLIT_H
#define CLI_OPTIONS_SPLIT_H

#include "credence/split.h"
#include "options/options.h"

extern const option_group split_options;

/* Split DATA (the operands from first on) as the options say. With a model, its target is used.
 * EXIT_DONE, or an exit status after a message. */
int make_split(cr_split **out, const request *r, size_t first, const cr_model *model);

/* If --split is given, do the same and let the source pass only one side; otherwise do nothing. The
 * split must outlive the source. */
int keep_side(cr_split **out, cr_source *source, const request *r, size_t first,
              const cr_model *model, cr_side side);

#endif
