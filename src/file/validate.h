/* file/validate.h - whether a model file has what its learner needs, and nothing that belongs to
 * another. */
#ifndef CR_FILE_VALIDATE_H
#define CR_FILE_VALIDATE_H

#include "model/model.h"

/* Check the sections of a model against its learner, knobs and schema, which have been read: every
 * required section exists, with the size that follows from the schema where that is known, and none
 * belongs to another learner or to another kind of column. Sections that no learner knows are
 * ignored: a later version may have written them. Call it before anything but the schema is used;
 * the contents of sections are checked by the code that reads them. */
cr_status cr__model_validate(const cr_model *model, cr_error *err);

#endif
