/* serve/training.h - running trainings and their progress. */
#ifndef SERVE_TRAINING_H
#define SERVE_TRAINING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { TRAININGS = 32, TRAINING_NAME = 64 };

typedef struct training {
    char name[TRAINING_NAME + 1]; /* chosen by the client; "": free */
    uint64_t done, total, rows;
    bool running, stop;
    uint64_t order; /* the oldest one that has ended is replaced */
} training;

typedef struct trainings {
    pthread_mutex_t lock;
    training list[TRAININGS];
    uint64_t begun;
} trainings;

void trainings_open(trainings *t);
void trainings_close(trainings *t);

/* A new entry for a training; NULL: all are taken, or one with this name is running. */
training *training_begin(trainings *t, const char *name);
void training_end(trainings *t, training *one);

/* Report progress; non-zero if the training is to stop. */
int training_step(trainings *t, training *one, uint64_t done, uint64_t total, uint64_t rows);

/* A copy of the state of a training; false: there is none with this name. */
bool training_look(trainings *t, const char *name, training *out);
bool training_stop(trainings *t, const char *name);

#endif
