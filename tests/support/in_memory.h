/* tests/support/in_memory.h - rows, models and output in memory, each in one call. They fail the
 * test that calls them if something goes wrong.
 */
#ifndef TESTS_SUPPORT_IN_MEMORY_H
#define TESTS_SUPPORT_IN_MEMORY_H

#include "credence/credence.h"

/* Rows written as CSV. type is one "COLUMN=KIND", or NULL; weight a column of weights, or NULL. */
cr_source *rows_of(const char *csv);
cr_source *rows_with(const char *csv, const char *type, const char *weight);

/* A model of such rows. param is one "KEY=VALUE", or NULL. */
cr_model *model_of(const char *csv, const char *learner, const char *param);
cr_model *model_with(const char *csv, const char *learner, const char *param, const char *type);

/* An output, and what it has so far, with a NUL at the end. The text is valid until more is
 * written or the output is freed. */
cr_output *new_output(void);
const char *text_of(cr_output *out);

/* A sheet as CSV; the caller frees it. */
char *csv_of(const cr_sheet *sheet);

/* Fail with the message of an error. */
#define assert_ok(status, err)                                                                     \
    do {                                                                                           \
        if ((status) != CR_OK)                                                                     \
            fail_msg("%s", (err).message);                                                         \
    } while (0)
#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (strstr(text, part) == NULL)                                                            \
            fail_msg("no %s in %s", part, text);                                                   \
    } while (0)

#endif
