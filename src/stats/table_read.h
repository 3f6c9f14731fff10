/* stats/table_read.h - read a whole source into memory. */
#ifndef CR_STATS_TABLE_READ_H
#define CR_STATS_TABLE_READ_H

#include "source/pass.h"
#include "text/recipe.h"

/* Read all rows, in their order, with codes in order of first arrival: the same for any number of
 * workers. The schema is the source's own (inferred or bound); a wrong guess is corrected. The
 * recipe says what the words of texts are, and may be NULL when there are none. The members of a
 * team each read a part and get the rows of all. CR_ELIMIT beyond run->memory. */
cr_status cr__table_read(cr__table **out, cr_source *source, const cr_schema *schema,
                         const cr__recipe *recipe, const cr_run *run, cr_error *err);

/* The same with codes of symbols in bytes where they fit (data/table.h): packed. Members of a team
 * get theirs unpacked. */
cr_status cr__table_read_packed(cr__table **out, cr_source *source, const cr_schema *schema,
                                const cr__recipe *recipe, const cr_run *run, cr_error *err);

/* The same of some of its chunks, `wanted` of about `chunks`, evenly over the source; all of them
 * where chunks is 0. */
cr_status cr__table_read_some(cr__table **out, cr_source *source, const cr_schema *schema,
                              const cr__recipe *recipe, const cr_run *run, uint64_t wanted,
                              uint64_t chunks, cr_error *err);

#endif
