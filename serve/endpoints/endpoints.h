/* serve/endpoints/endpoints.h - what can be asked: one function each, see routes.c. */
#ifndef SERVE_ENDPOINTS_H
#define SERVE_ENDPOINTS_H

#include "service.h"

/* models.c */
endpoint list_models, show_model;

/* predict.c */
endpoint predict_rows;

/* oip.c */
endpoint oip_server, oip_live, oip_ready, oip_model, oip_model_ready;

/* assets.c */
endpoint asset_index, asset;

#endif
