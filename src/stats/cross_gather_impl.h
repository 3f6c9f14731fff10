/* stats/cross_gather_impl.h - the structures of collecting cross products, for cross_gather.c and
 * cross_team.c. */
#ifndef CR_STATS_CROSS_GATHER_IMPL_H
#define CR_STATS_CROSS_GATHER_IMPL_H

#include <pthread.h>

#include "stats/cross_gather.h"

enum {
    CR__CROSS_BLOCK_ROWS = 512, /* of a job: enough that adding its products costs little */
    CR__CROSS_FIRST_ROWS = 16   /* room in a new block; small classes need no more */
};

/* Rows of one class, field by field: a number, or of a symbol its term; NaN is missing. */
typedef struct cr__cross_block {
    size_t rows, capacity;
    double *x;      /* [capacity * fields] */
    double *weight; /* [capacity] */
} cr__cross_block;

/* A full block, or its products. */
typedef struct cr__cross_job {
    struct cr__cross_job *next;
    size_t owner; /* which heap they belong to */
    uint64_t sequence;
    size_t terms;
    cr__cross_block rows;
    double *shift;        /* [terms] */
    cr__cross_term *term; /* [terms] */
    cr__cross_sum sum;
} cr__cross_job;

/* Where blocks of one class go: complete rows, or those that lack something. */
typedef struct cr__cross_heap {
    cr__cross_block open;   /* being filled */
    uint64_t sequence;      /* of the next block, */
    uint64_t added;         /* and of the next one to be added */
    cr__cross_job *waiting; /* results that came before their turn, by sequence, */
    cr__cross_job *latest;  /* and the last of them */
    size_t terms;           /* that the sums have room for */
    cr__cross_sum sum;
} cr__cross_heap;

/* The rows of a chunk, with terms and class codes of the gather. */
typedef struct cr__cross_rows {
    struct cr__cross_rows *next;
    size_t rows;
    double *x;            /* [rows * fields] */
    uint32_t *class_code; /* [rows] */
    double *weight;       /* [rows] */
} cr__cross_rows;

struct cr__cross_gather {
    const cr_schema *schema;
    cr__cross_use use;
    uint64_t limit;
    size_t fields, terms;
    size_t *column;        /* [fields] */
    size_t target;         /* field of the target, or SIZE_MAX */
    cr__dict **dict;       /* [fields] values of symbols in order of arrival */
    uint32_t **term_of;    /* [fields] of a value's code; of a real field its only one */
    size_t *term_capacity; /* [fields] */
    cr__cross_term *term;  /* [terms] column and code */
    double *shift;         /* [terms] */
    double *mean, *seen;   /* [fields] of the numbers before the first job, and how many; then */
    int settled;           /* these have become the shifts */
    size_t terms_capacity, shift_capacity;
    cr__dict *class_dict;
    cr__cross_heap *heap;                     /* [2 * classes]: complete rows, the others */
    size_t heaps, heap_capacity, heap_terms;  /* terms: whose sums were found to fit */
    cr__cross_rows *recorded, *last_recorded; /* rows that are only kept, */
    int records;                              /* as a team's member does; */
    double recorded_bytes;
    pthread_mutex_t lock;        /* of what follows, and of the sums */
    cr__cross_job *first, *last; /* to be done */
    int holds;                   /* results are not added yet */
    int failed;                  /* out of memory */
};

struct cr__cross_part {
    cr__cross_gather *gather;
    size_t rows, x_capacity, class_capacity, weight_capacity;
    double *x;            /* [rows * fields] numbers and codes as the batch has them */
    uint32_t *class_code; /* [rows] */
    double *weight;       /* [rows] */
    uint32_t **map;       /* [fields] code of this worker to term + 1; 0 when not known yet */
    size_t *map_capacity; /* [fields] */
    uint32_t *class_map;  /* to class code of the gather */
    size_t class_map_capacity;
};

/* The term of a symbol's value, which may be a new one. CR_ENOMEM. */
cr_status cr__cross_term_of(cr__cross_gather *g, size_t field, const char *word, size_t length,
                            uint32_t *term);

/* Add one row, in its turn, with the terms and class codes of the gather. */
cr_status cr__cross_put_row(cr__cross_gather *g, uint32_t class_code, const double *x,
                            double weight, cr_error *err);

/* Room for as many classes as there are. CR_ENOMEM, CR_ELIMIT. */
cr_status cr__cross_fit_heaps(cr__cross_gather *g, cr_error *err);

/* Do all jobs; and add the next results of a heap, as far as they are available. */
cr_status cr__cross_work_all(cr__cross_gather *g, int threads, cr_error *err);
void cr__cross_add_waiting(cr__cross_gather *g, cr__cross_heap *h);

#endif
