/* store/share.h - stores that exchange their lessons. */
#ifndef CR_STORE_SHARE_H
#define CR_STORE_SHARE_H

#include "store/store.h"

/* From now on this store's own lessons are kept separate from those of others, in a transaction
 * that writes. CR_ECONFLICT: its calibration cannot be shared. */
cr_status cr__store_begin_sharing(cr_store *store, cr_error *err);

#endif
