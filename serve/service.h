/* serve/service.h - what answers requests: models, settings, the state of each worker, and the
 * routes.
 *
 * A worker is what one thread has for itself: views of models, scratch space, figures. Endpoints
 * get a call: the request, the answer to be filled, the worker, and the model where the path names
 * one. They return a status; one other than CR_OK becomes an error in the answer.
 */
#ifndef SERVE_SERVICE_H
#define SERVE_SERVICE_H

#include "answer.h"
#include "catalog.h"
#include "request.h"
#include "spool.h"
#include "training.h"
#include "view.h"

typedef struct service {
    catalog models;
    bool learn; /* lessons are accepted */
    bool watch_drift;
    size_t max_rows; /* rows of a request */
    size_t max_body;
    size_t max_journal; /* bytes of a journal, before it is shortened; 0: no limit */
    cr_pool *pool;      /* for passes over many rows */
    trainings trainings;
    struct metrics *metrics;
} service;

typedef struct worker {
    service *service;
    view *views; /* [CATALOG_LIMIT] by slot; made when they are needed */
    size_t view_count;
    cr_json_reader json;                         /* reader for bodies */
    buffer rows;                                 /* a body rewritten as lines, */
    spool lines;                                 /* if it is large */
    buffer more;                                 /* for any use by an endpoint */
    uint64_t answered_rows, undecided, rejected; /* of this request */
    struct figures *figures;                     /* for the metrics; NULL: not counted */
} worker;

typedef struct call {
    service *service;
    worker *worker;
    const request *request;
    answer *answer;
    view *view;       /* of the model in the path, or NULL */
    const char *rest; /* the path's last variable part besides the model, or NULL */
    cr_error *err;
} call;

typedef cr_status endpoint(call *k);

enum {
    ROUTE_JOB = 1,   /* takes long: must not block a thread that others wait for */
    ROUTE_TEACH = 2, /* changes a model: needs --learn */
    ROUTE_OPEN = 4,  /* needs no token: health */
    ROUTE_SMALL = 8  /* quick with a small body, a job with a large one */
};

typedef struct route {
    request_method method;
    const char *path; /* "/models/{model}/predict" */
    endpoint *run;
    unsigned flags;
} route;

const route *route_at(size_t index); /* NULL past the last */

/* The route of a request; NULL: none, and the answer is set to an error. */
const route *service_route(const request *r, answer *a);

/* Answer a request. */
void service_answer(service *s, worker *w, const route *found, const request *r, answer *a);

worker *worker_new(service *s);
void worker_free(worker *w); /* NULL is allowed */

/* The view of a slot for this worker. */
cr_status worker_view(worker *w, slot *s, view **out, cr_error *err);

#endif
