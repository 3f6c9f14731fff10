/* file/validate.h - whether a model file has what its learner needs, and nothing else's. */
#ifndef CR_FILE_VALIDATE_H
#define CR_FILE_VALIDATE_H

#include "model/model.h"

/* Check the sections of a model against its learner, knobs and schema, which have been read: every
 * section that is needed is there, of the size that the schema says where that is known, and none
 * is there that belongs to another learner or to another kind of column. Sections that no learner
 * knows are passed over: a later version may have written them. To be called before anything but
 * the schema is used; what lies inside the sections is checked by whoever reads them. */
cr_status cr__model_validate(const cr_model *model, cr_error *err);

#endif
