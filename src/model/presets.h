/* model/presets.h - several knobs set by one word. */
#ifndef CR_MODEL_PRESETS_H
#define CR_MODEL_PRESETS_H

#include "base/knobs.h"

/* Set a knob as cr__knobs_set() does, or with "preset=NAME" all those of a preset. */
cr_status cr__knobs_choose(cr__knobs *knobs, const char *setting, cr_error *err);

#endif
